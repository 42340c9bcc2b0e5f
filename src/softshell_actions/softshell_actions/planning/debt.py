"""Strides that make up for strides that were shortened."""

import math
from dataclasses import dataclass

import numpy as np

from softshell_actions.language.grammar import AXES
from softshell_actions.performing.call import Call
from softshell_actions.planning.preparing import Prepared
from softshell_kinematics.errors import SoftshellError

#: Part of a stride that is not made up for.
LEAST = 1e-6
#: A stride is made up for by no more strides than this.
MOST = 1000
#: A stride no faster than this only puts feet to their places [m/s], [rad/s]. It is repeated up to
#: so many times, as other legs lift each time.
STILL, TRIALS = 1e-5, 20
#: Units of a velocity along its axes.
UNITS = dict(zip(AXES, ('m/s', 'm/s', 'rad/s'), strict=True))


class DebtError(SoftshellError):
    """A stride that is shortened so much that it cannot be made up for."""


@dataclass
class Way:
    """How far the strides of one call have come; the unit of ways is one stride as asked for.

    Attributes:
        asked, done: way that was asked for, and that was done.
        velocity: at the end of the last stride, as part of what was asked for.
        share: part of the last stride's way that was possible.
        stretch: time of the last stride over the time that was asked for.
        part: of a stride that is due next.
        trials: how often a stride was repeated that moves nothing, see `STILL`.
        complete: whether no stride was shortened or slowed down.
    """

    asked: float = 0.0
    done: float = 0.0
    velocity: float = 0.0
    share: float = 1.0
    stretch: float = 1.0
    part: float = 0.0
    trials: int = 0
    complete: bool = True

    @property
    def owed(self) -> float:
        """Way that is still to be done."""
        return self.asked - self.done

    @property
    def endless(self) -> bool:
        """Whether the last stride was so short that more than `MOST` like it are owed."""
        return self.owed > MOST * self.share


class Debt:
    """The way that is still owed because strides were shortened.

    Further strides of the same call make up for it, before any other call. A velocity is gained
    and lost at constant acceleration.
    """

    def __init__(self) -> None:
        self._call: Call | None = None
        self._way = Way()

    def due(self, following: Call | None) -> Call | None:
        """What has to be done before a call, or before the end; None if nothing is owed.

        Raises:
            DebtError: it takes more than `MOST` strides.
        """
        way = self._way
        if self._call is None or way.complete:
            return None
        if way.endless:
            possible = way.share * np.abs(self._call.velocity).max()
            if possible > STILL or way.trials == TRIALS:
                raise DebtError(_too_fast(self._call, way))
            way.part = 1.0
        elif following == self._call:
            way.part = way.share if way.owed > way.share else 0.0
        else:
            way.part = self._last_part(way.owed)
        return self._call.shortened(way.part) if way.part else None

    def _last_part(self, owed: float) -> float:
        """Part of a stride that is due before the robot comes to rest; 0 if none is.

        With n more strides at velocity u, each of time f, it covers (v + u) f / 2 + (n - 1) u f,
        and u / 2 while it comes to rest, where it covers v / 2 without them.
        """
        velocity, stretch = self._way.velocity, self._way.stretch
        owed += 0.5 - 0.5 * velocity
        if owed < LEAST:
            return 0.0
        owed -= 0.5 * velocity * (stretch - 1.0)
        share = self._way.share
        # So many that no stride is longer than the last one.
        count = max(1, math.ceil(owed / share + 0.5 - 0.5 / stretch))
        part = stretch * owed / (count * stretch - 0.5 * stretch + 0.5)
        return max(min(part, share), LEAST)

    def note(self, call: Call, prepared: Prepared, makes_up: bool) -> None:
        """Note what was done.

        Args:
            call: what was to be done.
            prepared: what was done.
            makes_up: whether it was a stride that `due` asked for.
        """
        if not makes_up and call != self._call:
            self._call, self._way = call if call.counts and call.travels else None, Way()
        way = self._way
        if makes_up and way.endless:
            way.share, way.trials = prepared.share, way.trials + 1
        velocity = prepared.share * (way.part if makes_up else 1.0) / prepared.stretch
        way.done += 0.5 * (way.velocity + velocity) * prepared.stretch
        way.velocity, way.stretch = velocity, prepared.stretch
        if not makes_up:
            way.asked += 1.0 if way.asked else 0.5
            way.share = prepared.share
            way.complete = way.complete and prepared.share == prepared.stretch == 1.0


def _too_fast(call: Call, way: Way) -> str:
    """Why the way that is owed cannot be made up for, in words."""
    asked = dict(zip(AXES, call.velocity.tolist(), strict=True))
    possible = way.share / way.stretch
    pairs = [(axis, value) for axis, value in asked.items() if value]
    wanted = ', '.join(f'{axis} {value:g} {UNITS[axis]}' for axis, value in pairs)
    bearable = ', '.join(f'{axis} {value * possible:.3g} {UNITS[axis]}' for axis, value in pairs)
    return (
        f'{call.name}: velocity is {wanted}; expected at most about {bearable}, as more than '
        f'{MOST} strides would have to make up for the rest'
    )
