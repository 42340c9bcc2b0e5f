"""Motion of pendulums, balls and motors against closed forms and scipy, on every engine."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.shapes import Sphere

STEP, GRAVITY = 0.001, 9.81
#: Of the pendulum in conftest.py.
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
INERTIA, WEIGHT = MOMENT + MASS * LENGTH**2, MASS * GRAVITY * LENGTH


def swing(bench, body, seconds):
    """(steps, 2) angle and rate of the pendulum after each step."""
    found = np.empty((round(seconds / STEP), 2))
    for row in found:
        bench.engine.step()
        row[:] = np.ravel(bench.joints(body))
    return found


@pytest.mark.parametrize('angle', [0.3, 1.0, 1.8])
def test_period_of_a_pendulum(start, angle):
    """It swings with 4 K(sin²(θ0/2)) √(I/(m g l)), K the complete elliptic integral."""
    bench = start()
    period = 4.0 * ellipk(np.sin(angle / 2.0) ** 2) * np.sqrt(INERTIA / WEIGHT)
    angles = swing(bench, bench.pendulum(angle), 2.3 * period)[:, 0]
    falls = np.flatnonzero((angles[:-1] > 0.0) & (angles[1:] <= 0.0))
    moments = falls + angles[falls] / (angles[falls] - angles[falls + 1])
    assert np.diff(moments)[0] * STEP == pytest.approx(period, rel=1e-3)


def test_energy_of_a_pendulum(start):
    """I ω²/2 + m g l (1 − cos θ) stays within 0.5 % over ten seconds of a wide swing.

    Position and speed are half a step apart in symplectic Euler, so the speed is the mean of two.
    """
    bench = start()
    found = swing(bench, bench.pendulum(1.8), 10.0)
    angle, rate = found[:-1, 0], (found[:-1, 1] + found[1:, 1]) / 2.0
    energy = INERTIA * rate**2 / 2.0 + WEIGHT * (1.0 - np.cos(angle))
    assert energy == pytest.approx(WEIGHT * (1.0 - np.cos(1.8)), rel=5e-3)


def test_step_response_under_control(start):
    """A pendulum on a spring and a damper moves as scipy integrates I θ'' = τ − m g l sin θ."""
    bench, kp, kd, goal = start(), 40.0, 1.5, 0.8
    body = bench.pendulum()

    def effort(angle, rate):
        return kp * (goal - angle) - kd * rate

    found = np.empty((1000, 2))
    for row in found:
        angle, rate = bench.joints(body)
        bench.engine.apply_effort(body, effort(angle, rate))
        bench.engine.step()
        row[:] = np.ravel(bench.joints(body))

    def derivative(_, state):
        return state[1], (effort(*state) - WEIGHT * np.sin(state[0])) / INERTIA

    times = STEP * np.arange(1, 1001)
    exact = solve_ivp(derivative, (0.0, 1.0), (0.0, 0.0), t_eval=times, rtol=1e-10, atol=1e-12)
    # Effort is held for a step: it is off by about half a step's way.
    assert found[:, 0] == pytest.approx(exact.y[0], abs=np.abs(exact.y[1]).max() * STEP)


def ball_on_floor(bench, friction):
    """A ball of 0.1 m and 1 kg on a floor."""
    rough = Surface(friction)
    bench.floor(rough)
    return bench.engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(z=0.1), rough))


def launch(bench, ball, speed, spin):
    """Let a ball go along x that turns about y."""
    velocity, turn = np.array([speed, 0.0, 0.0]), np.array([0.0, spin, 0.0])
    bench.engine.place(ball, BodyState(np.array([0.0, 0.0, 0.1]), np.array([0.0, 0, 0, 1]),
                                       velocity, turn))  # fmt: skip


@pytest.mark.parametrize(('speed', 'spin'), [(1.0, 0.0), (0.0, 20.0), (0.5, -10.0)])
def test_a_sliding_ball_comes_to_roll(start, speed, spin):
    """Friction, however large, leaves (5 v + 2 r w)/7: it has no moment about the floor's line."""
    for friction in (0.4, 0.8):
        bench = start()
        ball = ball_on_floor(bench, friction)
        launch(bench, ball, speed, spin)
        bench.run(1.0)
        state, rolling = bench.state(ball), (5.0 * speed + 2.0 * 0.1 * spin) / 7.0
        assert state.linear_velocity[0] == pytest.approx(rolling, abs=0.01)
        assert 0.1 * state.angular_velocity[1] == pytest.approx(rolling, abs=0.01)


def test_a_ball_slides_before_it_rolls(start):
    """It slows down with μ g and spins up with 5 μ g/(2 r) until 2 v/(7 μ g)."""
    bench, friction = start(), 0.2
    ball = ball_on_floor(bench, np.sqrt(friction))
    bench.engine.set_pair_surface(ball, bench.engine.bodies['floor'], Surface(friction))
    launch(bench, ball, 2.0, 0.0)
    end = 2.0 * 2.0 / (7.0 * friction * GRAVITY)
    bench.run(0.5 * end)
    state, time = bench.state(ball), round(0.5 * end / STEP) * STEP
    assert state.linear_velocity[0] == pytest.approx(2.0 - friction * GRAVITY * time, abs=0.01)
    spin = 2.5 * friction * GRAVITY * time / 0.1
    assert state.angular_velocity[1] == pytest.approx(spin, rel=0.02)


@pytest.mark.parametrize('angle', [0.2, 0.5])
def test_a_ball_rolls_down_a_slope(start, angle):
    """Without slipping it gains 5/7 g sin θ; gravity leans here instead of the floor."""
    bench = start()
    ball = ball_on_floor(bench, 1.0)
    bench.engine.set_gravity(GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)]))
    bench.run(1.0)
    speed = 5.0 / 7.0 * GRAVITY * np.sin(angle)
    assert bench.state(ball).linear_velocity[0] == pytest.approx(speed, rel=0.01)
