"""The dead man's switch: held keys drive, and keys that are not repeated are released."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_dashboard.driving import Driving
from softshell_kinematics.errors import UnknownNameError
from softshell_teleop.commands import Twist
from softshell_teleop.core import DIRECTIONS
from softshell_teleop.settings import Drive

DRIVE = Drive(
    linear=0.1, angular=0.5, rate=20.0, speed_step=1.25, speed_minimum=0.5, speed_maximum=2.0
)
STILL = (0.0, 0.0, 0.0)


def test_velocities_are_sent_at_once_and_then_at_a_fixed_rate():
    driving = Driving(DRIVE, 0.6)
    assert driving.hold(['forward'], STILL, 0.0) == Twist(0.1, 0.0, 0.0)
    assert driving.hold(['forward'], STILL, 0.01) is None
    assert driving.step(0.04) is None
    assert driving.step(0.05) == Twist(0.1, 0.0, 0.0)


def test_a_release_sends_one_zero_velocity():
    driving = Driving(DRIVE, 0.6)
    driving.hold(['turn_left'], STILL, 0.0)
    assert driving.hold([], STILL, 0.1) == Twist()
    assert driving.hold([], STILL, 0.2) is None
    assert driving.step(5.0) is None
    assert not driving.moves


def test_keys_that_are_not_repeated_are_released():
    driving = Driving(DRIVE, 0.6)
    driving.hold(['forward'], STILL, 0.0)
    assert driving.step(0.6) == Twist(0.1, 0.0, 0.0)
    assert driving.step(0.61) == Twist()
    assert driving.step(0.7) is None


def test_after_a_stop_what_is_still_held_moves_nothing_until_it_is_let_go():
    driving = Driving(DRIVE, 0.6)
    driving.hold(['forward'], STILL, 0.0)
    assert driving.stop() == Twist()
    for number in range(1, 20):  # the page repeats what is held
        assert driving.hold(['forward'], STILL, 0.1 * number) is None
        assert driving.step(0.1 * number + 0.05) is None
    assert driving.stop() is None
    assert driving.hold(['forward'], STILL, 2.0) is None
    driving.hold([], STILL, 2.1)
    assert driving.hold(['forward'], STILL, 2.2) == Twist(0.1, 0.0, 0.0)


def test_after_a_stop_only_a_key_that_is_newly_pressed_counts():
    """Also after that one was not repeated in time."""
    driving = Driving(DRIVE, 0.6)
    driving.hold(['forward'], STILL, 0.0)
    driving.stop()
    assert driving.hold(['forward', 'turn_left'], STILL, 0.1) == Twist(0.0, 0.0, 0.5)
    assert driving.step(0.8) == Twist()
    assert driving.hold(['forward'], STILL, 0.9) is None
    assert driving.hold(['turn_left'], STILL, 1.0) == Twist(0.0, 0.0, 0.5)
    assert driving.hold(['turn_left', 'forward'], STILL, 1.1) == Twist(0.1, 0.0, 0.5)


def test_a_stop_counts_for_pads_and_for_keys_that_were_not_repeated_in_time():
    driving = Driving(DRIVE, 0.6)
    driving.hold(['left'], (0.5, 0.0, 0.0), 0.0)
    assert driving.step(0.7) == Twist()
    assert driving.stop() is None
    assert driving.hold(['left'], (0.6, 0.2, 0.0), 0.8) is None
    assert driving.hold([], STILL, 0.9) is None
    assert driving.hold([], (1.0, 0.0, 0.0), 1.0) == Twist(0.1, 0.0, 0.0)


def test_what_one_visitor_held_at_a_stop_does_not_bind_the_next():
    driving = Driving(DRIVE, 0.6)
    driving.hold(['forward'], STILL, 0.0)
    driving.stop()
    assert driving.release() is None
    assert driving.hold(['forward'], STILL, 0.1) == Twist(0.1, 0.0, 0.0)


def test_a_diagonal_is_no_faster_and_a_stick_adds():
    driving = Driving(DRIVE, 0.6)
    twist = driving.hold(['forward', 'left'], (0.0, 0.0, -0.5), 0.0)
    assert (twist.forward**2 + twist.left**2) ** 0.5 == pytest.approx(0.1)
    assert twist.turn == pytest.approx(-0.25)


def test_a_stick_that_hardly_moves_is_still():
    assert Driving(DRIVE, 0.6).hold([], (0.01, -0.01, 0.0), 0.0) is None


def test_the_speed_stays_within_its_range():
    driving = Driving(DRIVE, 0.6)
    driving.speed = 9.0
    assert driving.speed == 2.0
    assert driving.hold(['backward'], STILL, 0.0) == Twist(-0.2, 0.0, 0.0)


def test_an_unknown_command_moves_nothing():
    driving = Driving(DRIVE, 0.6)
    with pytest.raises(UnknownNameError, match='drive command'):
        driving.hold(['fly'], STILL, 0.0)
    assert not driving.moves


steps = st.lists(
    st.tuples(
        st.floats(0.001, 1.5),
        st.none() | st.tuples(
            st.sets(st.sampled_from(sorted(DIRECTIONS)), max_size=3),
            st.tuples(*[st.floats(-1.0, 1.0)] * 3),
        ),
    ),
    max_size=30,
)  # fmt: skip


@given(steps=steps)
def test_the_last_velocity_is_zero_and_none_is_too_fast(steps):
    """Also: no velocity other than zero is sent later than the timeout after the last `hold`."""
    driving, now, said_at, sent = Driving(DRIVE, 0.6), 0.0, 0.0, [Twist()]
    for wait, held in steps:
        now += wait
        one = driving.step(now)
        if one is not None:
            sent.append(one)
            assert one == Twist() or now - said_at <= 0.6 + 1e-9
        if held is not None:
            said_at = now
            one = driving.hold(*held, now)
            sent += [one] if one is not None else []
    for _ in range(20):
        now += 0.1
        one = driving.step(now)
        sent += [one] if one is not None else []
    assert sent[-1] == Twist()
    assert all((one.forward**2 + one.left**2) ** 0.5 <= 0.1 + 1e-12 for one in sent)
    assert all(abs(one.turn) <= 0.5 for one in sent)
