"""Shell closes into the ball and opens again: kept apart on the way, and borne by physics."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.rehearsal import Rehearsal
from softshell_kinematics.errors import SoftshellError
from softshell_sim.contact.self_collision import passing_pairs
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

PERIOD = 0.01
#: There and back.
TIMES = 3
#: Ranges of poses of the base over the feet from which it closes.
POSES = {'x': 0.1, 'y': 0.1, 'yaw': 0.5, 'pitch': 0.3, 'roll': 0.3}

#: What of closing comes before it folds.
DRAWN = ('draw in three legs', 'draw in the others')


def positions(robot, rehearsal, action, given=None):
    """(joints,) positions of an action, tick by tick."""
    value = np.array([rehearsal.state.joints[name] for name in robot.joint_names])
    for part in rehearsal.perform(action, given):
        motion = part.motion
        columns = [robot.index(name) for name in motion.joints]
        curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
        for moment in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
            value[columns] = curve(moment)
            yield value.copy()


def intended(robot, rehearsal, action):
    """Name of each sub-action and (joints,) positions it means the joints to have, by point."""
    value = np.array([rehearsal.state.joints[name] for name in robot.joint_names])
    for part in rehearsal.perform(action):
        columns = [robot.index(name) for name in part.joints]
        for point in np.transpose(list(part.joints.values())):
            value[columns] = point
            yield part.call.name, value.copy()


@pytest.mark.long
@pytest.mark.needs('pybullet')
def test_nothing_touches_on_the_way(robot):
    """From standing into the ball and back no two links come closer than 0.5 mm, by PyBullet.

    Where the feet are in the ball that is all there is; until it folds there are 8 mm. The
    joints are where they are to be: what leads them by their load is not where they get.
    """
    world = World(robot, WorldSettings(engine='pybullet', self_collision=True))
    passing = passing_pairs(robot, world.joint_map, world.engine, world.body)
    rehearsal, target = Rehearsal(robot, 'stand'), np.zeros(len(world.position))
    nearest = {}
    for action in ('close', 'open'):
        for name, value in list(intended(robot, rehearsal, action))[::2]:
            world.joint_map.positions(value, target)
            world.engine.place_joints(world.body, target)
            gaps = [
                gap.distance
                for gap in world.engine.gaps(world.body, world.body, 0.05)
                if {(gap.link, gap.other_link), (gap.other_link, gap.link)}.isdisjoint(passing)
            ]
            nearest[name] = min(*gaps, nearest.get(name, np.inf))
    world.close()
    assert min(nearest.values()) > 0.0005
    assert min(nearest[name] for name in ('level', 'rise', *DRAWN)) > 0.008


@pytest.mark.long
@pytest.mark.parametrize('friction', [0.5, 1.0])
def test_there_and_back_from_any_stance(robot, each_engine, friction):
    """From random poses of the base, with self-collision: ball and stand are reached.

    Joints within 0.03 rad, level to 0.5°, the base as high as the ball or the stand has it.
    """
    settings = WorldSettings(engine=each_engine, self_collision=True, friction=friction)
    world, rehearsal = World(robot, settings), Rehearsal(robot)
    random = np.random.default_rng(7)
    perform(world, positions(robot, rehearsal, 'stand'))
    for _ in range(TIMES):
        perform(world, iter(any_pose(robot, rehearsal, random)))
        for action, height in (('close', 0.216), ('open', 0.160)):
            goal = perform(world, positions(robot, rehearsal, action))
            measured = world.measure(PERIOD)
            assert np.abs(measured.position[: len(goal)] - goal).max() < 0.03
            axis = Rotation.from_quat(measured.base.orientation).as_matrix()[2, 2]
            assert np.degrees(np.arccos(min(axis, 1.0))) < 0.5
            assert measured.base.position[2] == pytest.approx(height, abs=0.003)
    world.close()


def any_pose(robot, rehearsal, random):
    """Ticks to a random pose of the base that its legs reach."""
    state = rehearsal.state
    while True:
        given = {name: random.uniform(-most, most) for name, most in POSES.items()}
        try:
            return list(
                positions(robot, rehearsal, 'pose', given | {'z': random.uniform(0.1, 0.2)})
            )
        except SoftshellError:
            rehearsal.state = state


def perform(world, ticks):
    """Follow positions, then wait; the last of them."""
    target = np.zeros(len(world.position))
    for value in ticks:
        world.joint_map.positions(value, target)
        world.simulate(PERIOD, target)
    world.simulate(0.3, target)
    return value
