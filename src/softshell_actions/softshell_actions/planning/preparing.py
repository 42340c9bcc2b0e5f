"""From a sub-action to the joint trajectory that the robot can follow.

A stride beyond the reach of a leg is made lower and shorter until all legs reach it; a motion that
is too fast for a joint is slowed down. The caller solves inverse kinematics: a `Preparation` is a
generator that yields questions and is sent the solutions.
"""

import itertools
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from softshell_actions.performing.call import Call
from softshell_actions.planning.detour import detours, furthest
from softshell_actions.planning.draft import Plan
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.reach import Question, Reach, Solution, UnreachableError, solve
from softshell_actions.state import State
from softshell_actions.trajectories.motion import Motion
from softshell_actions.trajectories.pacing import ATTEMPTS, Pacing
from softshell_kinematics.arrays import Array

#: How often a stride is slowed down before it is made shorter instead.
SLOWED = 4


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
        stretch = self._pacing.usual(call)
        remarks: list[str] = []
        for attempt in itertools.count():
            slower = call.slowed(stretch)
            try:
                within = yield from self._reach.within(slower, state, again=attempt > 0)
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
