"""From a sub-action to the joint trajectory that the robot can follow.

A stride beyond the reach of a leg is made lower and shorter until all legs reach it; a motion that
is too fast for a joint is slowed down. The caller solves inverse kinematics: a `Preparation` is a
generator that yields questions and is sent the solutions.
"""

import itertools
from collections.abc import Generator, Mapping
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from softshell_actions.performing.call import Call
from softshell_actions.planning.detour import detours, furthest
from softshell_actions.planning.draft import Plan
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.reach import Question, Reach, Solution, UnreachableError, solve
from softshell_actions.state import State
from softshell_actions.trajectories.joint_limits import Peak
from softshell_actions.trajectories.motion import Motion
from softshell_actions.trajectories.pacing import ATTEMPTS, Pacing, TooFastError
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: How often a stride is slowed down before it is made shorter instead.
SLOWED = 4
#: How often it is slowed down for the sake of the next one.
SLOWED_BEFORE = 6


@dataclass(frozen=True)
class Prepared:
    """A sub-action that is ready to be sent.

    Args:
        plan: of what is done in the end.
        joints: where the joints are to be, (points,) by name [rad] or [m].
        motion: how they are commanded.
        end: the state it ends in.
        share: part of the way that was asked for.
        stretch: its time over the time that was asked for.
        change: (3,) by how much its velocity was changed: x, y [m/s], yaw [rad/s].
        remarks: for people: what was shortened or slowed down, and why.
    """

    plan: Plan
    joints: Mapping[str, Array]
    motion: Motion
    end: State
    share: float
    stretch: float
    change: Array
    remarks: tuple[str, ...]


Preparation = Generator[Question, Solution, Prepared]


