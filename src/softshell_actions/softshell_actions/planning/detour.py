"""Other ways for a base whose straight way leads out of its legs' reach.

Of two poses that legs reach, the poses between them need not be: what is reached is not convex.
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

#: Points towards which the way is bent are so much higher than both its ends, or lower [m].
BENDS = (0.02, 0.05, -0.02, 0.08)
#: Coordinates that change by less than this are not told [m] or [rad].
TOLD = 5e-4
#: How the base is turned there: level, or as the feet are as well. Level it is furthest from where
#: legs end.
TURNED = ({'pitch': 0.0, 'roll': 0.0}, {'pitch': 0.0, 'roll': 0.0, 'yaw': 0.0})


def detours(call: Call, state: State) -> Iterator[Call]:
    """The same sub-action with a base that goes over level poses, further and further away.

    Args:
        call: of any kind; one has detours where the base goes to one point, and no path is asked.
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
    """How far the base gets on a way that legs do not reach to its end, in words.

    Args:
        call: of any kind; nothing is told of one that moves no base.
        plan: of it, which cannot be solved.
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
    """Whether a move says where the base goes, but not how."""
    return not (
        len(move.base) > 1 or move.relative or move.model_fields_set - {'base', 'relative'}
    )
