"""Contacts of a saved and of a restored state, and how they go on."""

import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.changing.changes import Push, Spawn
from softshell_sim.scenes.terrain import rubble
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Compound
from softshell_sim.stability import Stability
from softshell_sim.world import World

GRAVITY = 9.81
#: Period of the commands [s].
TICK = 0.004
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
#: A table on two rails: one link with two shapes that touch the floor.
RAILS = Compound((
    (shift(x=-0.1, z=-0.05), Box((0.04, 0.2, 0.1))),
    (shift(x=0.1, z=-0.05), Box((0.04, 0.2, 0.1))),
))  # fmt: skip


def report(engine, body):
    """How many contacts a body has, and (3,) their force, by both ways to ask."""
    contacts, quick = engine.contacts(body), np.zeros((len(body.links), 3))
    engine.contact_forces(body, quick)
    total = np.sum([contact.force for contact in contacts], axis=0)
    assert quick.sum(axis=0) == pytest.approx(total)
    return len(contacts), total


def test_a_body_of_two_shapes_keeps_its_contacts(start):
    """Saved or restored, at once and again, a table of 2 kg feels what it felt: m g."""
    bench = start()
    engine = bench.engine
    bench.floor()
    table = engine.add(ObjectSpec('table', RAILS, 2.0, shift(z=0.1)))
    bench.run(1.0)
    count, force = report(engine, table)
    assert force == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=0.2)
    for _ in range(3):
        state = engine.save()
        for _ in range(2):
            after, same = report(engine, table)
            assert after == count
            assert same == pytest.approx(force)
            bench.run(0.05)
            later, weight = report(engine, table)
            assert later <= count
            assert weight == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=0.2)
            engine.restore(state)


def test_a_body_that_comes_after_has_no_contacts_yet(start):
    """Added after a `save` or a `restore`, before any step; those of others are still told."""
    bench = start()
    bench.floor()
    box = bench.box()
    bench.run(0.5)
    state = bench.engine.save()
    other = bench.engine.add(ObjectSpec('other', Box((0.2, 0.2, 0.2)), 1.0, shift(1.0, z=0.1)))
    assert report(bench.engine, box)[1] == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=0.2)
    force = np.ones((1, 3))
    bench.engine.contact_forces(other, force)
    assert not force.any()
    assert not bench.engine.contacts(other)
    bench.engine.remove(other)
    bench.engine.restore(state)
    other = bench.engine.add(ObjectSpec('other', Box((0.2, 0.2, 0.2)), 1.0, shift(1.0, z=0.1)))
    bench.engine.contact_forces(other, force)
    assert not force.any()


def test_restored_contacts_end_with_the_next_step(start):
    """A box whose contacts were restored and that is then lifted has none after a step."""
    bench = start()
    bench.floor()
    box = bench.box()
    bench.run(0.5)
    bench.engine.restore(bench.engine.save())
    assert bench.engine.contacts(box)
    state = bench.state(box)
    state.position[2] += 1.0
    bench.engine.place(box, state)
    bench.engine.step()
    assert not bench.engine.contacts(box)


def tumble(bench, body, steps):
    """Every number of a body during some steps, as bytes."""
    rows = []
    for _ in range(steps):
        bench.engine.step()
        state = bench.state(body)
        rows += [state.position, state.orientation, state.linear_velocity, state.angular_velocity]
    return np.concatenate(rows).tobytes()


def test_a_thrown_body_of_two_shapes_repeats(start):
    """A table that tumbles over the floor does the same after each restore, to the bit."""
    bench = start()
    engine = bench.engine
    bench.floor()
    table = engine.add(ObjectSpec('table', RAILS, 2.0, shift(z=0.3)))
    velocity, spin = np.array([1.0, 0.3, 0.0]), np.array([2.0, 4.0, 3.0])
    engine.place(table, BodyState(np.array([0.0, 0.0, 0.3]), UPRIGHT, velocity, spin))
    for _ in range(12):
        bench.run(0.05)
        state = engine.save()
        first = tumble(bench, table, 200)
        for _ in range(2):
            engine.restore(state)
            assert tumble(bench, table, 200) == first


def swing(world, begin, periods):
    """Every number of the bodies while the legs swing for some control periods, as bytes."""
    stand, rows = world.robot.pose('stand'), []
    target = np.zeros(len(world.joint_map.names))
    for k in range(begin, begin + periods):
        phase = 2.0 * np.pi * 1.1 * k * TICK + np.arange(len(stand))
        world.joint_map.positions(stand + 0.15 * np.sin(phase), target)
        world.simulate(TICK, target.copy())
        measured = world.measure(TICK)
        rows += [measured.position, measured.velocity, measured.effort]
        for name in world.engine.bodies:
            state = world.scene.state(name)
            rows += [state.position, state.orientation, state.linear_velocity]
    return np.concatenate(rows).tobytes()


@pytest.mark.long
def test_a_robot_with_everything_on_repeats(robot, each_engine):
    """Layers, contacts within itself, rubble, a cube and a push: all replays are one, to the bit,
    whatever was saved and restored in between.
    """
    settings = WorldSettings(engine=each_engine, pd='implicit', self_collision=True, padding=0.001)
    world = World(robot, settings)
    world.reset(robot.pose('stand'))
    world.settle(0.3)
    world.scene.stability = Stability(world.engine)
    cube = ObjectSpec('cube', Box((0.1, 0.1, 0.1)), 0.3, shift(0.3, 0.0, 0.05))
    stones = ObjectSpec('stones', rubble((1.0, 1.0), 0.02, 0.1), pose=shift(-1.0))
    push = Push('robot', np.array([3.0, 0.0, 0.0]), duration=2.0)
    world.apply([Spawn(cube), Spawn(stones), push])
    swing(world, 0, 125)
    for begin in (125, 165):
        state = world.save()
        first = swing(world, begin, 40)
        for _ in range(2):
            world.restore(state)
            assert swing(world, begin, 40) == first
    world.close()
