"""A world is of the process that made it: a forked one can make its own, and use no other."""

import os

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.changing.changes import Push, Spawn
from softshell_sim.shapes import Sphere
from softshell_sim.world import World

pytestmark = pytest.mark.usefixtures('each_engine')

BALL = Spawn(ObjectSpec('ball', Sphere(0.1), 1.0))


def forked(act):
    """What a function returns in a forked process, as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, str(act()).encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding='utf-8') as pipe:
        text = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return text


@pytest.fixture
def world():
    """The arm."""
    world = World(load_robot('arm'))
    yield world
    world.close()


def refusals(world):
    """What each way to use a world raises, as a set of texts."""
    still = np.zeros(len(world.position))
    state, found = BodyState(), set()
    for use in (
        lambda: world.step(still, still),
        world.coast,
        world.reset,
        world.save,
        world.hold,
        lambda: world.measure(0.0),
        lambda: world.simulate(0.01),
        lambda: world.set_gravity(1.0),
        lambda: world.apply([BALL]),
        lambda: world.scene.state('robot'),
        lambda: world.engine.place(world.body, state),
        lambda: world.engine.remove(world.floor),
        world.engine.all_contacts,
    ):
        try:
            use()
            found.add('nothing')
        except SoftshellError as error:
            found.add(str(error))
    return found


def test_a_forked_process_cannot_use_a_world_of_its_parent(world):
    """Every call has the same answer; to close the world does nothing, here and in the fork."""
    expected = {'the world belongs to the process that this one was forked from; make a new one'}

    def act():
        found = refusals(world)
        world.close()
        return found | refusals(world)

    assert forked(act) == str(expected)
    world.simulate(0.01)
    assert world.time == pytest.approx(0.01)


def test_a_forked_process_makes_its_own(world):
    """Its world repeats one of this process bit for bit; so does that of a fork of the fork."""

    def swing():
        own = World(load_robot('arm'))
        own.apply([Push('robot', np.array([1.0, 2.0, 3.0]), link=own.body.links[-1])])
        own.simulate(0.05)
        return own.position.tobytes().hex()

    expected = swing()
    assert forked(swing) == expected
    assert forked(lambda: forked(swing)) == expected


def test_a_closed_world_stays_closed_in_a_forked_process(world):
    """The message is that it was closed, and not that it belongs to another process."""
    world.close()
    assert forked(lambda: refusals(world)) == "{'the world was closed; make a new one'}"
