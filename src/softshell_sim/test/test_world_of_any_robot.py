"""The world simulates robots of any kind: an arm on a pedestal, a box without joints."""

import numpy as np
import pytest

from softshell_control.gate import Command
from softshell_description.config import Gains
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.bodies import BodyState
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

GRAVITY = 9.81


def hold(world, seconds, target):
    for _ in range(round(seconds / world.settings.physics_step)):
        world.step(np.array(target), np.zeros(len(target)))
    return world.measure(seconds)


def test_arm_starts_in_its_start_pose_with_its_own_gains_and_motors(make, arm):
    """Joints stand as `start` says; effort, speed and gains are those of robot.yaml."""
    world = make(arm)
    assert world.measured.position == pytest.approx([0.0, 0.02])
    assert world.drives.motors.effort.tolist() == [3.0, 20.0]
    assert world.drives.motors.velocity.tolist() == [6.0, 1.0]
    assert world.drives.kp.tolist() == [40.0, 2000.0]
    assert world.drives.kd.tolist() == [0.5, 20.0]
    assert world.control.limited == {}


def test_fixed_arm_sags_by_its_weight_over_kp(make, arm):
    """At rest the swing carries Σ m g r, and is off by that over kp; the slide, level, by none."""
    world = make(arm)
    measured = hold(world, 2.0, [0.0, 0.02])
    swing, reach = measured.position
    moment = GRAVITY * (0.4 * 0.1 + 0.2 * (0.2 + reach + 0.05)) * np.cos(swing)
    assert swing == pytest.approx(moment / 40.0, rel=1e-3)
    weight = GRAVITY * 0.2 * np.sin(swing)
    assert reach - 0.02 == pytest.approx(weight / 2000.0, abs=1e-6)
    effort = hold(world, 0.2, [0.0, 0.02]).effort
    assert effort == pytest.approx([-moment, -weight], rel=1e-3)


def test_fixed_base_stays_and_has_no_feet(make, arm):
    """The plate stays on z = 0 without turning, its accelerometer shows +g; there are no feet."""
    world = make(arm)
    measured = hold(world, 0.5, [0.5, 0.05])
    assert measured.base.position == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.abs(measured.base.orientation) == pytest.approx([0, 0, 0, 1], abs=1e-6)
    assert measured.base.linear_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    assert measured.imu.linear_acceleration == pytest.approx([0, 0, GRAVITY], abs=1e-6)
    assert measured.contacts is None


def test_box_rests_on_the_floor(make, cube):
    """A robot without joints is carried with m g; its base link is on its top, 0.2 m up."""
    world = make(cube)
    assert world.measured.base.position == pytest.approx([0.0, 0.0, 0.2], abs=2e-3)
    measured = hold(world, 1.0, [])
    assert measured.base.position[2] == pytest.approx(0.2, abs=1e-3)
    force = np.zeros((1, 3))
    world.engine.contact_forces(world.body, force)
    assert force[0] == pytest.approx([0.0, 0.0, 1.5 * GRAVITY], rel=0.01, abs=0.01)
    assert len(measured.position) == len(measured.channels) == 0


