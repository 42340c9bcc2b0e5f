"""The gate lets nothing through that a channel must not do, and changes nothing it may."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.reason import Reason, ReasonCode
from softshell_control.channel import Channel, Limits, limits_of
from softshell_control.gate import Command, gate
from softshell_description.form import ChannelKind
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

PERIOD = 0.004
INF = float('inf')


def joint(name, lower, upper, rate, acceleration):
    return Channel(name, ChannelKind.POSITION, 'rad', lower, upper, rate, acceleration, 0.05)


LIMITS = Limits((joint('a', -1.0, 1.5, 6.0, 100.0), joint('b', -2.0, 0.0, 2.0, 30.0)))
#: A joint and three channels that are none; only lengths move something, and may not jump in rate.
MIXED = Limits(
    (
        joint('elbow', -1.0, 1.5, 6.0, 100.0),
        Channel('tendon', ChannelKind.TENSION, 'N', 2.0, 80.0, 200.0, INF, 1.0),
        Channel('bellows', ChannelKind.PRESSURE, 'kPa', -20.0, 300.0, 900.0, INF, 5.0),
        Channel('winch', ChannelKind.LENGTH, 'm', 0.1, 0.4, 0.25, 2.0, 0.002),
    )
)
ANYTHING = st.floats(allow_nan=True, allow_infinity=True, width=64)
MOSTLY_SANE = st.one_of(st.floats(-3.0, 3.0), ANYTHING)
MIXED_SANE = st.one_of(st.floats(-400.0, 400.0), ANYTHING)


def inside(limits):
    """Any values within the ranges."""
    return st.tuples(*[st.floats(each.lower, each.upper) for each in limits.channels])


def slew(wanted, steps, last=None, limits=LIMITS):
    """Gate the same wish again and again; (steps, channels) values and rates."""
    safe = last or Command.at_rest(np.zeros(len(limits.names)))
    history = []
    for _ in range(steps):
        safe, _ = gate(wanted, safe, limits, PERIOD)
        history.append((safe.value, safe.rate))
    return np.array([h[0] for h in history]), np.array([h[1] for h in history])


def assert_nothing_unsafe(wishes, begin, limits):
    last = Command.at_rest(np.array(begin))
    for value, rate in wishes:
        safe, _ = gate(Command(np.array(value), np.array(rate)), last, limits, PERIOD)
        assert np.isfinite(safe.value).all()
        assert np.isfinite(safe.rate).all()
        assert (safe.value >= limits.lower).all()
        assert (safe.value <= limits.upper).all()
        assert (np.abs(safe.rate) <= limits.rate * (1.0 + 1e-9)).all()
        change = np.abs(safe.rate - last.rate) / PERIOD
        assert (change <= limits.acceleration * (1.0 + 1e-6) + 1e-6).all()
        moved = last.value + safe.rate * PERIOD
        assert safe.value == pytest.approx(moved, rel=1e-12, abs=1e-12)
        last = safe


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.tuples(*[MOSTLY_SANE] * 2), st.tuples(*[MOSTLY_SANE] * 2)),
        min_size=1,
        max_size=60,
    ),
    inside(LIMITS),
)
def test_nothing_unsafe_passes(wishes, begin):
    """Whatever comes in: finite, inside the limits, speed and acceleration bounded, consistent."""
    assert_nothing_unsafe(wishes, begin, LIMITS)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.tuples(*[MIXED_SANE] * 4), st.tuples(*[MIXED_SANE] * 4)),
        min_size=1,
        max_size=40,
    ),
    inside(MIXED),
)
def test_nothing_unsafe_passes_on_any_kind_of_channel(wishes, begin):
    """Tensions, pressures and lengths beside a joint: each one finite, in range, rate-limited."""
    assert_nothing_unsafe(wishes, begin, MIXED)


@settings(max_examples=100, deadline=None)
@given(st.floats(-1.0, 1.5), st.floats(-1.0, 1.5))
def test_arrives_without_overshoot(begin, goal):
    """From rest a joint arrives at any goal, never beyond it, and stays there exactly."""
    start = Command.at_rest(np.array([begin, 0.0]))
    values, rates = slew(Command.at_rest(np.array([goal, 0.0])), 400, start)
    low, high = sorted((begin, goal))
    assert values[:, 0].min() >= low - 1e-12
    assert values[:, 0].max() <= high + 1e-12
    assert values[-1, 0] == pytest.approx(goal, abs=1e-12)
    assert rates[-1, 0] == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(inside(MIXED), inside(MIXED))
def test_every_channel_arrives_on_its_own_without_overshoot(begin, goal):
    """Each channel reaches its goal and none passes it, as if it were alone."""
    start, wanted = Command.at_rest(np.array(begin)), Command.at_rest(np.array(goal))
    values, rates = slew(wanted, 400, start, MIXED)
    low, high = np.minimum(begin, goal), np.maximum(begin, goal)
    assert (values >= low - 1e-9).all()
    assert (values <= high + 1e-9).all()
    assert values[-1] == pytest.approx(np.array(goal), abs=1e-9)
    assert rates[-1] == pytest.approx(0.0, abs=1e-6)
    for column, channel in enumerate(MIXED.channels):
        alone, _ = slew(
            Command.at_rest([goal[column]]),
            400,
            Command.at_rest([begin[column]]),
            Limits((channel,)),
        )
        assert values[:, column].tolist() == alone[:, 0].tolist()


def test_slew_is_time_optimal():
    """A jump takes as long as the closed form of bang-bang with a cruise: d/v + v/a."""
    values, rates = slew(Command.at_rest(np.array([1.2, 0.0])), 200)
    needed = np.argmax(np.abs(values[:, 0] - 1.2) < 1e-9) + 1
    assert rates[:, 0].max() == pytest.approx(6.0)
    assert needed * PERIOD == pytest.approx(1.2 / 6.0 + 6.0 / 100.0, abs=2 * PERIOD)


@settings(max_examples=200, deadline=None)
@given(st.floats(2.0, 80.0), st.floats(2.0, 80.0))
def test_a_tension_step_takes_distance_over_rate(begin, goal):
    """Without a limit of acceleration it ramps at full rate from the first tick to the last."""
    start = Command.at_rest([0.0, begin, 0.0, 0.1])
    values, rates = slew(Command.at_rest([0.0, goal, 0.0, 0.1]), 150, start, MIXED)
    step = 200.0 * PERIOD
    ramp = begin + np.clip(goal - begin, -step * np.arange(1, 151), step * np.arange(1, 151))
    assert values[:, 1] == pytest.approx(ramp, abs=1e-9)
    ticks = math.ceil(abs(goal - begin) / step - 1e-9)
    assert values[max(ticks - 1, 0), 1] == pytest.approx(goal, abs=1e-9)
    assert np.abs(rates[: max(ticks - 1, 0), 1]) == pytest.approx(200.0)
    assert values[ticks:, 1].tolist() == [pytest.approx(goal, abs=1e-12)] * (150 - ticks)


def test_possible_motion_passes_unchanged():
    """A smooth motion within the limits goes through as it is, without any reason."""
    last = Command.at_rest(np.array([0.0, -1.0]))
    for tick in range(1, 500):
        time = tick * PERIOD
        wish = Command(
            np.array([0.5 * (1 - np.cos(6 * time)), -1.0 + 0.2 * np.sin(4 * time) ** 2]),
            np.array([3.0 * np.sin(6 * time), 0.8 * np.sin(8 * time)]),
        )
        last, reasons = gate(wish, last, LIMITS, PERIOD)
        assert last.value == pytest.approx(wish.value, abs=1e-12)
        assert reasons == ()


def test_a_tension_may_jump_in_rate():
    """A triangle wave, whose rate jumps, passes a tendon unchanged as long as it is no faster."""
    last = Command.at_rest([0.0, 40.0, 0.0, 0.1])
    for tick in range(1, 400):
        phase = tick % 80
        height, rate = (phase, 199.0) if phase < 40 else (80 - phase, -199.0)
        wish = Command(
            np.array([0.0, 40.0 + height * 199.0 * PERIOD, 0.0, 0.1]),
            np.array([0.0, rate, 0.0, 0.0]),
        )
        last, reasons = gate(wish, last, MIXED, PERIOD)
        assert last.value == pytest.approx(wish.value, abs=1e-9)
        assert reasons == ()


def test_reasons_name_what_was_done():
    """Each kind of limit has its code, and the text names the joint."""
    rest = Command.at_rest(np.array([0.0, 0.0]))

    def reason(value, rate=0.0, last=rest):
        wish = Command(np.array([value, 0.0]), np.array([rate, 0.0]))
        return {each.code: each.text for each in gate(wish, last, LIMITS, PERIOD)[1]}

    assert ReasonCode.NOT_FINITE in reason(np.nan)
    assert ReasonCode.NOT_FINITE in reason(0.0, np.inf)
    assert reason(1.6)[ReasonCode.OUT_OF_RANGE] == 'range limited: a'
    assert {ReasonCode.ACCELERATION, ReasonCode.RATE} & reason(0.5).keys()
    fast = Command(np.array([0.0, 0.0]), np.array([6.0, 0.0]))
    assert ReasonCode.RATE in reason(1.0, last=fast)


def test_reasons_of_a_channel_without_acceleration():
    """Its reasons are range and rate, never acceleration; every line lists its channels."""
    rest = Command.at_rest([0.0, 40.0, 100.0, 0.2])
    _, reasons = gate(Command.at_rest([0.0, 81.0, 290.0, np.nan]), rest, MIXED, PERIOD)
    assert reasons == (
        Reason(ReasonCode.NOT_FINITE, 'not finite: held: winch'),
        Reason(ReasonCode.OUT_OF_RANGE, 'range limited: tendon'),
        Reason(ReasonCode.RATE, 'rate limited: tendon, bellows'),
    )


def test_non_finite_wish_brings_the_joint_to_rest():
    """A wish that is not a number stops a moving joint by braking, not by a jump."""
    moving = Command(np.array([0.0, -1.0]), np.array([2.0, 0.0]))
    wish = Command(np.array([np.nan, -1.0]), np.zeros(2))
    values, rates = slew(wish, 60, moving)
    assert rates[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert values[:, 0].max() < 2.0**2 / (2 * 100.0) * 2 + 0.02


def test_non_finite_wish_holds_a_tension():
    """A tension has nothing to brake: it stays exactly where it was."""
    ramping = Command(np.array([0.0, 40.0, 0.0, 0.2]), np.array([0.0, 200.0, -900.0, 0.0]))
    wish = Command(np.array([0.0, np.nan, -np.inf, 0.2]), np.zeros(4))
    values, _ = slew(wish, 3, ramping, MIXED)
    assert values[:, 1:3].tolist() == [[40.0, 0.0]] * 3


def test_moves_back_inside_from_outside():
    """A joint measured outside its range at activation is brought back into it."""
    outside = Command.at_rest(np.array([1.7, 0.0]))
    values, _ = slew(Command.at_rest(np.array([1.7, 0.0])), 200, outside)
    assert (np.diff(values[:, 0]) <= 1e-12).all()
    assert values[-1, 0] == pytest.approx(1.5, abs=1e-9)


def test_a_slack_tendon_is_tightened_at_its_rate():
    """A tension measured below its range comes back into it, no faster than its rate."""
    slack = Command.at_rest([0.0, 0.0, 0.0, 0.2])
    values, _ = slew(Command.at_rest([0.0, 0.0, 0.0, 0.2]), 10, slack, MIXED)
    assert values[:, 1] == pytest.approx(np.minimum(0.8 * np.arange(1, 11), 2.0), abs=1e-12)


MARGIN = Limits((replace(LIMITS.channels[0], margin=0.2), LIMITS.channels[1]))


@settings(max_examples=100, deadline=None)
@given(st.floats(-1.0, 1.5), st.floats(-2.0, 2.5))
def test_a_margin_is_entered_by_no_command(begin, goal):
    """From anywhere to anywhere: no deeper in the margin than at the start, and no way back in."""
    start, wanted = Command.at_rest([begin, 0.0]), Command.at_rest([goal, 0.0])
    values, _ = slew(wanted, 400, start, MARGIN)
    assert values[:, 0].min() >= min(begin, -0.8)
    assert values[:, 0].max() <= max(begin, 1.3)
    assert values[-1, 0] == pytest.approx(np.clip(goal, min(begin, -0.8), max(begin, 1.3)))


def test_who_starts_within_the_margin_stays_there():
    """Held where it is measured it does not move at all, and is not limited."""
    for place in (1.5, 1.4, -0.9, -1.0):
        rest = Command.at_rest([place, 0.0])
        safe, reasons = gate(rest, rest, MARGIN, PERIOD)
        assert (safe.value.tolist(), reasons) == ([place, 0.0], ())
    _, reasons = gate(Command.at_rest([1.45, 0.0]), Command.at_rest([1.4, 0.0]), MARGIN, PERIOD)
    assert reasons == (Reason(ReasonCode.OUT_OF_RANGE, 'range limited: a'),)


def test_who_starts_outside_the_range_comes_back_to_its_end():
    """As without a margin: the range itself is what must be kept."""
    outside = Command.at_rest([1.7, 0.0])
    values, _ = slew(outside, 200, outside, MARGIN)
    assert values[-1, 0] == pytest.approx(1.5, abs=1e-9)


def test_the_margin_of_a_robot_is_a_part_of_every_joints_range():
    """Of 3 % of 2 rad, 0.06 rad at either end; by default there is none."""
    arm = load_robot('arm')
    ranges = [joint.upper - joint.lower for joint in arm.joints]
    assert limits_of(arm, position_margin=0.03).margin == pytest.approx(0.03 * np.array(ranges))
    assert not limits_of(arm).margin.any()


@pytest.mark.parametrize('period', [0.0, -0.004, math.nan, INF])
def test_without_time_the_last_command_is_kept(period):
    """Also in full motion: nothing changes, and the reason is told."""
    last = Command(np.array([0.3, -0.5]), np.array([2.0, 0.0]))
    safe, (reason,) = gate(Command.at_rest([1.0, -1.0]), last, LIMITS, period)
    assert (safe.value.tolist(), safe.rate.tolist()) == ([0.3, -0.5], [2.0, 0.0])
    assert reason.code is ReasonCode.TIME


@pytest.mark.parametrize('count', [0, 1, 3])
def test_a_command_of_a_wrong_size_is_held_as_a_whole(count):
    """No channel goes where it says; one that moves is braked."""
    last = Command(np.array([0.3, -0.5]), np.array([0.2, 0.0]))
    wanted = Command.at_rest(np.full(count, -1.0))
    safe, (reason, *_) = gate(wanted, last, LIMITS, PERIOD)
    assert reason == Reason(
        ReasonCode.SIZE, f'a command has the shape ({count},); expected (2,): held'
    )
    assert safe.value.tolist() == [0.3, -0.5]


def test_a_long_step_leaves_room_for_short_ones():
    """Steps of 8 ms, then of 2 ms: the end of the range is reached without a sharper brake.

    Whoever counts on steps as long as the last arrives too fast, and brakes by 250 rad/s².
    """
    last, wanted = Command.at_rest([0.0, 0.0]), Command.at_rest([1.5, 0.0])
    for period in [0.008] * 34 + [0.002] * 200:
        safe, _ = gate(wanted, last, LIMITS, period, shortest=0.002)
        change = np.abs(safe.rate - last.rate)
        assert (change <= LIMITS.acceleration * period * (1.0 + 1e-6)).all()
        last = safe
    assert last.value[0] == pytest.approx(1.5, abs=1e-9)


def test_limits_must_make_sense():
    """Limits list everything that is wrong with them."""
    with pytest.raises(ProblemsError) as caught:
        Limits((joint('a', 1.0, 0.0, 0.0, 1.0), joint('b', 0.0, np.nan, 1.0, -1.0)))
    assert len(caught.value.problems) == 4


def test_what_is_wrong_with_limits_has_its_unit():
    """Each problem names the channel, the value and the unit; an infinite acceleration is none."""
    with pytest.raises(ProblemsError) as caught:
        Limits(
            (
                Channel('tendon', ChannelKind.TENSION, 'N', 80.0, 2.0, 200.0, INF, 1.0),
                Channel('bellows', ChannelKind.PRESSURE, 'kPa', 0.0, INF, INF, INF, 5.0),
                Channel('winch', ChannelKind.LENGTH, 'm', 0.1, 0.4, -0.5, math.nan, 0.002),
                joint('elbow', -1.0, 1.0, 6.0, 0.0),
                replace(joint('wrist', -1.0, 1.0, 6.0, 9.0), margin=1.5),
            )
        )
    assert caught.value.problems == (
        'tendon: range is [80.0, 2.0] N; expected two finite numbers, the lower first',
        'bellows: range is [0.0, inf] kPa; expected two finite numbers, the lower first',
        'bellows: rate is inf kPa/s; expected more than 0, and finite',
        'winch: rate is -0.5 m/s; expected more than 0, and finite',
        'winch: acceleration is nan m/s^2; expected more than 0',
        'elbow: acceleration is 0.0 rad/s^2; expected more than 0',
        'wrist: margin is 1.5 rad; expected 0 to half of the range',
    )
    assert MIXED.names == ('elbow', 'tendon', 'bellows', 'winch')
