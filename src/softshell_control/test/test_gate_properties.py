"""What the gate lets through: never anything unsafe, and all that is allowed, to the bit."""

import numpy as np
import pytest
from gate_rig import COUNT, EVERY_KIND, PERIOD, Watch, unrounded
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from softshell_common.reason import LIMITED, ReasonCode
from softshell_control.channel import Channel, Limits
from softshell_control.gate import Command, gate
from softshell_description.form import ChannelKind

SHORTEST = 0.5 * PERIOD
LOWER, UPPER = EVERY_KIND.lower, EVERY_KIND.upper
#: In parts of the range, mostly within it or not far beyond; or anything that a float can be.
PLACE = st.one_of(st.floats(-0.5, 1.5), st.sampled_from([0.0, 1.0]), st.floats(width=64))
SPEED = st.one_of(st.just(0.0), st.floats(-3.0, 3.0), st.floats(width=64))
INSIDE = st.lists(st.floats(0.0, 1.0), min_size=COUNT, max_size=COUNT)
#: A wish in bytes: drawn number by number, wishes would take ten times as long as the gate does.
WISH = np.dtype(
    [
        ('kind', 'u1', 2 * COUNT), ('part', 'u2', 2 * COUNT), ('raw', 'f8', 2 * COUNT),
        ('period', 'u1'), ('scale', 'u1'), ('repeats', 'u1'),
    ]
)  # fmt: skip
NUMBER = 50
WISHES = st.binary(min_size=NUMBER * WISH.itemsize, max_size=NUMBER * WISH.itemsize)
#: The kinds of `numbers_of`, as often as they come; most are in the range, where all else starts.
KINDS = np.array([0, 0, 0, 0, 1, 2, 2, 3, 3, 4])
#: The worst that a float can be.
WORST = np.array([0.0, -0.0, 5e-324, 2.3e-308, 2.2e-16, 1.8e308, np.inf, -np.inf, np.nan, -1.0])
PERIODS = np.array([PERIOD, PERIOD, SHORTEST, 2.0 * PERIOD, 0.0031, 0.0063])
SCALES = np.array([1.0, 1.0, 0.5, 0.1, 0.0])


def numbers_of(wish):
    """(wishes, places and speeds) numbers of five kinds; one of five is close to that before it.

    They are in the range or not far beyond; an end of it; of any order of magnitude from 1e-8 to
    10; anything that a float can be; the worst of it. What is close differs by 1e-14 to 1e-5.
    """
    part, sign = wish['part'] / 65535.0, np.where(wish['part'] % 2, 1.0, -1.0)
    kinds = [
        2.0 * part - 0.5, np.round(part), sign * 10.0 ** (9.0 * part - 8.0), wish['raw'],
        WORST[wish['part'] % len(WORST)],
    ]  # fmt: skip
    kind, close = KINDS[wish['kind'] % 10], wish['kind'] // 10 % 5 == 0
    numbers = np.choose(kind, kinds)
    before = np.vstack((numbers[:1], numbers[:-1]))
    return np.where(close, before + sign * 10.0 ** (9.0 * part - 14.0), numbers)


def decoded(text):
    """Parts of the range, parts of the rate, period, derating and repeats of each wish."""
    wish = np.frombuffer(text, WISH)
    with np.errstate(over='ignore', invalid='ignore'):
        numbers = numbers_of(wish)
        numbers[:, COUNT:] *= 2.0
    return zip(
        numbers[:, :COUNT], numbers[:, COUNT:], PERIODS[wish['period'] % 6],
        SCALES[wish['scale'] % 5], 1 + wish['repeats'] % 3, strict=True,
    )  # fmt: skip


def place(parts):
    """Values at parts of every range."""
    with np.errstate(over='ignore', invalid='ignore'):
        return LOWER + (UPPER - LOWER) * np.array(parts)


def command(parts, speeds):
    with np.errstate(over='ignore', invalid='ignore'):
        return Command(place(parts), EVERY_KIND.rate * np.array(speeds))


@settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(WISHES, INSIDE)
def test_nothing_unsafe_passes_three_thousand_wishes(wishes, begin):
    """As `wish` says."""
    wish(wishes, begin)


@pytest.mark.long
@settings(max_examples=6000, deadline=None, suppress_health_check=list(HealthCheck))
@given(WISHES, INSIDE)
def test_nothing_unsafe_passes_three_hundred_thousand_wishes(wishes, begin):
    """The same with others each time."""
    wish(wishes, begin)


def wish(wishes, begin):
    """Any wishes, uneven periods, derating that jumps: finite, in range, no faster, no sharper.

    Whatever differs from what was wanted has its reason.
    """
    last = Command.at_rest(place(begin))
    watch = Watch(EVERY_KIND, last.value)
    for parts, speeds, period, scale, repeats in decoded(wishes):
        wanted = command(parts, speeds)
        fast, derated = np.abs(last.rate), scale * EVERY_KIND.rate
        for repeat in range(1, repeats + 1):
            derating = np.full(COUNT, scale)
            before = last.value
            last, reasons = gate(wanted, last, EVERY_KIND, period, SHORTEST, derating)
            watch.check(last.value, last.rate, period)
            # What is faster than it may be by now brakes.
            braked = fast - EVERY_KIND.acceleration * period * repeat
            assert (np.abs(last.rate) <= np.maximum(derated, braked) + 1e-6).all()
            with np.errstate(invalid='ignore'):
                goal = unrounded(wanted.value, before, EVERY_KIND)
                changed = ~(np.abs(last.value - goal) <= 1e-9 * np.abs(goal))
            if not changed.any():
                continue
            told = ' '.join(reason.text for reason in reasons if reason.code in LIMITED)
            for name in np.array(EVERY_KIND.names)[changed & ~(np.abs(wanted.value) < 1e-6)]:
                assert name in told


