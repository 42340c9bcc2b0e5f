"""Goals are reached without overshoot, whatever the periods are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_control.channel import Channel, Limits
from softshell_control.gate import Command, SafetyGate, gate
from softshell_description.form import ChannelKind

PERIOD = 0.004
LIMITS = Limits((Channel('a', ChannelKind.POSITION, 'rad', -1.0, 1.5, 6.0, 150.0, 0.05),))


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-1.0, 1.5),
    st.floats(-1.0, 1.5),
    st.lists(st.floats(0.5 * PERIOD, 2.0 * PERIOD), min_size=1, max_size=80),
)
def test_arrives_without_overshoot_in_uneven_periods(begin, goal, periods):
    """Nor where periods are half to twice the nominal one, and the next is not known.

    It passes neither the goal nor turns back on the way, and stays there exactly.
    """
    last, wanted = Command.at_rest([begin]), Command.at_rest([goal])
    low, high = sorted((begin, goal))
    for period in (*periods, *[0.5 * PERIOD] * 40, *[2.0 * PERIOD] * 150):
        safe, _ = gate(wanted, last, LIMITS, period, 0.5 * PERIOD)
        assert low - 1e-12 <= safe.value[0] <= high + 1e-12
        assert (safe.value[0] - last.value[0]) * (goal - begin) >= 0.0
        last = safe
    assert last.value[0] == pytest.approx(goal, abs=1e-12)
    assert last.rate[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize('spread', [(0.95, 1.05), (0.5, 2.0)])
@pytest.mark.parametrize('period', [0.004, 0.02])
def test_a_loop_by_the_wall_clock_arrives_without_overshoot(period, spread):
    """The gate of a loop whose periods jitter: of 20 ways none passes its end.

    Steps of 20 ms that are 5 % too long or too short went beyond it by 4 mrad.
    """
    random = np.random.default_rng(3)
    for goal in random.uniform(0.05, 1.5, 20):
        loop = SafetyGate(LIMITS, period, steady=False)
        loop.begin(np.zeros(1), 0)
        now, wanted = 0, Command.at_rest([goal])
        for _ in range(round(2.0 / period)):
            now += round(period * random.uniform(*spread) * 1e9)
            loop.advance(wanted, now)
            assert loop.command.value[0] <= goal + 1e-12
        assert loop.command.value[0] == pytest.approx(goal, abs=1e-12)


@pytest.mark.parametrize('period', [0.004, 0.02, 1.0 / 240.0])
def test_a_loop_with_steady_periods_is_the_gate_with_its_period(period):
    """To the bit, also where the period is no whole number of nanoseconds and is rounded."""
    loop = SafetyGate(LIMITS, period, steady=True)
    loop.begin(np.zeros(1), 0)
    step = round(period * 1e9)
    last = Command.at_rest([0.0])
    for tick in range(1, 200):
        wanted = Command.at_rest([1.2 if tick < 100 else -0.7])
        loop.advance(wanted, tick * step)
        last, _ = gate(wanted, last, LIMITS, step / 1e9)
        assert loop.command.value.tolist() == last.value.tolist()
        assert loop.command.rate.tolist() == last.rate.tolist()
