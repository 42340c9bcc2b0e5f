"""Detours for a base whose straight way leads out of its legs' reach.

Legs may reach two poses of the base but not all poses between: the reachable set is not convex.
"""

import itertools
from collections.abc import Generator, Iterator
from dataclasses import replace

from softshell_actions.language.grammar import BaseMove
from softshell_actions.performing.call import Call
from softshell_actions.planning.draft import Plan
from softshell_actions.planning.reach import Question, Solution, UnreachableError
from softshell_actions.state import State
from softshell_kinematics.transforms import COORDINATES, angles_from_rotation

#: How much higher than both ends of the way, or lower, the point is that it is bent towards [m].
BENDS = (0.02, 0.05, -0.02, 0.08)
#: Coordinates that change by less than this are left out of messages [m] or [rad].
TOLD = 5e-4
#: How the base is turned there: level, or level and straight ahead. A level base leaves its legs
#: most room.
TURNED = ({'pitch': 0.0, 'roll': 0.0}, {'pitch': 0.0, 'roll': 0.0, 'yaw': 0.0})


def detours(call: Call, state: State) -> Iterator[Call]:
    """The same sub-action with a base that makes a detour over a level pose; several in turn.

    Args:
        call: of any kind; only a base that goes to one point, by no path of its own, has detours.
        state: where it starts.
    """
    moves = call.sub_action.moves
    bases = [place for place, move in enumerate(moves) if isinstance(move, BaseMove)]
    if not bases or not isinstance(move := moves[bases[0]], BaseMove) or not _is_free(move):
        return
    goal = move.base[0]
    begin = float(state.base_position[2])
    yaw, pitch, roll = angles_from_rotation(state.base_rotation.as_matrix()).tolist()
    end = call.value(goal['z']) if 'z' in goal else begin
    for turned, bend in itertools.product(TURNED, BENDS):
        over = {'z': (max if bend > 0.0 else min)(begin, end) + bend, **turned}
        kept = {'z': begin, 'yaw': yaw, 'pitch': pitch, 'roll': roll}
        bent = move.model_copy(update={'base': [over, {**kept, **goal}]})
        others = [*moves[: bases[0]], bent, *moves[bases[0] + 1 :]]
        yield replace(call, sub_action=call.sub_action.model_copy(update={'moves': others}))


def furthest(call: Call, plan: Plan, state: State) -> Generator[Question, Solution, str]:
    """Find how far the base gets on a way that the legs cannot follow to its end, in words.

    Args:
        call: of any kind; the text is empty if it does not move the base.
        plan: of the call, which cannot be solved.
        state: where it starts.
    """
    moves = (move for move in call.sub_action.moves if isinstance(move, BaseMove))
    named = {name for move in moves for point in move.base for name in point}
    within, beyond = 0, len(plan.times) - 1
    while named and beyond - within > 1:
        middle = (within + beyond) // 2
        try:
            part = {limb: path[: middle + 1] for limb, path in plan.limbs.items()}
            yield Question(part, state.joints)
        except UnreachableError:
            beyond = middle
        else:
            within = middle
    begin, end = (
        [*plan.base.origins[point], *angles_from_rotation(plan.base.rotations[point])]
        for point in (0, within)
    )
    told = ', '.join(
        f'{name} = {there:.3f} ({there - here:+.3f})'
        for name, here, there in zip(COORDINATES, begin, end, strict=True)
        if name in named and abs(there - here) >= TOLD
    )
    return f'; on this way the base gets to {told}' if told else ''


def _is_free(move: BaseMove) -> bool:
    """Whether a move says where the base goes, but not along which path."""
    return not (
        len(move.base) > 1 or move.relative or move.model_fields_set - {'base', 'relative'}
    )
