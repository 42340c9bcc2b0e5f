"""Shell walks at any velocities, by any gaits, and leans meanwhile; it never falls."""

import numpy as np
import pytest
from planned_walker import Walker

from softshell_actions.performing.walking import Pace, base_move
from softshell_actions.trajectories.joint_limits import peak
from softshell_actions.trajectories.pacing import joint_limits_of

GAITS = ('tripod', 'tetrapod', 'wave', 'ripple', 'quick')
#: Far beyond what legs reach: x, y [m/s], yaw [rad/s].
MOST = np.array([0.35, 0.35, 0.7])
LONG = pytest.mark.long


def held(robot, parts):
    """See that all joints stay within their ranges, and what the gate lets through."""
    limits = joint_limits_of(robot)
    for part in parts:
        motion = part.motion
        for column, name in enumerate(motion.joints):
            joint = robot.joints[robot.index(name)]
            assert motion.positions[:, column].min() >= joint.lower - 1e-9, name
            assert motion.positions[:, column].max() <= joint.upper + 1e-9, name
        found = peak(motion, limits)
        assert found.slowdown <= 1.0 + 1e-6, str(found)


@pytest.mark.parametrize(
    ('seed', 'seconds'), [(0, 12.0), *(pytest.param(n, 60.0, marks=LONG) for n in range(1, 21))]
)
def test_no_velocity_makes_it_fall(seed, seconds):
    """Another every other second, by another gait every ten: upright within 6 degrees."""
    random = np.random.default_rng(seed)
    walker = Walker('mujoco', random.uniform(0.4, 1.0))
    walker.perform('stand')
    passed, changes, switches = 0.0, 0.0, 0.0
    while passed < seconds:
        if passed >= switches:
            pace, switches = Pace(random.choice(GAITS), random.uniform(0.8, 1.2)), passed + 10.0
        if passed >= changes:
            velocity, changes = random.uniform(-MOST, MOST), passed + random.uniform(0.5, 3.0)
        parts = walker.stride(pace, velocity)
        held(walker.robot, parts)
        passed += sum(part.motion.duration for part in parts)
        assert walker.tilt() < 6.0
    walker.world.close()


def test_it_leans_while_it_walks():
    """The base goes to poses over the feet within 1.5 degrees, and on as it is told."""
    walker = Walker('mujoco', 0.8)
    walker.perform('stand')
    height = walker.rehearsal.body.stance.stand_height
    begin, _ = walker.pose()
    for pitch in (0.1, -0.1, 0.0):
        move = base_move(np.array([0.0, 0.0, height, 0.0, pitch, 0.0]))
        walker.stride(Pace('tripod'), (0.06, 0.0, 0.0), move)
        for _ in range(2):
            walker.stride(Pace('tripod'), (0.06, 0.0, 0.0))
        assert walker.tilt() == pytest.approx(np.degrees(abs(pitch)), abs=1.5)
    end, _ = walker.pose()
    assert end[0] - begin[0] == pytest.approx(0.06 * 0.5 * 8.5, rel=0.05)
    walker.world.close()
