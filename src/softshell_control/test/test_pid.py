"""PID, feed-forward, modes and changes of gains, on one joint that is integrated here."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from softshell_control.drives.motors import Mode, Motors
from softshell_control.drives.pd import Drives

STEP = 1e-4
INERTIA = 0.01


def servo(kp=10.0, kd=0.2, ki=0.0, effort=1e3, step=STEP, **motor):
    """Drives of one motor that is as strong as said, and else without a limit."""
    motors = Motors(np.array([effort]), np.array([1e9]), **motor)
    drives = Drives(motors, [0], np.ones(1), np.zeros(1), step)
    drives.set_gains(*(np.array([gain]) for gain in (kp, kd, ki)))
    return drives


def run(drives, seconds, target=0.0, load=0.0, state=(0.0, 0.0), inertia=INERTIA, pace=0.0):
    """(steps, 3) position, speed and effort of a joint that starts in a state [rad], [rad/s]."""
    position, velocity = (np.array([value]) for value in state)
    rows = []
    for _ in range(round(seconds / drives.step)):
        drives.compute(position, velocity, np.array([target]), np.array([pace]))
        velocity += (drives.effort + load) / inertia * drives.step
        position += velocity * drives.step
        rows.append((position[0], velocity[0], drives.effort[0]))
    return np.array(rows)


def test_step_response_is_that_of_the_differential_equation():
    """PID with a load and feed-forward follows the ODE's solution within its integration error."""
    drives = servo(ki=30.0)
    drives.set_feed_forward(np.array([0.1]))
    found = run(drives, 0.8, target=0.3, load=-0.5)

    def rate(_, x):
        effort = 10.0 * (0.3 - x[0]) - 0.2 * x[1] + 30.0 * x[2] + 0.1 - 0.5
        return [x[1], effort / INERTIA, 0.3 - x[0]]

    times = np.arange(1, len(found) + 1) * STEP
    exact = solve_ivp(rate, (0.0, times[-1]), [0.0] * 3, t_eval=times, rtol=1e-9, atol=1e-12)
    assert found[:, 0] == pytest.approx(exact.y[0], abs=5e-4)
    assert np.ptp(exact.y[0]) > 0.3


def test_the_integral_leaves_no_error_and_carries_the_load():
    """At rest under a load the error is 0 and the effort is the load."""
    position, speed, effort = run(servo(ki=30.0), 5.0, target=0.2, load=-0.7)[-1]
    assert (position, speed) == pytest.approx((0.2, 0.0), abs=1e-6)
    assert effort == pytest.approx(0.7, abs=1e-5)


def test_a_blocked_joint_does_not_wind_up():
    """Held for 10 s away from its target, a joint overshoots no more than after 1 s."""
    overshoots = []
    for seconds in (1.0, 10.0):
        drives = servo(ki=30.0, effort=1.0)
        zero = np.zeros(1)
        for _ in range(round(seconds / STEP)):
            drives.compute(zero, zero, np.array([0.5]), zero)
        assert drives.motor_effort[0] == 1.0
        overshoots.append(run(drives, 3.0, target=0.5)[:, 0].max() - 0.5)
    assert overshoots[1] <= overshoots[0] + 1e-12


def test_the_integral_stays_inside_the_motors_effort():
    """An error too small to saturate makes the integral 1 N m at most: it is unwound at once."""
    drives, zero = servo(kp=0.0, kd=0.0, ki=50.0, effort=1.0), np.zeros(1)
    for _ in range(30000):
        drives.compute(zero, zero, np.array([0.01]), zero)
    assert drives.motor_effort[0] == pytest.approx(1.0)
    drives.compute(zero, zero, np.array([-1.0]), zero)
    drives.compute(zero, zero, np.array([-1.0]), zero)
    assert drives.motor_effort[0] == pytest.approx(1.0 - 50.0 * STEP)


@pytest.mark.parametrize('gains', [(25.0, 0.2, 30.0), (10.0, 0.2, 90.0), (10.0, 0.5, 0.0)])
def test_gains_change_without_a_jump(gains):
    """The effort goes on where it was, and comes to what the new gains want."""
    drives = servo(ki=30.0)
    position, velocity = np.array([0.1]), np.array([0.4])
    target, rest = np.array([0.3]), np.zeros(1)
    for _ in range(3000):
        drives.compute(position, velocity, target, rest)
    before = drives.effort[0]
    integral = before - 10.0 * 0.2 + 0.2 * 0.4
    drives.set_gains(*(np.array([gain]) for gain in gains))
    drives.compute(position, velocity, target, rest)
    assert drives.effort[0] == pytest.approx(before, abs=30.0 * 0.2 * STEP * 2)
    for _ in range(10000):
        drives.compute(position, velocity, target, rest)
    kp, kd, ki = gains
    kept = integral + ki * 0.2 * 10001 * STEP if ki else 0.0
    assert drives.effort[0] == pytest.approx(kp * 0.2 - kd * 0.4 + kept, rel=1e-3, abs=1e-6)


