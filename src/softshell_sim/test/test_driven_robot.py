"""A robot that is driven: held like by a crane, its legs move; and on a lift."""

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Spawn
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.shapes import Box
from softshell_sim.stability import Stability, Status
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')


@pytest.fixture
def world():
    world = World(load_robot('shell'))
    world.settle(0.3)
    yield world
    world.close()


def pose(state, up):
    return np.concatenate([state.position + [0.0, 0.0, up], state.orientation])


@pytest.mark.long
def test_a_crane_lifts_the_robot_while_its_legs_move(world):
    """Its root is on the path, its joints follow, all is stable; then it stands again."""
    start = world.scene.state('robot')
    world.scene.stability = Stability(world.engine)
    world.apply([Drive('robot', [0.5], [pose(start, 0.3)])])
    joints, target = world.joint_map, np.zeros(len(world.position))
    wanted = world.position[: joints.independent].copy()
    wanted[1:] += 0.1  # the first is at its limit
    joints.positions(wanted, target)
    for k in range(1, 61):
        world.simulate(0.01, target)
        expected = start.position + [0.0, 0.0, 0.3 * min(k / 50, 1.0)]
        assert world.scene.state('robot').position == pytest.approx(expected, abs=1e-6)
    world.measure(0.6)
    assert world.position == pytest.approx(target, abs=0.05)
    assert set(world.scene.stability.read().values()) == {Status.NORMAL}
    world.apply([Release('robot')])
    world.simulate(1.0, target)
    assert world.scene.state('robot').position[2] < start.position[2] + 0.1


def test_a_lift_carries_the_robot(world):
    """It rises with the plate that it stands on within 2 mm, and does not slide."""
    start = world.scene.state('robot')
    plate = ObjectSpec('plate', Box((1.5, 1.5, 0.1)), 1.0, shift(z=-0.06))
    world.apply([Spawn(plate), Drive('plate')])
    times = np.linspace(0.01, 1.0, 100)
    poses = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (100, 1))
    poses[:, 2] = -0.06 + 0.11 * (1.0 - np.cos(np.pi * times))
    world.apply([Drive('plate', times, poses)])
    world.simulate(1.2)
    risen = world.scene.state('robot').position - start.position
    assert risen == pytest.approx([0.0, 0.0, 0.21], abs=2e-3)


def test_a_hanging_robot_is_saved(world):
    """A swing of its legs in the air repeats bit for bit, also if it stood in between."""
    start = world.scene.state('robot')
    world.apply([Drive('robot', [0.2], [pose(start, 0.3)])])
    world.simulate(0.1)
    saved = world.save()
    runs = []
    for _ in range(3):
        rows = []
        for _ in range(50):
            world.simulate(0.004, driven=False)
            rows += [world.position.copy(), world.scene.state('robot').position]
        runs.append(np.concatenate(rows).tobytes())
        world.reset()
        world.restore(saved)
    assert runs[0] == runs[1] == runs[2]
