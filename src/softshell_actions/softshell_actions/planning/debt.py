"""Strides that make up for strides that were shortened."""

import math
from dataclasses import dataclass

import numpy as np

from softshell_actions.language.grammar import AXES
from softshell_actions.performing.call import Call
from softshell_actions.planning.gait_cycle import GaitCycle
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.preparing import Prepared
from softshell_kinematics.errors import SoftshellError

#: Part of a stride that is not made up for.
LEAST = 1e-6
#: A stride is made up for by no more strides than this.
MOST = 1000
#: A stride no faster than this only puts feet to their places [m/s], [rad/s]. It is repeated up to
#: so many times, as other legs lift each time.
STILL, TRIALS = 1e-5, 20
#: What is left after the halt is made up for if it is more than this [m], [rad], so often.
EXACT, ROUNDS = 5e-4, 3
#: What is left before the halt of strides that are slowed down is made up for if it is more than
#: this [m], [rad]: the time of the next one is not known exactly either.
NEARLY = 1e-4
#: Units of a velocity along its axes.
UNITS = dict(zip(AXES, ('m/s', 'm/s', 'rad/s'), strict=True))


class DebtError(SoftshellError):
    """A stride that is shortened so much that it cannot be made up for."""


@dataclass
class Way:
    """How far the strides of one call have come.

    The unit of ways is one stride as asked for, of the mean length of the parts of its cycle.

    Attributes:
        asked, done: way that was asked for, and that was done.
        velocity: at the end of the last stride, as part of what was asked for.
        share: part of the last stride's way that was possible.
        stretch: time of the last stride over the time that was asked for.
        part: of a stride that is due next.
        first, next: indices of the parts of the cycle in which it began, and that is due next.
        count: number of strides that were asked for and done.
        start: stretch of the first stride, which gained the velocity.
        halt: stretch of the stride that came to rest; 0 before that.
        rounds: how often something was made up for after that.
        trials: how often a stride was repeated that moves nothing, see `STILL`.
        complete: whether no stride was shortened or slowed down.
    """

    asked: float = 0.0
    done: float = 0.0
    velocity: float = 0.0
    share: float = 1.0
    stretch: float = 1.0
    part: float = 0.0
    first: int = 0
    next: int = 0
    count: int = 0
    start: float = 1.0
    halt: float = 0.0
    rounds: int = 0
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
    """The way that is still owed because strides were shortened, or took longer or shorter.

    Further strides of the same call make up for it, before any other call. A velocity is gained
    and lost at constant acceleration.

    Args:
        planner: knows the cycles of gaits; None: all parts of a cycle are equally long.
    """

    def __init__(self, planner: Planner | None = None) -> None:
        self._planner = planner
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
        if way.endless and not way.halt:
            possible = way.share * np.abs(self._call.velocity).max()
            if possible > STILL or way.trials == TRIALS:
                raise DebtError(_too_fast(self._call, way))
            way.part = 1.0
        elif following == self._call:
            way.part = way.share if way.owed > way.share else 0.0
        elif way.halt and not way.velocity:
            way.part = self._remaining_part(following)
        else:
            way.part = self._last_part(way.owed)
            if not way.part and way.halt and following is None:
                return self._call.shortened(0.0)  # nothing follows that would halt it again
        return self._call.shortened(way.part) if way.part else None

    def _remaining_part(self, following: Call | None) -> float:
        """Part of a stride that is due after the halt; 0 if none is, or if others follow.

        How long the halt takes is known only once it is planned.
        """
        way = self._way
        halts = following is None or _halts(self._call, following)
        if not halts or way.rounds == ROUNDS or abs(way.owed) > MOST * way.share:
            return 0.0
        part = self._last_part(way.owed)
        way.rounds += part != 0.0
        return part

    def _last_part(self, owed: float) -> float:
        """Part of a stride that is due before the robot comes to rest; 0 if none is.

        With n more strides at velocity u, the first of time f and all of time F, it covers
        (v + u) f / 2 + u (F - f), and u h / 2 while it comes to rest in a time h, where it covers
        v h / 2 without them. The halt is taken to be stretched like the first stride, or like the
        last halt.
        """
        way = self._way
        velocity, stretch, share = way.velocity, way.stretch, way.share
        halt = way.halt or way.start
        first = self._length(way.next)
        asked = 0.0 if way.halt else 0.5 * self._length(way.first + way.count)
        owed += asked - 0.5 * velocity * halt * first
        if self._is_nothing(owed):
            return 0.0
        owed -= 0.5 * velocity * (stretch - halt) * first
        # So many that no stride is longer than the last one.
        count = max(1, math.ceil(abs(owed) / share + 0.5 - 0.5 * halt / stretch))
        part = self._equal_part(owed, count, halt)
        while abs(part) > share * (1.0 + LEAST):  # parts of a cycle may be shorter than the mean
            count += 1
            part = self._equal_part(owed, count, halt)
        part = max(min(part, share), -share if way.halt else LEAST)
        return part or LEAST

    def _is_nothing(self, owed: float) -> bool:
        """Whether what would be owed after the halt is too little to be made up for."""
        way = self._way
        if way.halt:
            return abs(owed) * self._unit() < EXACT
        slowed = way.stretch != 1.0 or way.start != 1.0
        return owed < LEAST or (slowed and owed * self._unit() < NEARLY)

    def _equal_part(self, owed: float, count: int, halt: float) -> float:
        """Part of each of so many strides by which what is owed is covered with the halt."""
        way = self._way
        lengths = [self._length(way.next + place) for place in range(count + 1)]
        time = (
            way.stretch * (math.fsum(lengths[:-1]) - 0.5 * lengths[0]) + 0.5 * halt * lengths[-1]
        )
        return way.stretch * owed / time

    def note(self, call: Call, prepared: Prepared, makes_up: bool) -> None:
        """Note what was done.

        Args:
            call: what was to be done.
            prepared: what was done.
            makes_up: whether it was a stride that `due` asked for.
        """
        way = self._way
        if not makes_up and call != self._call and _halts(self._call, call) and not way.complete:
            self._note_halt(prepared)
            return
        if not makes_up and call != self._call:
            self._call, self._way = call if call.counts and call.travels else None, Way()
            way = self._way
            way.first = self._part_of(prepared)
        if makes_up and way.endless:
            way.share, way.trials = prepared.share, way.trials + 1
        velocity = prepared.share * (way.part if makes_up else 1.0) / prepared.stretch
        part = self._part_of(prepared)
        way.done += 0.5 * (way.velocity + velocity) * self._length(part) * prepared.stretch
        way.velocity, way.stretch, way.next = velocity, prepared.stretch, part + 1
        if makes_up and not way.part:
            way.halt = prepared.stretch
        if not makes_up:
            way.start = way.start if way.count else prepared.stretch
            length = self._length(way.first + way.count)
            way.asked += length if way.asked else 0.5 * length
            way.count += 1
            way.share = prepared.share
            way.complete = way.complete and prepared.share == prepared.stretch == 1.0

    def _note_halt(self, prepared: Prepared) -> None:
        """Note a stride of the same gait that ends at rest."""
        way = self._way
        if not way.halt:
            way.asked += 0.5 * self._length(way.first + way.count)
        part = self._part_of(prepared)
        if way.velocity:
            way.done += 0.5 * way.velocity * self._length(part) * prepared.stretch
            way.halt, way.velocity = prepared.stretch, 0.0
        way.next = part + 1

    def _cycle(self) -> GaitCycle | None:
        """The cycle of the call's gait."""
        move = self._call.gait_move if self._call is not None else None
        return self._planner.cycle(move.gait) if self._planner and move is not None else None

    def _length(self, part: int) -> float:
        """Length of a part of the cycle, relative to the mean of all; phases are rounded."""
        cycle = self._cycle()
        if cycle is None:
            return 1.0
        count = len(cycle.parts)
        return round(cycle.length(part % count) * count, 3)

    def _part_of(self, prepared: Prepared) -> int:
        """Index of the part of the cycle that a stride went through."""
        cycle = self._cycle()
        return 0 if cycle is None else prepared.end.parts[cycle.name] - 1

    def _unit(self) -> float:
        """Way of one stride as asked for [m] or, of a turn, [rad]."""
        call, cycle = self._call, self._cycle()
        if call is None or call.gait_move is None:
            return 0.0
        time = call.value(call.gait_move.cycle) / (1 if cycle is None else len(cycle.parts))
        return float(np.abs(call.velocity).max()) * time


def _halts(call: Call | None, following: Call) -> bool:
    """Whether a call is a stride at rest of the gait that another call walks by."""
    own, other = call.gait_move if call is not None else None, following.gait_move
    same = own is not None and other is not None and own.gait == other.gait
    return same and not following.travels


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
