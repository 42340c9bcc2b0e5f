"""Dry friction of motors, in worlds on every engine, against closed forms."""

import dataclasses

import numpy as np
import pytest

from softshell_control.drives.motors import Mode
from softshell_sim.joints.control import GRIP
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

STEP, GRAVITY = 1e-3, 9.81
#: Of the swing of the arm in conftest.py, the slide at 0.02 m: inertia, and moment when level.
INERTIA = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * 0.27**2
MOMENT = GRAVITY * (0.4 * 0.1 + 0.2 * 0.27)


@pytest.fixture
def make(each_engine):
    """Function: a world of a robot whose motors have this dry friction; closed after the test."""
    worlds = []

    def begin(robot, friction, **settings):
        motors = {
            name: spec.model_copy(update={'dry_friction': friction})
            for name, spec in robot.motors.items()
        }
        changed = dataclasses.replace(robot, motors=motors)
        worlds.append(World(changed, WorldSettings(engine=each_engine, **settings)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def coast(world, seconds):
    """Let time pass with motors off."""
    for _ in range(round(seconds / STEP)):
        world.coast()
    return world.measure(seconds)


def push(world, efforts, seconds):
    """Have motors give efforts (motors,) that rise evenly from nothing, or (steps, motors)."""
    world.drives.set_mode([Mode.EFFORT] * len(world.drives.motors.effort))
    steps = round(seconds / STEP)
    rows = np.linspace(0.0, 1.0, steps + 1)[1:, None] * efforts if efforts.ndim == 1 else efforts
    still = np.zeros(len(world.position))
    for row in rows:
        world.drives.set_feed_forward(row)
        world.step(world.position, still)
    return world.measure(seconds)


@pytest.mark.parametrize('part', [pytest.param(0.2, marks=pytest.mark.long), 0.6, 0.95])
def test_a_load_below_the_friction_is_held(make, arm, part):
    """The swing gives way by a few times its load over its grip, and then stays."""
    world = make(arm, MOMENT / part)
    settled = coast(world, 2.0).position[0]
    give = MOMENT / (GRIP * INERTIA / STEP**2)
    assert 0.5 * give < settled < 6.0 * give
    measured = coast(world, 10.0)
    assert measured.position[0] == pytest.approx(settled, abs=1e-9)
    assert not measured.effort.any()


def test_a_load_above_the_friction_is_not(make, arm):
    """Once it slips, the swing gains (m g r − μ) t/I in speed."""
    world = make(arm, 0.9 * MOMENT)
    coast(world, 0.02)
    before = world.velocity[0]
    coast(world, 0.05)
    assert world.velocity[0] - before == pytest.approx(0.05 * 0.1 * MOMENT / INERTIA, rel=0.01)


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_breakaway_is_at_the_friction(make, arm, side):
    """An effort that rises to 0.99 μ is held; one that rises to 1.01 μ is not."""
    world = make(arm, 0.5, gravity=0.0)
    level = world.position[0]
    end = side * np.array([0.99 * 0.5, 0.0])
    held = push(world, end, 1.0).position[0]
    assert abs(held - level) < 1.1 * 0.5 / (GRIP * INERTIA / STEP**2)
    held = push(world, np.tile(end, (300, 1)), 0.3).position[0]
    steps = np.tile(end, (2000, 1))
    assert push(world, steps, 2.0).position[0] == pytest.approx(held, abs=1e-9)
    push(world, np.tile(end * 1.01 / 0.99, (200, 1)), 0.2)
    assert side * world.velocity[0] == pytest.approx(0.2 * 0.005 / INERTIA, rel=0.02)


@pytest.mark.parametrize('swings', [100, pytest.param(1000, marks=pytest.mark.long)])
def test_a_load_that_swings_below_the_friction_moves_nothing_on(make, arm, swings):
    """After many swings between 0 and 0.9 μ the joint is where it was after ten."""
    world = make(arm, 0.5, gravity=0.0)
    swing = 0.225 * (1.0 - np.cos(np.arange(1, 101) * 2.0 * np.pi / 100.0))
    rows = np.stack((swing, np.zeros(100)), axis=1)
    after = push(world, np.tile(rows, (10, 1)), 1.0).position[0]
    many = push(world, np.tile(rows, (swings, 1)), 0.1 * swings)
    assert many.position[0] == pytest.approx(after, abs=1e-9)


def test_it_brakes_evenly_to_a_stop(make, arm):
    """A spinning joint loses μ h/I a step, whatever its speed; it stops after I ω²/(2 μ)."""
    world = make(arm, 0.1, gravity=0.0)
    world.engine.place_joints(world.body, world.position, np.array([1.0, 0.0]))
    begin = world.measure(0.0).position[0]
    coast(world, 0.1)
    assert world.velocity[0] == pytest.approx(1.0 - 0.1 * 0.1 / INERTIA, rel=0.01)
    coast(world, 1.0)
    assert world.velocity[0] == pytest.approx(0.0, abs=1e-9)
    assert world.position[0] - begin == pytest.approx(INERTIA / (2.0 * 0.1), rel=0.01)


@pytest.mark.parametrize('pd', ['explicit', 'implicit'])
def test_control_has_to_overcome_it(make, arm, pd):
    """Towards a target nearer than μ/kp = 12.5 mrad it hardly moves; others it misses by less."""
    world = make(arm, 0.5, gravity=0.0, pd=pd)
    level, still = world.position.copy(), np.zeros(2)
    for _ in range(1000):
        world.step(level + [0.012, 0.0], still)
    gave = world.measure(1.0).position[0] - level[0]
    assert 0.0 < gave < 5.0 * 40.0 * 0.012 / (GRIP * INERTIA / STEP**2)
    assert np.abs(world.velocity).max() < 1e-9
    for _ in range(1000):
        world.step(level + [0.2, 0.0], still)
    missed = world.measure(1.0).position[0] - level[0] - 0.2
    assert 0.0 < abs(missed) <= 0.0125
    assert np.abs(world.velocity).max() < 1e-9


def test_a_saved_world_goes_on_with_bent_bristles(make, arm):
    """It repeats bit for bit, also after a reset, saved between two updates of the grip."""
    world = make(arm, 0.9 * MOMENT)
    coast(world, 0.13)
    state = world.save()
    first = coast(world, 0.3).position.tobytes()
    world.reset()
    coast(world, 0.05)
    world.restore(state)
    assert coast(world, 0.3).position.tobytes() == first
    world.reset()
    again = [coast(world, 0.13).position.tobytes()]
    world.reset()
    assert [coast(world, 0.13).position.tobytes()] == again


@pytest.fixture
def shell(make, robot):
    """Shell without weight, with 0.06 N m in its motors, and sides to which no limit is near."""
    world = make(robot, 0.06, gravity=0.0)
    world.reset(robot.pose('stand'), 1.0)
    joints = [robot.urdf.joint(joint.name) for joint in robot.joints]
    middle = np.array([(joint.lower + joint.upper) / 2.0 for joint in joints])
    return world, np.where(middle > world.position[: len(joints)] - 1e-9, 1.0, -1.0)


@pytest.mark.long
def test_all_joints_of_shell_hold_below_their_friction(shell):
    """With 0.99 μ at every motor each of the joints moves by less than 1 µrad in 10 s."""
    world, sides = shell
    end = 0.99 * 0.06 * sides
    push(world, end, 2.0)
    settled = push(world, np.tile(end, (1000, 1)), 1.0).position.copy()
    measured = push(world, np.tile(end, (10000, 1)), 10.0)
    assert np.abs(measured.position - settled).max() < 1e-6
    assert np.abs(measured.velocity).max() < 1e-9


@pytest.mark.long
def test_each_motor_of_shell_breaks_away_at_its_friction(shell):
    """With the others off, it holds at 0.99 μ; at 1.01 μ its speed keeps growing."""
    world, sides = shell
    source = world.drives.source
    for motor in range(len(sides)):
        end = np.zeros(len(sides))
        end[motor] = 0.99 * 0.06 * sides[motor]
        push(world, end, 0.3)
        # The joints of the mechanism slip one after the other until they share the load.
        push(world, np.tile(end, (2000 if np.sum(source == motor) > 1 else 800, 1)), 1.0)
        assert abs(world.velocity[motor]) < 1e-6
        push(world, np.tile(end * 1.01 / 0.99, (60, 1)), 0.06)
        early = sides[motor] * world.velocity[motor]
        push(world, np.tile(end * 1.01 / 0.99, (60, 1)), 0.06)
        assert sides[motor] * world.velocity[motor] > 1.3 * early > 1e-4
        world.reset(world.robot.pose('stand'), 1.0)