def test_rounding_beyond_the_range_is_kept_within_it_and_is_no_reason():
    """Half a microradian is; two are told."""
    limits = Limits((Channel('a', ChannelKind.POSITION, 'rad', -1.0, 1.5, 6.0, 100.0, 0.01),))
    rest = Command.at_rest([1.5])
    for beyond, told in ((0.5e-6, False), (2e-6, True)):
        safe, reasons = gate(Command.at_rest([1.5 + beyond]), rest, limits, PERIOD)
        assert safe.value[0] == 1.5
        assert [reason.code for reason in reasons] == [ReasonCode.OUT_OF_RANGE] * told


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.lists(PLACE, min_size=COUNT, max_size=COUNT), SPEED), max_size=20))
def test_what_passed_once_passes_again_to_the_bit(wishes):
    """The gate is idempotent: its own command, wanted from the same beginning, is not changed."""
    last = Command.at_rest(place([0.5] * COUNT))
    for parts, speed in wishes:
        safe, _ = gate(command(parts, [speed] * COUNT), last, EVERY_KIND, PERIOD)
        again, reasons = gate(safe, last, EVERY_KIND, PERIOD)
        assert again.value.tolist() == safe.value.tolist()
        assert again.rate == pytest.approx(safe.rate, rel=1e-9, abs=1e-9)
        assert reasons == ()
        last = safe


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.floats(0.1, 0.9),
    st.floats(0.0, 1.0),
    st.floats(0.2, 30.0),
    st.floats(0.0, 6.3),
    st.lists(st.floats(SHORTEST, 1.25 * PERIOD), min_size=80, max_size=80),
)
def test_an_allowed_motion_passes_to_the_bit(middle, size, frequency, phase, periods):
    """A sine within the limits, sampled at any times, is not changed in its last digit.

    After a long period a short one has to change the rate for both, so where periods differ from
    1.25 to 0.5 of the nominal one, at most 1/1.75 of the acceleration is free.
    """
    inner = EVERY_KIND.margin
    low, high = LOWER + inner, UPPER - inner
    centre = low + (high - low) * middle
    amplitude = size * np.minimum(centre - low, high - centre)
    amplitude = np.minimum(amplitude, 0.98 * EVERY_KIND.rate / frequency)
    finite = np.isfinite(EVERY_KIND.acceleration)
    most = 0.5 * EVERY_KIND.acceleration[finite] / frequency**2
    amplitude[finite] = np.minimum(amplitude[finite], most)

    def wish(time):
        angle = frequency * time + phase
        return Command(centre + amplitude * np.sin(angle), amplitude * frequency * np.cos(angle))

    time, last = 0.0, wish(0.0)
    for period in periods:
        time += period
        wanted = wish(time)
        last, reasons = gate(wanted, last, EVERY_KIND, period, SHORTEST)
        assert last.value.tolist() == wanted.value.tolist()
        assert reasons == ()


def least_steps(distance, rate, fastest, acceleration):
    """The fewest steps of constant speed from a rate to rest at a distance, by linear programs."""
    step = acceleration * PERIOD
    for count in range(1, 400):
        # The speeds of all steps; from each to the next, and to rest after the last, one step.
        differences = np.eye(count + 1, count) - np.eye(count + 1, count, -1)
        bounds = np.full(count + 1, step * (1.0 + 1e-9))
        offset = np.zeros(count + 1)
        offset[0] = rate
        found = linprog(
            np.zeros(count),
            A_ub=np.vstack((differences, -differences)),
            b_ub=np.concatenate((bounds + offset, bounds - offset)),
            A_eq=np.full((1, count), PERIOD),
            b_eq=[distance],
            bounds=[(-fastest, fastest)] * count,
        )
        if found.status == 0:
            return count
    raise AssertionError('no way there')


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.floats(0.001, 0.12), st.floats(-0.9, 0.9))
@example(0.1, 0.0)
def test_no_sequence_of_steps_arrives_sooner(distance, part):
    """The fewest steps that a linear program finds, to a goal ahead that it need not overshoot."""
    fastest, acceleration = 2.0, 60.0
    channel = Channel('a', ChannelKind.POSITION, 'rad', -9.0, 9.0, fastest, acceleration, 0.01)
    limits = Limits((channel,))
    wanted = Command.at_rest([distance])
    last = Command(np.zeros(1), np.array([part * fastest]))
    best = least_steps(distance, part * fastest, fastest, acceleration)
    steps = 0
    while abs(last.value[0] - distance) > 1e-7 or abs(last.rate[0]) > acceleration * PERIOD:
        last, _ = gate(wanted, last, limits, PERIOD)
        steps += 1
    assert steps <= best
