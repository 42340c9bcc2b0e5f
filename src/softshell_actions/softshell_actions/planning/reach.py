"""Strides that all legs reach: feet are lifted less first, then the strides get shorter."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from softshell_actions.performing.call import Call
from softshell_actions.planning.carried import share_within
from softshell_actions.planning.draft import Plan
from softshell_actions.planning.planner import Planner
from softshell_actions.state import State
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Parts of the height to which feet are lifted, tried one after another.
LIFTS = (1.0, 0.6, 0.3)
#: Steps of bisection in the search for the longest stride.
HALVINGS = 5
#: Part of the longest stride within reach that is walked: joints of stretched legs move fast.
WITHIN = 0.8
#: Largest speed of a joint at the start of a stride, as part of its limit.
CALM = 0.9
#: Factor by which a stride is shortened that would have to be slowed down too much.
SHORTER = 0.6
#: The reach of a gait counts while the base is no further than this from its pose at rest [m],
#: [rad].
NEARLY = 0.003
#: How many further strides have to be possible before one begins: each leg has to land and lift.
AHEAD = 2


class UnreachableError(SoftshellError):
    """A plan with goals that no joint positions reach."""


@dataclass(frozen=True)
class Question:
    """A question to inverse kinematics.

    Args:
        limbs: tip goals by chain, (points, 6) x y z yaw pitch roll in the base, NaN where free.
        seed: joint positions at the start by name [rad] or [m].
        posture: (1 or points,) positions by joint, to which legs that reach their goals in more
            than one way come as near as these allow [rad] or [m].
    """

    limbs: Mapping[str, Array]
    seed: Mapping[str, float]
    posture: Mapping[str, Array] = field(default_factory=dict)


#: Joint paths (points,) by name.
Solution = Mapping[str, Array]


@dataclass(frozen=True)
class Within:
    """A sub-action that all legs reach.

    Args:
        call: the sub-action.
        share: part of the way that was asked for.
        remark: what was reduced, and why; empty if nothing was.
    """

    call: Call
    share: float = 1.0
    remark: str = ''


class Reach:
    """Makes strides lower and shorter, as far as they have to be for all legs to reach them.

    Args:
        planner: plans them.
        speeds: largest speed of each joint by name [rad/s] or [m/s].
    """

    def __init__(self, planner: Planner, speeds: Mapping[str, float]) -> None:
        self._planner, self._speeds = planner, speeds
        self._asked: Call | None = None
        self._found: Call | None = None
        self._share, self._level, self._trusting = 1.0, 0, True

    def within(
        self, call: Call, state: State, again: bool = False
    ) -> Generator[Question, Solution, Within]:
        """A sub-action, reduced so that all legs reach it.

        Args:
            call: of any kind; only the steps of a gait can be made lower, and strides shorter.
            state: where it starts.
            again: whether it is the call of the time before, only slower.

        Raises:
            UnreachableError: not even a short stride is possible; the text says why.
        """
        if call.gait_move is None:
            return Within(call)
        if not again:
            self._remember(call, state)
        longest = self._share * self._within_reach(call, state) if call.travels else 1.0
        reason = ''
        for level in range(self._level, len(LIFTS)):
            lower = call.shortened(longest).lower(LIFTS[level])
            if not reason and (self._trusts(call, state) or lower == self._found):
                return Within(lower, longest)  # by the gait's reach, or equal to the one before
            problem = yield from self._problem(lower, state)
            if not problem:
                self._found, self._level = lower, level
                remark = f'{call.name} lifts feet {LIFTS[level]:.0%} as high: {reason}'
                return Within(lower, longest, remark if reason else '')
            reason = reason or problem
        self._level = len(LIFTS) - 1
        share = (yield from self._longest(call, state, longest)) if call.travels else 0.0
        if share == 0.0:
            raise UnreachableError(reason)
        self._share, self._found = share, call.shortened(share).lower(LIFTS[-1])
        return Within(self._found, share, f'{call.name} is shortened to {share:.0%}: {reason}')

    def veered(self, within: Within, change: Array, state: State) -> Within:
        """A stride at a changed velocity, slowed down if its gait's reach leaves no room for that.

        Args:
            within: the stride before the change.
            change: (3,) of the velocity, x, y [m/s] and yaw [rad/s].
            state: where it starts.
        """
        call = within.call.veered(change)
        room = self._within_reach(call, state) if call.travels and within.call.travels else 1.0
        return replace(within, call=call.shortened(room), share=within.share * room)

    def stops(self, call: Call, state: State) -> Generator[Question, Solution, bool]:
        """Whether the robot can come to rest after a stride at a changed velocity."""
        if not call.travels or self._trusts(call, state):
            return True
        return not (yield from self._problem(call, state, ahead=0))

    def forget(self) -> bool:
        """Forget what is known of strides, so that the next is checked; whether anything was."""
        known = self._found is not None or self._trusting
        self._found, self._trusting = None, False
        return known

    def shorten(self) -> None:
        """Try shorter strides from now on."""
        self._share *= SHORTER

    def _remember(self, call: Call, state: State) -> None:
        """Note the call; keep what was possible before, if it is the same and in motion."""
        if state.at_rest:
            self._share, self._level, self._found = 1.0, 0, None
        if state.at_rest or call != self._asked:
            self._share, self._trusting = 1.0, True
        self._asked = call

    def _within_reach(self, call: Call, state: State) -> float:
        """Part of a stride in which no foot leaves the reach of its gait."""
        move, stance = call.gait_move, self._planner.stance
        if move is None or stance is None:
            return 1.0
        return share_within(call, state, stance, self._planner.cycle(move.gait))

    def _trusts(self, call: Call, state: State) -> bool:
        """Whether its gait's reach is enough to know that this stride and later ones work."""
        move, stance = call.gait_move, self._planner.stance
        if move is None or stance is None or not self._trusting:
            return False
        off = state.base_position - [0.0, 0.0, stance.stand_height]
        level = state.base_rotation.magnitude() < NEARLY
        return level and bool(np.abs(off).max() < NEARLY and self._planner.cycle(move.gait).reach)

    def _longest(
        self, call: Call, state: State, high: float
    ) -> Generator[Question, Solution, float]:
        """Part of a stride that all legs reach, with feet lifted as little as possible."""
        low = 0.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            lower = call.shortened(middle).lower(LIFTS[-1])
            if (yield from self._problem(lower, state)):
                high = middle
            else:
                low = middle
        return low * WITHIN

    def _problem(
        self, call: Call, state: State, ahead: int = AHEAD
    ) -> Generator[Question, Solution, str]:
        """Why a call cannot be solved; empty if it can.

        Args:
            call: the call.
            state: where it starts.
            ahead: how many further strides like it have to be possible, if it travels, before the
                robot comes to rest.
        """
        try:
            whole = [call] * (1 + ahead) if call.travels else [call]
            stop = [call.shortened(0.0)] * 2 if call.travels else []
            for place, following in enumerate((*whole, *stop)):
                plan = self._planner.plan(following, state)
                solved = yield from solve(plan, state)
                # The speeds at which the first one begins cannot be changed.
                hurried = self._hurried(plan, solved) if place else ''
                if hurried:
                    return hurried
                ends = {name: float(path[-1]) for name, path in solved.items()}
                state = plan.end.with_joints(ends)
        except UnreachableError as error:
            return str(error)
        return ''

    def _hurried(self, plan: Plan, solved: Solution) -> str:
        """Which joint is too fast at the start, where slowing down does not help; may be empty."""
        for name, path in solved.items():
            # Of the parabola through the first three points.
            speed = abs(2.0 * path[1] - 1.5 * path[0] - 0.5 * path[2]) / plan.times[1]
            limit = CALM * self._speeds[name]
            if speed > limit:
                return f'{name} would begin at speed {speed:.4g}; expected at most {limit:.4g}'
        return ''


def solve(plan: Plan, state: State) -> Generator[Question, Solution, Solution]:
    """Ask for the joint paths of a plan; empty if it has no goals for limbs."""
    if not plan.limbs:
        return {}
    return (yield Question(plan.limbs, state.joints, plan.posture))
