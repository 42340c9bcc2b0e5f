"""How far apart Shell's parts are, whatever its base does, and as it draws itself in."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_kinematics.errors import SoftshellError
from softshell_sim.contact.self_collision import passing_pairs
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

pytestmark = pytest.mark.needs('pybullet')
#: Ranges of poses of the base [m], [rad].
POSES = {
    'x': (-0.06, 0.06), 'y': (-0.06, 0.06), 'z': (0.09, 0.21),
    'yaw': (-0.4, 0.4), 'pitch': (-0.35, 0.35), 'roll': (-0.35, 0.35),
}  # fmt: skip
#: Gaps up to this are looked for [m].
WITHIN = 0.03


class Gaps:
    """The least gap between parts that do not touch by design."""

    def __init__(self, robot):
        self.world = world = World(robot, WorldSettings(engine='pybullet', self_collision=True))
        self._passing = passing_pairs(robot, world.joint_map, world.engine, world.body)
        self._target = np.zeros(len(world.position))

    def least(self, positions):
        """At (joints,) positions [m], `WITHIN` if there is none that small."""
        world = self.world
        world.joint_map.positions(positions, self._target)
        world.engine.place_joints(world.body, self._target)
        gaps = [
            gap.distance
            for gap in world.engine.gaps(world.body, world.body, WITHIN)
            if {(gap.link, gap.other_link), (gap.other_link, gap.link)}.isdisjoint(self._passing)
        ]
        return min([WITHIN, *gaps])


@pytest.fixture(scope='module')
def gaps(robot):
    found = Gaps(robot)
    yield found
    found.world.close()


@pytest.mark.long
def test_no_pose_of_the_base_brings_panels_together(robot, gaps):
    """7 mm at least, in 30 random poses that legs reach, and lowered by 5 cm."""
    rehearsal, random = Rehearsal(robot, 'stand'), np.random.default_rng(3)
    begin, poses = rehearsal.state, 0
    while poses < 30:
        given = {name: random.uniform(*ends) for name, ends in POSES.items()}
        rehearsal.state = begin
        try:
            list(rehearsal.perform('pose', given))
        except SoftshellError:
            continue
        poses += 1
        values = np.array([rehearsal.state.joints[name] for name in robot.joint_names])
        assert gaps.least(values) > 0.007, given
    rehearsal.state = begin
    list(rehearsal.perform('lower', {'amount': 0.05}))
    values = np.array([rehearsal.state.joints[name] for name in robot.joint_names])
    assert gaps.least(values) > 0.007


@pytest.mark.parametrize(
    'before', ['stand', *(pytest.param(p, marks=pytest.mark.long) for p in ('idle', 'walk'))]
)
def test_a_fallen_robot_draws_itself_in_without_touching_itself(robot, gaps, before):
    """From any of its poses; 0.5 mm at least where feet meet in the ball, 5 mm until it folds."""
    rehearsal = Rehearsal(robot, 'idle' if before == 'idle' else 'stand')
    if before == 'walk':
        parts = rehearsal.perform('walk', {'distance': 0.4})
        for _ in range(3):
            next(parts)
    rehearsal.state = replace(
        rehearsal.state, tilt=2.3, velocity=np.zeros(3), swings={}, stride=None
    )
    values = np.array([rehearsal.state.joints[name] for name in robot.joint_names])
    nearest = {}
    for part in rehearsal.perform('tuck'):
        columns = [robot.index(name) for name in part.joints]
        for point in np.transpose(list(part.joints.values()))[::2]:
            values[columns] = point
            name = part.call.name
            nearest[name] = min(gaps.least(values), nearest.get(name, WITHIN))
    steps = ['unfold', 'draw in all legs', 'fold', 'turn in', 'shut']
    # With uppers as in idle it counts as a ball once it has folded.
    assert list(nearest) == (steps[:3] if before == 'idle' else steps)
    assert min(nearest.values()) > 0.0005
    assert min(nearest['unfold'], nearest['draw in all legs']) > 0.005