class Preparing:
    """Prepares sub-actions one after another.

    Args:
        planner: plans them.
        pacing: makes trajectories of plans.
    """

    def __init__(self, planner: Planner, pacing: Pacing) -> None:
        self._planner, self._pacing = planner, pacing
        self._reach = Reach(planner, pacing.speeds)
        self._asked: Call | None = None
        self._other: Call | None = None

    def prepare(self, call: Call, state: State, change: Array | None = None) -> Preparation:
        """Prepare a sub-action that starts in `state`.

        Args:
            call: the sub-action.
            state: where it starts.
            change: (3,) by how much its velocity is to change, x, y [m/s], yaw [rad/s]; left out
                if a leg does not reach that.

        Yields:
            What is to be solved. Send the solution, or throw an UnreachableError if there is none.

        Raises:
            UnreachableError: a goal is out of reach, and nothing is left to be reduced.
            SoftshellError: it cannot be planned, or is too fast and cannot be slowed down.
        """
        change = np.zeros(3) if change is None else change
        if call != self._asked:
            self._asked, self._other = call, self._asked
        prepared = yield from self._fitted(call, state, change, self._pacing.usual(call))
        if not prepared.end.swings or self._pacing.refuses:
            return prepared
        if not self._pacing.ends_fast(prepared.motion):
            return prepared  # the next can be slowed down by itself
        known = copy(self._pacing), copy(self._reach)
        slower, remarks = prepared, prepared.remarks
        for _ in range(SLOWED_BEFORE):
            found = yield from self._keeps_from_going_on(call, slower)
            if found is None:
                return replace(slower, remarks=tuple(dict.fromkeys((*remarks, *slower.remarks))))
            stretch = self._pacing.slow_down_before(found)
            remarks = (*remarks, f'{call.name} is slowed down for the next: {found}')
            try:
                slower = yield from self._fitted(call, state, change, stretch, again=True)
            except SoftshellError:
                break
        self._pacing, self._reach = known
        return prepared

    def _keeps_from_going_on(
        self, call: Call, prepared: Prepared
    ) -> Generator[Question, Solution, Peak | None]:
        """Where the next stride would be too fast, however slow it is; None if nowhere.

        A foot in the air begins the next part of the cycle at the speed at which it ends this one,
        and more time for the next changes nothing in that. The next is the same call again or,
        after a stride that makes up for others, the one before.
        """
        for following in (call, self._other):
            if following is None or following.gait_move is None:
                continue
            ahead = Preparing(self._planner, copy(self._pacing))
            ahead._reach = copy(self._reach)
            stretch = ahead._pacing.usual(following)
            try:
                yield from ahead._fitted(following, prepared.end, np.zeros(3), stretch)
            except TooFastError as error:
                return error.peak
            except SoftshellError:
                continue  # what follows need not be this: if it is, that is told then
        return None

    def _fitted(
        self, call: Call, state: State, change: Array, stretch: float, again: bool = False
    ) -> Preparation:
        """A sub-action in reach and within the limits of joints, whatever follows.

        Args:
            call, state, change: as of `prepare`.
            stretch: of its time, to begin with.
            again: whether it is the call of the time before, only slower.

        Raises:
            UnreachableError: as `prepare`.
            SoftshellError: as `prepare`.
        """
        remarks: list[str] = []
        for attempt in itertools.count():
            slower = call.slowed(stretch)
            repeated = again or attempt > 0
            try:
                within = yield from self._reach.within(slower, state, again=repeated)
            except UnreachableError:
                unchanged = stretch == 1.0 and not call.travels
                if attempt in (0, ATTEMPTS) or unchanged:
                    raise
                stretch = self._shorter()
                continue
            veered = self._reach.veered(within, change * within.share / stretch, state)
            if change.any() and not (yield from self._reach.stops(veered.call, state)):
                change = np.zeros(3)
                continue
            try:
                plan, solved, detour = yield from self._solved(veered.call, state)
            except UnreachableError:
                if change.any():
                    change = np.zeros(3)
                    continue
                if attempt == ATTEMPTS or not self._reach.forget():
                    raise
                continue
            motion, end = self._pacing.motion(plan, solved)
            end = self._planner.with_feet(end)
            motion = replace(motion, on_feet=self._planner.on_feet(state, end))
            remarks += [text for text in (within.remark, detour) if text and text not in remarks]
            peak = self._pacing.too_fast(call, motion, attempt)
            if peak is None:
                break
            if call.travels and attempt % SLOWED == SLOWED - 1:
                stretch = self._shorter()
                continue
            stretch *= self._pacing.slow_down(peak)
            remarks.append(f'{call.name} is slowed down: {peak}')
        joints = {**plan.joints, **solved}
        changed = change * veered.share / stretch
        return Prepared(plan, joints, motion, end, veered.share, stretch, changed, tuple(remarks))

    def _solved(
        self, call: Call, state: State
    ) -> Generator[Question, Solution, tuple[Plan, Solution, str]]:
        """A plan, its joint paths, and a remark if the base makes a detour.

        Raises:
            UnreachableError: the straight way is out of reach, which the text tells of, and so
                are all detours.
        """
        plan = self._planner.plan(call, state)
        try:
            return plan, (yield from solve(plan, state)), ''
        except UnreachableError as error:
            reason = error
        try:  # if the end itself is out of reach, no way leads there
            yield Question({limb: path[-1:] for limb, path in plan.limbs.items()}, state.joints)
        except UnreachableError:
            if call.plain is not None:  # that is done instead, at once: no time to search
                raise reason from None
            far = yield from furthest(call, plan, state)
            raise UnreachableError(f'{reason}{far}') from None
        for other in detours(call, state):
            plan = self._planner.plan(other, state)
            try:
                solved = yield from solve(plan, state)
            except UnreachableError:
                continue
            return plan, solved, f'{call.name}: the base does not go straight: {reason}'
        raise reason

    def _shorter(self) -> float:
        """Shorten the stride, in the time that was asked for; returns the stretch for it, 1.

        In more time, the velocity with which it begins would take it further.
        """
        self._reach.shorten()
        return self._pacing.as_asked()
