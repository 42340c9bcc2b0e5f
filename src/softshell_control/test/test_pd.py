"""PD control as servos give it, alone and through a mechanism that several joints share."""

import numpy as np
import pytest

from softshell_control.drives.motors import Motors
from softshell_control.drives.pd import Drives
from softshell_control.drives.pd_kernels import KNEE
from softshell_kinematics.errors import SoftshellError

STEP = 0.001
KP, KD = np.array([10.0, 20.0]), np.array([0.1, 0.2])


@pytest.fixture
def servos():
    """Two motors of 1.5 and 2 N m at up to 6 rad/s, a joint each."""
    drives = Drives(
        Motors(np.array([1.5, 2.0]), np.array([6.0, 6.0])),
        [0, 1],
        np.ones(2),
        np.zeros(2),
        STEP,
    )
    drives.kp[:], drives.kd[:] = KP, KD
    return drives


def effort(drives, position, velocity, target=None, pace=None):
    zeros = np.zeros(len(drives.effort))
    vectors = [zeros if v is None else np.array(v, float) for v in (target, pace)]
    drives.compute(np.array(position, float), np.array(velocity, float), *vectors)
    return drives.effort


def test_the_effort_is_that_of_a_spring_and_a_damper(servos):
    """Inside all limits τ = kp (θd − θ) + kd (θ̇d − θ̇)."""
    result = effort(servos, [0.1, -0.02], [0.5, -0.4], [0.2, 0.0], [1.0, 0.0])
    assert result == pytest.approx([10 * 0.1 + 0.1 * 0.5, 20 * 0.02 + 0.2 * 0.4])


def test_no_error_makes_more_than_the_largest_effort(servos):
    """However large the error, the effort is the motor's limit, either way."""
    assert effort(servos, [-1e9, 1e9], [0.0, 0.0]).tolist() == [1.5, -2.0]


def test_effort_falls_to_nothing_at_the_speed_limit(servos):
    """Effort falls from the knee to nothing at the speed limit; braking keeps all of it."""
    half = 6.0 * (KNEE + 1.0) / 2.0
    assert effort(servos, [-9.0, 9.0], [half, -half]) == pytest.approx([0.75, -1.0])
    assert effort(servos, [-9.0, 9.0], [6.0, -6.5]) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert effort(servos, [9.0, -9.0], [6.5, -6.5]) == pytest.approx([-1.5, 2.0])


def test_a_load_moves_a_joint_by_the_load_over_kp(servos):
    """Under a load a joint rests where kp times its error is the load: here I θ̈ = τ + load."""
    position, velocity, load, step, inertia = np.zeros(2), np.zeros(2), 0.5, 1e-3, 1e-3
    for _ in range(5000):
        velocity += (effort(servos, position, velocity) + load) / inertia * step
        position += velocity * step
    assert position == pytest.approx(load / KP, abs=1e-9)


def random_mechanisms(seed):
    """Three motors that move 1, 6 and 3 joints, random in everything, and a random state."""
    random = np.random.default_rng(seed)
    source = np.array([0, 1, 2, 1, 1, 1, 1, 1, 2, 2])
    multiplier = random.uniform(-2.0, 2.0, 10)
    multiplier[:3] = 1.0
    drives = Drives(
        Motors(random.uniform(0.5, 2.0, 3), random.uniform(2.0, 8.0, 3)),
        source,
        multiplier,
        random.uniform(-1.0, 1.0, 10) * (np.arange(10) > 2),
        STEP,
    )
    drives.kp[:], drives.kd[:] = random.uniform(0.1, 40.0, 10), random.uniform(0.0, 0.5, 10)
    state = [random.normal(0.0, 1.0, 10) * 10.0 ** random.uniform(-3.0, 1.0) for _ in range(4)]
    return drives, state


def unlimited(drives, state):
    """(joints,) efforts of the PD law alone."""
    position, velocity, target, pace = state
    return drives.kp * (target - position) + drives.kd * (pace - velocity)


@pytest.mark.parametrize('seed', range(40))
def test_a_motor_never_gives_more_than_it_has(seed):
    """Σ m_i τ_i over a mechanism is what its motor gives, and that is at most its effort."""
    drives, state = random_mechanisms(seed)
    drives.compute(*state)
    sums = np.bincount(drives.source, drives.multiplier * drives.effort)
    scale = np.abs(unlimited(drives, state)).max()
    assert sums == pytest.approx(drives.motor_effort, abs=1e-12 * (1.0 + scale))
    assert (np.abs(drives.motor_effort) <= drives.motors.effort).all()


