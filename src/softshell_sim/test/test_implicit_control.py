"""Implicit control in a world: right where explicit control is, and stable where that is not."""

import numpy as np
import pytest

from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_sim.settings import WorldSettings

pytestmark = pytest.mark.usefixtures('each_engine')


def stiffer(world, factor, damping):
    """Ask for so many times the gains of the robot; of explicit control for all of it."""
    groups = world.robot.groups.items()
    world.set_gains({n: Gains(kp=g.gains.kp * factor, kd=g.gains.kd * damping) for n, g in groups})
    if world.drives.stable is None:
        own = [world.robot.joints[k].gains for k in world.drives.source]
        gains = [(g.kp * factor, g.kd * damping, 0.0) for g in own]
        world.drives.set_gains(*np.array(gains).T)


def go(world, seconds, target, watch=lambda: None):
    """Follow (independent,) positions at rest, and measure."""
    wanted = np.zeros(len(world.position))
    world.joint_map.positions(np.asarray(target), wanted)
    for _ in range(round(seconds / world.settings.physics_step)):
        world.step(wanted, np.zeros(len(wanted)))
        watch()
    return world.measure(seconds)


def test_soft_gains_give_the_same_motion(make):
    """With shorter steps its motion converges to that of explicit control in tiny steps."""
    arm, runs = load_robot('arm'), []
    for pd, step in (('explicit', 1e-4), ('implicit', 1e-3), ('implicit', 2.5e-4)):
        world, path = make(arm, pd=pd, physics_step=step), []
        target = arm.pose('home') + [0.1, -0.1, 0.1]
        for _ in range(20):
            path.append(go(world, 0.02, target).position.copy())
        runs.append(np.array(path))
    assert np.ptp(runs[0], axis=0).max() > 0.08
    long, short = (np.abs(run - runs[0]).max() for run in runs[1:])
    assert long < 0.004
    assert short < 0.4 * long


@pytest.mark.parametrize('factor', [100.0, 1000.0])
def test_an_arm_bears_any_gain_at_a_millisecond(make, factor):
    """It comes to rest, off by its load over kp; with explicit control it would shake."""
    arm = load_robot('arm')
    pose, efforts = arm.pose('reach'), []
    world = make(arm, pd='implicit')
    stiffer(world, factor, factor**0.5)
    assert world.control.limited == {}
    kept = world.drives
    measured = go(world, 3.0, pose, lambda: efforts.append(np.abs(kept.motor_effort)))
    assert (np.array(efforts) <= kept.motors.effort * (1.0 + 1e-9)).all()
    assert np.abs(measured.velocity).max() < 1e-4
    off = pose - measured.position
    assert kept.kp * off == pytest.approx(go(world, 0.1, pose).effort, rel=0.02, abs=0.005)
    shaking = make(arm, pd='explicit')
    stiffer(shaking, factor, factor**0.5)
    speeds = []
    go(shaking, 3.0, pose, lambda: speeds.append(np.abs(shaking.velocity).max()))
    assert max(speeds[-100:]) > 1.0


def test_shell_stands_still_with_hundredfold_gains(make, robot):
    """With kp × 100 and kd × 10 it stands within 1 mrad, and no motor exceeds its effort."""
    world = make(robot, pd='implicit', friction=1.0)
    world.reset(robot.pose('stand'))
    stiffer(world, 100.0, 10.0)
    most, efforts = world.drives.motors.effort, []
    measured = go(
        world,
        1.2,
        robot.pose('stand'),
        lambda: efforts.append((np.abs(world.drives.motor_effort) / most).max()),
    )
    goal = np.zeros(len(world.position))
    JointMap.of(robot).positions(robot.pose('stand'), goal)
    assert np.abs(measured.position - goal).max() < 1e-3
    assert np.abs(measured.velocity).max() < 0.03
    assert measured.base.position[2] == pytest.approx(robot.rest_heights['stand'], abs=3e-3)
    assert max(efforts) <= 1.0 + 1e-9


def test_a_reset_repeats_it_bit_for_bit(make):
    """A run after a reset is the same as the one before."""
    arm = load_robot('arm')
    world = make(arm, pd='implicit')
    runs = []
    for _ in range(2):
        world.reset()
        runs.append(go(world, 0.2, arm.pose('reach')).position.tobytes())
    assert runs[0] == runs[1]


def test_an_unknown_form_is_refused():
    """The message lists the known forms."""
    with pytest.raises(ProblemsError, match="pd is 'magic'; expected explicit or implicit"):
        WorldSettings(pd='magic')
