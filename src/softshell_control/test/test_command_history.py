"""Old readings are moved on by as much as their commands have moved since."""

import numpy as np
import pytest

from softshell_control.channel import limits_of
from softshell_control.drives.command_history import LENGTH, CommandHistory
from softshell_control.gate import Command, SafetyGate
from softshell_description.load import load_robot

TICK = 20_000_000


def ramp(history, count, begin=10**9):
    """Commands of two channels that grow by 0.1 and 0.3 in each tick; the last one's time."""
    history.begin(np.array([1.0, 2.0]), begin)
    for tick in range(1, count + 1):
        history.note(np.array([1.0 + 0.1 * tick, 2.0 + 0.3 * tick]), begin + tick * TICK)
    return begin + count * TICK


@pytest.mark.parametrize('count', [5, LENGTH - 1, LENGTH, 3 * LENGTH + 7])
def test_a_reading_is_moved_on_from_the_command_of_its_time(count):
    """Two ticks old and four, also after the oldest commands were forgotten."""
    history = CommandHistory(2)
    now = ramp(history, count)
    assert history.moved(np.array([0.04, 0.08]), now) == pytest.approx([0.2, 1.2])
    assert history.moved(np.array([0.0, 0.059]), now) == pytest.approx([0.0, 0.9])


def test_what_is_older_than_all_commands_counts_as_of_the_first():
    """At activation every channel holds; a joint that was never read is of no age."""
    history = CommandHistory(2)
    now = ramp(history, 3)
    assert history.moved(np.array([10.0, np.inf]), now) == pytest.approx([0.3, 0.9])
    history.begin(np.array([0.0, 0.0]), now)
    assert history.moved(np.array([0.04, 10.0]), now).tolist() == [0.0, 0.0]


def test_a_lagging_channel_is_expected_off_its_command_by_as_much_as_it_was():
    """The gate's own commands: a joint 0.03 rad behind them, read 60 ms ago; NaN stays NaN."""
    limits = limits_of(load_robot('arm'))
    gate = SafetyGate(limits, 0.02, False)
    gate.begin(np.zeros(3), 0)
    commands = [gate.command.value.copy()]
    for tick in range(1, 30):
        gate.advance(Command(np.full(3, -0.02 * tick), np.full(3, -1.0)), tick * TICK)
        commands.append(gate.command.value.copy())
    measured = np.array([commands[-4][0] + 0.03, np.nan, commands[-1][2]])
    found = gate.expected(measured, np.array([0.06, 0.06, 0.0]), 29 * TICK)
    assert found[[0, 2]] == pytest.approx([commands[-1][0] + 0.03, commands[-1][2]])
    assert np.isnan(found[1])
    assert gate.expected(measured, np.zeros(3), 29 * TICK) is measured