@pytest.mark.parametrize('seed', range(40))
def test_loads_between_the_joints_of_a_mechanism_are_kept(seed):
    """The limit changes each joint's effort as a move of the motor would: by c kp_i m_i."""
    drives, state = random_mechanisms(seed)
    drives.compute(*state)
    change = drives.effort - unlimited(drives, state)
    moved = change / (drives.kp * drives.multiplier)
    scale = 1.0 + np.abs(moved).max()
    for motor in range(3):
        own = moved[drives.source == motor]
        assert own == pytest.approx(np.full(len(own), own[0]), abs=1e-9 * scale)


def test_a_mechanism_is_limited_in_sum_and_not_by_joint():
    """Six joints that pull against each other get all they want from a motor of 1 N m.

    When all pull the same way they get 1 N m together, equal joints a sixth each. A load on one
    joint of 3 N m against 0.5 N m on each other is carried, as it is 0.5 N m in sum.
    """
    drives = Drives(
        Motors(np.array([1.0]), np.array([6.0])), [0] * 6, np.ones(6), np.zeros(6), STEP
    )
    drives.kp[:] = 10.0
    against = np.array([0.4, -0.4, 0.5, -0.5, 0.3, -0.3])
    assert effort(drives, -against, np.zeros(6)) == pytest.approx(10.0 * against)
    assert drives.motor_effort == pytest.approx([0.0], abs=1e-12)
    assert effort(drives, -np.ones(6), np.zeros(6)) == pytest.approx(np.full(6, 1 / 6))
    loads = np.array([3.0, -0.5, -0.5, -0.5, -0.5, -0.5])
    assert effort(drives, -loads / 10.0, np.zeros(6)) == pytest.approx(loads)
    assert drives.motor_effort == pytest.approx([0.5])


def test_the_speed_of_a_mechanism_is_that_of_its_motor():
    """Joints with multipliers 1 and −2 that move alike at the motor's speed limit get nothing."""
    motor = Motors(np.array([1.0]), np.array([6.0]))
    drives = Drives(motor, [0, 0], np.array([1.0, -2.0]), np.zeros(2), STEP)
    drives.kp[:] = 5.0, 10.0
    result = effort(drives, [0.0, 0.0], [6.0, -12.0], [1.0, -2.0], [6.0, -12.0])
    assert drives.motor_effort == pytest.approx([0.0], abs=1e-12)
    assert result @ drives.multiplier == pytest.approx(0.0, abs=1e-12)


def test_power_of_the_motors_is_power_on_the_joints():
    """While a mechanism moves alike, Σ τ_i θ̇_i over its joints is the motor's S' q̇."""
    drives, state = random_mechanisms(7)
    rates = np.array([0.7, -0.2, 0.4])
    state[1] = drives.multiplier * rates[drives.source]
    drives.compute(*state)
    assert drives.effort @ state[1] == pytest.approx(drives.motor_effort @ rates)


@pytest.mark.parametrize('seed', range(10))
def test_released_motors_give_nothing(seed):
    """Motors that give way give exactly 0, and so does a single joint, however it moves."""
    drives, state = random_mechanisms(seed)
    drives.release(*state[:2])
    assert not drives.motor_effort.any()
    assert drives.effort[0] == 0.0
    sums = np.bincount(drives.source, drives.multiplier * drives.effort)
    assert sums == pytest.approx(np.zeros(3), abs=1e-12 * (1.0 + np.abs(drives.effort).max()))


def test_released_mechanism_stays_together():
    """Where its joints agree at any position there is no effort; where not, kp pulls them back."""
    offset = np.array([0.0, 0.3])
    drives = Drives(Motors(np.ones(1), np.ones(1)), [0, 0], np.array([1.0, -1.0]), offset, STEP)
    drives.kp[:] = 8.0
    for motor in (0.0, 0.7):
        position = drives.multiplier * motor + offset
        drives.release(position, np.zeros(2))
        assert drives.effort == pytest.approx(np.zeros(2), abs=1e-12)
        drives.release(position + [0.1, 0.0], np.zeros(2))
        assert drives.effort == pytest.approx([-8.0 * 0.05, -8.0 * 0.05])


def test_a_motor_without_a_joint_is_refused():
    """Two motors and one joint that hangs on the first are refused, with the numbers."""
    with pytest.raises(SoftshellError, match=r'1 joints are moved by motors \[0\]; .* 0 to 1'):
        Drives(Motors(np.ones(2), np.ones(2)), [0], np.ones(1), np.zeros(1), STEP)