def test_gains_that_change_at_every_step_still_control():
    """An inertia follows its target while kp goes to and fro; the same gains again change nothing.

    With the mean of both it would follow as well: in a second it is there within 1 %.
    """
    drives, same = servo(kp=10.0, kd=0.4), servo(kp=10.0, kd=0.4)
    state, target, zero = np.zeros(2), np.array([0.3]), np.zeros(1)
    for step in range(10000):
        kp = 10.0 + 3.0 * np.sin(0.01 * step)
        drives.set_gains(np.array([kp]), np.array([0.4]), zero)
        drives.compute(state[:1], state[1:], target, zero)
        state[1] += drives.effort[0] / INERTIA * STEP
        state[0] += state[1] * STEP
    assert state[0] == pytest.approx(0.3, rel=0.01)
    fresh = servo(kp=10.0, kd=0.4)
    for step in range(100):
        position = np.array([0.001 * step])
        same.set_gains(np.array([10.0]), np.array([0.4]), zero)
        for each in (same, fresh):
            each.compute(position, zero, target, zero)
        assert same.effort[0] == fresh.effort[0]


def test_a_motor_that_is_off_gives_nothing_and_one_by_effort_gives_that():
    """OFF: 0; EFFORT: the feed-forward, up to the motor's effort; both whatever the error."""
    drives, zero = servo(ki=5.0, effort=2.0), np.zeros(1)
    for mode, asked, given in (
        (Mode.OFF, 1.3, 0.0),
        (Mode.EFFORT, 1.3, 1.3),
        (Mode.EFFORT, -9.0, -2.0),
    ):
        drives.set_mode([mode])
        drives.set_feed_forward(np.array([asked]))
        drives.compute(zero, zero, np.array([0.5]), zero)
        assert drives.motor_effort[0] == drives.effort[0] == given


def test_locked_velocity_turns_evenly_whatever_the_load():
    """It reaches the target velocity under a load, and does not catch up after being blocked."""
    drives = servo(kp=10.0, kd=0.4, effort=2.0)
    drives.set_mode([Mode.VELOCITY])
    assert run(drives, 3.0, load=-0.8, pace=1.5, state=(0.4, 0.0))[-1, 1] == pytest.approx(1.5)
    zero = np.zeros(1)
    for _ in range(20000):
        drives.compute(zero, zero, zero, np.array([1.5]))
    assert drives.effort[0] == 2.0
    later = run(drives, 3.0, pace=1.5)
    # From a spring that is wound up to the motor's effort, 0.2 rad, and no further.
    assert later[-1, 0] == pytest.approx(1.5 * 3.0 + 0.2, abs=0.1)
    assert later[-1, 1] == pytest.approx(1.5)


def test_released_motors_forget_their_integral():
    """After giving way, a joint at its target gets nothing."""
    drives, zero = servo(ki=30.0), np.zeros(1)
    for _ in range(100):
        drives.compute(zero, zero, np.array([0.2]), zero)
    drives.release(zero, zero)
    assert drives.effort[0] == 0.0
    drives.compute(zero, zero, zero, zero)
    assert drives.effort[0] == 0.0


def test_what_is_saved_goes_on_bit_for_bit():
    """Integral, heat, delayed commands and reference go on from `restore` as they did."""
    drives = servo(
        ki=30.0, effort=2.0, step=1e-3, delay=0.007, heat_loss=9.0, heat_capacity=0.1,
        ambient=25.0, derate_from=30.0, hottest=60.0, backlash=0.01,
    )  # fmt: skip
    for mode in (Mode.PID, Mode.VELOCITY):
        drives.forget()
        drives.set_mode([mode])
        last = run(drives, 0.05, target=0.5, pace=0.3)[-1]
        saved = drives.save()
        runs = [run(drives, 0.1, target=0.2, state=last[:2], pace=0.3)]
        drives.restore(saved)
        runs.append(run(drives, 0.1, target=0.2, state=last[:2], pace=0.3))
        assert runs[0].tobytes() == runs[1].tobytes()
        drives.forget()
        assert drives.temperature[0] == 25.0
        assert run(drives, 0.1, target=0.2, state=last[:2]).tobytes() != runs[0].tobytes()
