"""Control in steps shorter than the physics step, where a period is no multiple of that."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

PERIOD = 0.0025
KP, KD = np.array([40.0, 2000.0]), np.array([0.5, 20.0])


@pytest.fixture
def make(each_engine):
    """Function: a weightless world of a robot and settings, closed after the test."""
    worlds = []

    def begin(robot, **settings):
        worlds.append(World(robot, WorldSettings(engine=each_engine, gravity=0.0, **settings)))
        return worlds[-1]

    yield begin
    for world in worlds:
        world.close()


def late(robot, delay):
    """The robot with commands that come late by this time [s]."""
    motors = {
        name: each.model_copy(update={'delay': delay}) for name, each in robot.motors.items()
    }
    return dataclasses.replace(robot, motors=motors)


def follow_ramp(world, start, periods, period=PERIOD):
    """For each period, by how much the target came late that was followed at its end [s]."""
    found = []
    for number in range(1, periods + 1):
        now = number * period
        world.simulate(period, start + now * np.array([1.0, 0.1]))
        # Without a target velocity, kp (θd − θ) − kd θ̇ is the effort.
        effort, position, velocity = world.drives.motor_effort, world.position, world.velocity
        seen = position + (effort + KD * velocity) / KP
        found.append(now - (seen - start) / [1.0, 0.1])
    return np.array(found)


@pytest.mark.parametrize('period', [0.0025, 0.004, 0.0099])
def test_a_delay_is_as_long_in_shorter_steps(make, arm, period):
    """10 ms are 12 steps of 0.83 ms, 10 of 1 ms, and within half a step 10 of 0.99 ms."""
    world = make(late(arm, 0.01))
    start = world.position.copy()
    found = follow_ramp(world, start, 40, period)
    step = world.engine.time_step
    assert step == pytest.approx(period / np.ceil(period / 0.001 - 1e-6))
    expected = step * np.rint(0.01 / step)
    assert found[-20:] == pytest.approx(np.full((20, 2), expected), abs=1e-9)


def test_implicit_control_knows_the_step(make, arm):
    """Swing and slide move as their equations of motion say, by scipy, in steps of 1.25 ms.

    M(s) θ̈ + 2 m r ṡ θ̇ = τ1 and m s̈ − m r θ̇² = τ2, the slide's centre at r = 0.25 + s.
    """
    world = make(arm, pd='implicit', physics_step=0.002)
    start = world.position.copy()
    goal = start + [0.06, 0.004]

    def motion(_, state):
        position, velocity = state[:2], state[2:]
        effort = KP * (goal - position) - KD * velocity
        r = 0.25 + position[1]
        inertia = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * r**2
        turning = (effort[0] - 0.4 * r * velocity[1] * velocity[0]) / inertia
        return [*velocity, turning, effort[1] / 0.2 + r * velocity[0] ** 2]

    times = PERIOD * np.arange(1, 61)
    begin = [*start, 0.0, 0.0]
    truth = solve_ivp(motion, (0.0, times[-1]), begin, t_eval=times, rtol=1e-9, atol=1e-12)
    world.targets.hold(goal)
    path = []
    for _ in times:
        world.simulate(PERIOD)
        path.append(world.measure(PERIOD).position.copy())
    assert world.engine.time_step == pytest.approx(0.00125)
    off = np.abs(np.array(path) - truth.y[:2].T).max(axis=0)
    assert (off < [0.0027, 0.00024]).all()


@pytest.mark.parametrize('pd', ['explicit', 'implicit'])
def test_a_saved_world_goes_on_in_the_same_steps(make, arm, pd):
    """Bit for bit, whatever steps were taken in between; delayed commands are on their way."""
    world = make(late(arm, 0.01), pd=pd)
    start = world.position.copy()
    follow_ramp(world, start, 3)
    follow_ramp(world, start, 3, 0.004)
    follow_ramp(world, start, 3)
    state = world.save()
    first = follow_ramp(world, start, 20).tobytes()
    world.restore(state)
    assert follow_ramp(world, start, 20).tobytes() == first
    world.reset()
    assert world.drives.step == 0.001
    follow_ramp(world, start, 2, 0.0004)
    world.restore(state)
    assert follow_ramp(world, start, 20).tobytes() == first


def test_gains_bear_the_longest_step(make, arm):
    """In shorter steps a gain is limited as before."""
    limits = []
    for period in (0.004, PERIOD):
        world = make(arm)
        world.simulate(period)
        groups = {
            name: each.gains.model_copy(update={'kp': 1e7}) for name, each in arm.groups.items()
        }
        world.set_gains(groups)
        limits.append(world.drives.kp.tolist())
    assert limits[0] == limits[1]
