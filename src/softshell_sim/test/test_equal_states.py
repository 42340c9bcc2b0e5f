"""A state fits bodies that are equal to those it was saved with, wherever they are."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Push, Remove, Spawn
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, HeightField, Sphere
from softshell_sim.world import World


@pytest.fixture
def make(arm, each_engine):
    """Function: a world of the arm, closed after the test."""
    worlds = []

    def begin():
        worlds.append(World(arm, WorldSettings(engine=each_engine)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def hill(height=0.05):
    """Ground with a bump, made anew with each call."""
    heights = np.zeros((4, 4))
    heights[1:3, 1:3] = height
    return Spawn(ObjectSpec('hill', HeightField(heights, (1.0, 1.0)), pose=shift(2.0)))


def ball(radius=0.1):
    """A ball above the hill, made anew with each call."""
    return Spawn(ObjectSpec('ball', Sphere(radius), 0.5, shift(2.0, 0.1, 0.4)))


def rows(world):
    """All that moves in the next 0.3 s, as bytes."""
    found = []
    for _ in range(30):
        world.simulate(0.01)
        state = world.scene.state('ball')
        found += [world.measure(0.01).position, state.position, state.linear_velocity]
    return np.concatenate(found).tobytes()


def test_equal_bodies_take_a_state(make):
    """It goes on the same after a reset, for new bodies, in another world, and from a pickle."""
    world = make()
    push = Push('ball', np.array([0.5, 0.0, 0.0]), duration=0.2)
    world.apply([hill(), ball(), push])
    world.simulate(0.2)
    state = world.save()
    first = rows(world)
    world.reset()
    world.apply([hill(), ball()])
    world.restore(state)
    assert rows(world) == first
    world.apply([Remove('ball'), ball()])
    world.restore(pickle.loads(pickle.dumps(state)))
    assert rows(world) == first
    other = make()
    other.apply([hill(), ball()])
    other.restore(state)
    assert rows(other) == first


@pytest.mark.parametrize(
    ('changes', 'name'),
    [
        ([hill(0.06), ball()], 'hill'),
        ([hill(), ball(0.11)], 'ball'),
        ([hill(), Spawn(ObjectSpec('ball', Box((0.1, 0.1, 0.1)), 0.5))], 'ball'),
    ],
)
def test_other_bodies_of_the_same_names_do_not(make, changes, name):
    """Other heights, radii and shapes are refused by name, and nothing is changed."""
    world = make()
    world.apply([hill(), ball()])
    state = world.save()
    world.reset()
    world.apply(changes)
    before = world.scene.state('ball').position.copy()
    with pytest.raises(SoftshellError, match=f"other bodies: '{name}' is specified otherwise"):
        world.restore(state)
    assert np.array_equal(world.scene.state('ball').position, before)


@pytest.mark.parametrize(
    ('settings', 'name'),
    [
        ({'pd': 'implicit'}, 'pd'),
        ({'physics_step': 0.002}, 'physics_step'),
        ({'sensors': sensor_settings({'odometry': {'rate': 50.0}})}, 'sensors'),
    ],
)
def test_a_world_of_other_settings_does_not(arm, each_engine, settings, name):
    """It names them, and goes on as if nothing had been asked."""
    plain = World(arm, WorldSettings(engine=each_engine))
    plain.simulate(0.05, np.array([-0.5, 0.05]))
    state = plain.save()
    other = World(arm, WorldSettings(engine=each_engine, **settings))
    before = other.time, other.measure(0.0).position.tobytes()
    with pytest.raises(SoftshellError, match=f'saved by a world with other {name}; expected'):
        other.restore(state)
    assert (other.time, other.measure(0.0).position.tobytes()) == before
    for world in (plain, other):
        world.close()


def test_a_robot_of_other_motors_does_not(arm, each_engine):
    """Nor is one whose motors differ taken for the same, with an equal URDF."""
    motors = {name: each.model_copy(update={'delay': 0.01}) for name, each in arm.motors.items()}
    late = World(replace(arm, motors=motors), WorldSettings(engine=each_engine))
    plain = World(arm, WorldSettings(engine=each_engine))
    with pytest.raises(SoftshellError, match='saved by a world with other motors; expected'):
        plain.restore(late.save())
    for world in (plain, late):
        world.close()


def test_a_loop_that_reads_the_joints_goes_on_the_same(make):
    """From what was read last it repeats its goals bit for bit, in another world as well."""

    def run(world):
        """Positions and velocities, while each goal follows from those that were read."""
        found = []
        for _ in range(30):
            goal = 0.9 * world.motor_position + [0.05, 0.002]
            world.simulate(0.01, goal, 0.1 * world.velocity)
            found.append(np.concatenate([world.position, world.velocity]))
        return np.array(found)

    world = make()
    world.simulate(0.1)
    state = world.save()
    first = run(world)
    assert np.abs(first[-1] - first[0]).max() > 0.01
    for each in (world, make()):
        each.restore(state)
        assert run(each).tobytes() == first.tobytes()
