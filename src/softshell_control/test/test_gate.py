"""The gate lets nothing through that a joint must not do, and changes nothing it may."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.errors import ProblemsError
from softshell_control.gate import Command, Limits, Reason, describe, gate

PERIOD = 0.004
LIMITS = Limits(
    ('a', 'b'),
    np.array([-1.0, -2.0]),
    np.array([1.5, 0.0]),
    np.array([6.0, 2.0]),
    np.array([100.0, 30.0]),
)
ANYTHING = st.floats(allow_nan=True, allow_infinity=True, width=64)
MOSTLY_SANE = st.one_of(st.floats(-3.0, 3.0), ANYTHING)


def slew(wanted, steps, last=None, limits=LIMITS):
    """Gate the same wish again and again; (steps, joints) positions and velocities."""
    safe = last or Command.at_rest(np.zeros(len(limits.names)))
    history = []
    for _ in range(steps):
        safe, _ = gate(wanted, safe, limits, PERIOD)
        history.append((safe.position, safe.velocity))
    return np.array([h[0] for h in history]), np.array([h[1] for h in history])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(*[MOSTLY_SANE] * 4), min_size=1, max_size=60),
    st.floats(-1.0, 1.5),
    st.floats(-2.0, 0.0),
)
def test_nothing_unsafe_passes(wishes, first, second):
    """Whatever comes in: finite, inside the limits, speed and acceleration bounded, consistent."""
    last = Command.at_rest(np.array([first, second]))
    for a, b, c, d in wishes:
        wanted = Command(np.array([a, b]), np.array([c, d]))
        safe, _ = gate(wanted, last, LIMITS, PERIOD)
        assert np.isfinite(safe.position).all()
        assert np.isfinite(safe.velocity).all()
        assert (safe.position >= LIMITS.lower).all()
        assert (safe.position <= LIMITS.upper).all()
        assert (np.abs(safe.velocity) <= LIMITS.velocity * (1.0 + 1e-9)).all()
        change = np.abs(safe.velocity - last.velocity) / PERIOD
        assert (change <= LIMITS.acceleration * (1.0 + 1e-6) + 1e-6).all()
        moved = last.position + safe.velocity * PERIOD
        assert safe.position == pytest.approx(moved, abs=1e-12)
        last = safe


@settings(max_examples=100, deadline=None)
@given(st.floats(-1.0, 1.5), st.floats(-1.0, 1.5))
def test_arrives_without_overshoot(begin, goal):
    """From rest a joint arrives at any goal, never beyond it, and stays there exactly."""
    start = Command.at_rest(np.array([begin, 0.0]))
    positions, velocities = slew(Command.at_rest(np.array([goal, 0.0])), 400, start)
    low, high = sorted((begin, goal))
    assert positions[:, 0].min() >= low - 1e-12
    assert positions[:, 0].max() <= high + 1e-12
    assert positions[-1, 0] == pytest.approx(goal, abs=1e-12)
    assert velocities[-1, 0] == pytest.approx(0.0, abs=1e-9)


def test_slew_is_time_optimal():
    """A jump takes as long as the closed form of bang-bang with a cruise: d/v + v/a."""
    positions, velocities = slew(Command.at_rest(np.array([1.2, 0.0])), 200)
    needed = np.argmax(np.abs(positions[:, 0] - 1.2) < 1e-9) + 1
    assert velocities[:, 0].max() == pytest.approx(6.0)
    assert needed * PERIOD == pytest.approx(1.2 / 6.0 + 6.0 / 100.0, abs=2 * PERIOD)


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
        assert last.position == pytest.approx(wish.position, abs=1e-12)
        assert not reasons.any()


def test_reasons_name_what_was_done():
    """Each kind of limit has its reason, and the text names the joint."""
    rest = Command.at_rest(np.array([0.0, 0.0]))

    def reason(position, velocity=0.0, last=rest):
        wish = Command(np.array([position, 0.0]), np.array([velocity, 0.0]))
        return Reason(int(gate(wish, last, LIMITS, PERIOD)[1][0]))

    assert Reason.NON_FINITE in reason(np.nan)
    assert Reason.NON_FINITE in reason(0.0, np.inf)
    assert Reason.POSITION in reason(1.6)
    assert reason(0.5) & (Reason.ACCELERATION | Reason.VELOCITY)
    fast = Command(np.array([0.0, 0.0]), np.array([6.0, 0.0]))
    assert Reason.VELOCITY in reason(1.0, last=fast)
    assert describe(np.array([Reason.POSITION, 0]), LIMITS.names) == ('position limited: a',)


def test_non_finite_wish_brings_the_joint_to_rest():
    """A wish that is not a number stops a moving joint by braking, not by a jump."""
    moving = Command(np.array([0.0, -1.0]), np.array([2.0, 0.0]))
    wish = Command(np.array([np.nan, -1.0]), np.zeros(2))
    positions, velocities = slew(wish, 60, moving)
    assert velocities[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert positions[:, 0].max() < 2.0**2 / (2 * 100.0) * 2 + 0.02


def test_moves_back_inside_from_outside():
    """A joint measured outside its range at activation is brought back into it."""
    outside = Command.at_rest(np.array([1.7, 0.0]))
    positions, _ = slew(Command.at_rest(np.array([1.7, 0.0])), 200, outside)
    assert (np.diff(positions[:, 0]) <= 1e-12).all()
    assert positions[-1, 0] == pytest.approx(1.5, abs=1e-9)


def test_limits_must_make_sense():
    """Limits list everything that is wrong with them."""
    with pytest.raises(ProblemsError) as caught:
        Limits(
            ('a', 'b'),
            np.array([1.0, 0.0]),
            np.array([0.0, np.nan]),
            np.array([0.0, 1.0]),
            np.array([1.0, -1.0]),
        )
    assert len(caught.value.problems) == 4
