"""The safety gate: the one way by which a command reaches a backend.

A message passes two checks, and nothing else leads to a backend:

1. `trajectories/check.py`, once for each message: names that are unknown or given twice, wrong
   sizes, values that are not finite, times that run backwards. The message is refused whole, with
   reasons; the last safe command goes on.
2. `gate`, at every control tick, whatever was asked for: range and margin, rate, acceleration, and
   periods in which no time passes. The command is changed as little as needed, with reasons.

`gate` is pure; `SafetyGate` keeps the last safe command for it in the control loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.channel import Limits
from softshell_control.drives.command_history import CommandHistory
from softshell_control.slew import Limited, slew
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_kinematics.arrays import Array

#: Shortest and longest control period, in nominal periods. In a shorter one the command does not
#: change; a longer one, as after a stall, counts as the longest, so that no command jumps.
SHORTEST, LONGEST = 0.5, 2.0

_WORDS = {
    Limited.NOT_FINITE: (ReasonCode.NOT_FINITE, 'not finite: held'),
    Limited.RANGE: (ReasonCode.OUT_OF_RANGE, 'range limited'),
    Limited.RATE: (ReasonCode.RATE, 'rate limited'),
    Limited.ACCELERATION: (ReasonCode.ACCELERATION, 'acceleration limited'),
}


@dataclass(frozen=True, eq=False)
class Command:
    """The commanded value of every channel, and its rate.

    The independent joints come first, then the robot's other channels.

    Args:
        value: (channels,) in the unit of each: [rad], [m], [N], [kPa] ...
        rate: (channels,) [unit/s].
    """

    value: Array
    rate: Array

    @classmethod
    def at_rest(cls, value: Array) -> 'Command':
        """A command to stay at a (channels,) `value`."""
        value = np.array(value, dtype=np.float64)
        return cls(value, np.zeros_like(value))


def gate(
    wanted: Command,
    last: Command,
    limits: Limits,
    period: float,
    shortest: float | None = None,
    derating: Array | None = None,
) -> tuple[Command, tuple[Reason, ...]]:
    """The safe command nearest in time to the one wanted.

    A channel whose wanted value is not finite brakes and holds; if the command has a wrong size,
    all channels do. If no time passes, the last safe command is kept.

    Args:
        wanted: at the end of this control period.
        last: the safe command at its beginning (at activation: the measured values).
        limits: never left; if `last` is outside them, the command moves back inside.
        period: duration of this control period [s].
        shortest: least duration of later periods [s]; default: that of this one.
        derating: (channels,) part of its highest rate that each channel may use, 0 to 1; default
            all of it.

    Returns:
        The safe command, and the reasons why it differs from the one wanted; none if it does not.
    """
    safe = Command(last.value.copy(), last.rate.copy())
    if not 0.0 < period < np.inf:
        text = f'{period:g} s passed; expected more than 0: the last command is kept'
        return safe, (Reason(ReasonCode.TIME, text),)
    reasons: tuple[Reason, ...] = ()
    count = len(limits.channels)
    for values in (wanted.value, wanted.rate):
        if values.shape != (count,):
            text = f'a command has the shape {values.shape}; expected ({count},): held'
            reasons = (Reason(ReasonCode.SIZE, text),)
            wanted = Command.at_rest(last.value)
    flags = np.zeros(count, dtype=np.uint8)
    derating = np.ones(count) if derating is None else derating
    _gate_into(wanted, safe, limits, derating, (period, shortest or period), flags)
    return safe, reasons + describe(flags, limits.names)


class SafetyGate:
    """`gate` in a control loop: keeps the safe command and its time, and the ones before it.

    Periods of wall time differ, so the limits apply to the time that has really passed: with the
    nominal period, a tick that is a little late would look like a jump.

    Args:
        limits: never left.
        period: the nominal control period [s].
        steady: whether every period is as long as that.

    Attributes:
        command: the last safe command.
        derating: (channels,) part of its highest rate that each channel may use, 0 to 1.
    """

    def __init__(self, limits: Limits, period: float, steady: bool) -> None:
        count = len(limits.channels)
        self.command = Command.at_rest(np.zeros(count))
        self.derating = np.ones(count)
        self._limits = limits
        self._least = round(SHORTEST * period * NANOSECONDS)
        self._longest = LONGEST * period
        # Steady periods are whole nanoseconds.
        even = round(period * NANOSECONDS) / NANOSECONDS
        self._shortest = even if steady else SHORTEST * period
        self._flags = np.zeros(count, dtype=np.uint8)
        self._stamp = 0
        self._history = CommandHistory(count)
        # Compiles or loads now what the first command would otherwise have to wait for.
        self.advance(self.command, round(period * NANOSECONDS))
        self._flags[:] = 0

    def begin(self, value: Array, now: int) -> None:
        """Start anew at rest.

        Args:
            value: (channels,) as measured.
            now: [ns].
        """
        self.command.value[:] = value
        self.command.rate[:] = 0.0
        self._stamp = now
        self._history.begin(value, now)

    def advance(self, wanted: Command, now: int) -> None:
        """Make the safe command of a tick; it stays as it is if hardly any time has passed.

        Args:
            wanted: at the end of the tick.
            now: the end of the tick [ns].
        """
        passed = now - self._stamp
        if passed < self._least:
            return
        self._stamp = now
        periods = (min(passed / NANOSECONDS, self._longest), self._shortest)
        _gate_into(wanted, self.command, self._limits, self.derating, periods, self._flags)
        self._history.note(self.command.value, now)

    def expected(self, measured: Array, age: Array, stamp: int) -> Array:
        """(channels,) expected present values: old readings, moved on as their commands have.

        Args:
            measured: (channels,) values.
            age: (movable,) how long before the stamp each joint was measured [s].
            stamp: of the measurement [ns].
        """
        ages = age[: self._limits.joints]
        if not ages.any():
            return measured
        expected = measured.copy()
        expected[: len(ages)] += self._history.moved(ages, stamp)
        return expected

    def reasons(self) -> tuple[Reason, ...]:
        """What was limited since the last call."""
        if not self._flags.any():
            return ()
        reasons = describe(self._flags, self._limits.names)
        self._flags[:] = 0
        return reasons


def describe(flags: NDArray[np.uint8], names: Sequence[str]) -> tuple[Reason, ...]:
    """One reason for each kind of limit, naming its channels.

    Args:
        flags: (channels,) of `Limited`.
        names: of the channels.
    """
    reasons, bits = [], flags.tolist()
    for flag, (code, words) in _WORDS.items():
        bit = int(flag)  # arithmetic with an enum takes a hundred times as long
        found = [name for name, each in zip(names, bits, strict=True) if each & bit]
        if found:
            reasons.append(Reason(code, f'{words}: {", ".join(found)}'))
    return tuple(reasons)


def _gate_into(
    wanted: Command,
    command: Command,
    limits: Limits,
    derating: Array,
    periods: tuple[float, float],
    flags: NDArray[np.uint8],
) -> None:
    """Turn the last safe command into the next one, without allocation."""
    safe = (command.value, command.rate)
    slew((wanted.value, wanted.rate), safe, limits.arrays, derating, periods, safe, flags)