def test_base_link_turns_with_its_body(make, cube):
    """A base link r above the centre of a spinning box moves with v + ω × r, in its own axes."""
    world = make(cube, gravity=0.0)
    world.reset(height=3.0)
    spin = BodyState(
        np.array([0.0, 0.0, 2.9]),
        np.array([0.0, 0.0, np.sin(0.3), np.cos(0.3)]),
        np.array([0.3, 0.0, 0.0]),
        np.array([2.0, 0.0, 0.0]),
    )
    world.engine.place(world.body, spin)
    base = world.measure(0.0).base
    cosine, sine = np.cos(0.6), np.sin(0.6)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    moved = np.array([0.3, 0.0, 0.0]) + np.cross([2.0, 0.0, 0.0], [0.0, 0.0, 0.1])
    assert base.position == pytest.approx([0.0, 0.0, 3.0], abs=1e-6)
    assert base.linear_velocity == pytest.approx(turn.T @ moved, abs=1e-6)
    assert base.angular_velocity == pytest.approx(turn.T @ [2.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    ('restitution', 'expected', 'within'), [(0.0, 0.0, 0.02), (0.8, 0.8, 0.05)]
)
def test_a_fall_leaves_the_restitution_of_its_speed(make, cube, restitution, expected, within):
    """A fall of 0.5 m leaves e of its speed, e that between floor and robot."""
    world = make(cube, restitution=restitution, friction=1.0)
    world.reset(height=0.7)
    speeds = [hold(world, 0.001, []).base.linear_velocity[2] for _ in range(450)]
    assert max(speeds) / -min(speeds) == pytest.approx(expected, abs=within)


def test_gains_change_by_group(make, arm):
    """A group with new gains has them, the other keeps its own; unknown groups are refused."""
    world = make(arm)
    world.set_gains({'turning': Gains(kp=30.0, kd=0.4)})
    assert world.drives.kp.tolist() == [30.0, 2000.0]
    assert world.drives.kd.tolist() == [0.4, 20.0]
    world.reset()
    assert world.drives.kp.tolist() == [30.0, 2000.0]
    world.set_gains({})
    assert world.drives.kp.tolist() == [40.0, 2000.0]
    with pytest.raises(UnknownNameError, match="unknown group 'legs'; known: pushing, turning"):
        world.set_gains({'legs': Gains(kp=1.0, kd=1.0)})


def test_joints_keep_gains_of_their_own(make, arm):
    """A joint with gains of its own keeps them until its group is given other gains."""
    file = arm.folder / 'robot.yaml'
    own = '{swing: {motor: turner, gains: {kp: 10.0, kd: 0.1}}}'
    file.write_text(file.read_text().replace('{swing: turner}', own))
    robot = load_robot(arm.folder)
    world = make(robot)
    world.set_gains({'turning': robot.groups['turning'].gains})
    assert (world.drives.kp[0], world.drives.kd[0]) == (10.0, 0.1)
    world.set_gains({'turning': Gains(kp=20.0, kd=0.5)})
    assert (world.drives.kp[0], world.drives.kd[0]) == (20.0, 0.5)


def test_gains_are_limited_to_what_integration_bears(make, arm):
    """No joint gets more than I/(4 h²) and I/(2 h); the swing's I is known; it is reported."""
    world = make(arm)
    # With the slide free, only what does not slide along counts: all, for it slides outwards.
    inertia = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * (0.2 + 0.02 + 0.05) ** 2
    world.set_gains({'turning': Gains(kp=1e6, kd=1e3)})
    assert world.drives.kp[0] == pytest.approx(inertia / (4 * 0.001**2), rel=1e-6)
    assert world.drives.kd[0] == pytest.approx(inertia / (2 * 0.001), rel=1e-6)
    assert world.control.limited == {
        'kp': f'1e+06 limited to {world.drives.kp[0]:.3g}: swing',
        'kd': f'1000 limited to {world.drives.kd[0]:.3g}: swing',
    }
    hold(world, 1.0, [0.5, 0.05])
    assert np.abs(hold(world, 0.5, [0.5, 0.05]).velocity).max() < 0.05


def test_divergence_names_the_joint(make, arm, cube):
    """A state that is no longer finite is an error that names the joint, or the base."""
    world = make(arm)
    world.engine.place_joints(world.body, np.array([0.1, np.nan]))
    with pytest.raises(SoftshellError, match=r"diverged 0.000 s .*joint 'reach' is at nan"):
        world.measure(0.0)
    free = make(cube)
    free.engine.apply_wrench(free.body, 0, np.array([np.nan, 0, 0]), np.zeros(3), np.zeros(3))
    with pytest.raises(SoftshellError, match=r'diverged .* the base is at'):
        hold(free, 0.002, [])


def test_robot_that_cannot_be_simulated_is_refused(arm, cube):
    """Parts without mass, no shape to stand on, a base that moves: each is named."""

    def change(robot, name, old, new):
        file = robot.folder / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
        return load_robot(robot.folder)

    empty = '<mass value="0"/>'
    with pytest.raises(SoftshellError, match="'tiny_arm': slide can move and has no mass"):
        World(change(arm, 'tiny_arm.urdf', '<mass value="0.2"/>', empty))
    with pytest.raises(SoftshellError, match="base link 'upper' is moved by a joint"):
        World(change(arm, 'robot.yaml', 'link: plate', 'link: upper'))
    shape = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    with pytest.raises(SoftshellError, match="'cube' has no <collision> shape to stand on"):
        World(change(cube, 'cube.urdf', shape, ''))
    with pytest.raises(UnknownNameError, match="unknown engine 'ode'; known: mujoco, pybullet"):
        World(arm, WorldSettings(engine='ode'))


def test_backend_of_the_arm(arm):
    """The backend activates where the arm is, moves it, and reports channels without feet."""
    backend = SimBackend(arm, 0.004)
    backend.reset()
    start = backend.activate().position.copy()
    goal = arm.pose('up')
    for tick in range(400):
        part = min(tick / 250, 1.0)
        measured = backend.step(tick, Command.at_rest(start + (goal - start) * part))
    assert measured.position == pytest.approx(goal, abs=0.03)
    assert measured.channels.tolist() == measured.position.tolist()
    assert measured.stamp == 399
    backend.close()


def test_a_part_that_moves_needs_inertia(arm):
    """A URDF may leave it out, which is told here; a part that stands still does without."""
    path = arm.folder / 'tiny_arm.urdf'
    still = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    moving = still.replace('"1"', '"5e-4"')
    text = path.read_text()
    assert still in text
    assert moving in text
    path.write_text(text.replace(still, ''))
    World(load_robot(arm.folder)).close()
    path.write_text(text.replace(moving, ''))
    with pytest.raises(SoftshellError) as caught:
        World(load_robot(arm.folder))
    assert str(caught.value) == (
        "robot 'tiny_arm': slide can move and has no inertia; expected <inertia> in the "
        '<inertial> of that link, or of one that is fixed to it'
    )
