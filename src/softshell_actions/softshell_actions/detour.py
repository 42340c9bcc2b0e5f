"""Other ways for a base whose straight way leads out of its legs' reach.

Of two poses that legs reach, the poses between them need not be: what is reached is not convex.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

from softshell_actions.call import Call
from softshell_actions.language import BaseMove
from softshell_actions.state import State
from softshell_kinematics.transforms import angles_from_rotation

#: Points towards which the way is bent are so much higher than both its ends, or lower [m].
BENDS = (0.02, 0.05, -0.02, 0.08)
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


def _is_free(move: BaseMove) -> bool:
    """Whether a move says where the base goes, but not how."""
    return not (
        len(move.base) > 1 or move.relative or move.model_fields_set - {'base', 'relative'}
    )
