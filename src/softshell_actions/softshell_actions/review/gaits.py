"""What is wrong with a gait: its legs, its stride, the defaults that it has for parameters."""

from collections.abc import Callable, Iterator, Mapping

from softshell_actions.language.gait import ANY_GAIT, CHOSEN, Gait
from softshell_actions.language.grammar import AXES, Action, GaitMove, TravelMove, Use
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.performing.call import Call
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import SoftshellError, UnknownNameError, nearest

#: Least part of a cycle for which a leg stands, and for which it swings.
SHORTEST = 0.001
#: Names that no gait may have: they stand for the gait that the caller chooses.
RESERVED = (ANY_GAIT, CHOSEN)


def following_any(actions: Mapping[str, Action]) -> set[str]:
    """Names of the actions that follow the gait that a caller chooses, or use such an action."""
    found: set[str] = set()
    while True:
        more = {name for name, action in actions.items() if _follows_any(action, found)}
        if more <= found:
            return found
        found |= more


def _follows_any(action: Action, known: set[str]) -> bool:
    for part in action.sub_actions:
        if isinstance(part, Use):
            if part.use in known:
                return True
        elif any(isinstance(m, GaitMove) and m.gait == ANY_GAIT for m in part.moves):
            return True
    return False


def name_problems(file: YamlFile, name: str) -> Iterator[str]:
    """Why a gait cannot have its name."""
    if name in RESERVED:
        text = f'is {name!r}, which stands for the gait that a caller chooses; expected another'
        yield file.problem(['name'], text)


def default_problems(file: YamlFile, gait: Gait, actions: Mapping[str, Action]) -> Iterator[str]:
    """Defaults of a gait that its stride has no parameters for, or that an action refuses."""
    stride = actions.get(gait.stride)
    if stride is None:
        return
    follows = [actions[name] for name in sorted(following_any(actions))]
    for name, value in gait.defaults.items():
        problem = stride.parameter_problem(name, value)
        for action in follows:
            if problem is None and name in action.parameters:
                problem = action.parameter_problem(name, value)
        if problem is not None:
            yield file.problem(['defaults', name], problem)


def timing_problems(file: YamlFile, gait: Gait, vocabulary: Vocabulary) -> Iterator[str]:
    """Legs of a gait that do not exist, never step, step twice, or swing or stand for no time."""
    lacking = list(vocabulary.legs)
    stepping: set[str] = set()
    for name, timing in gait.legs.items():
        if not SHORTEST <= timing.duty <= 1.0 - SHORTEST:
            text = f'is {timing.duty!r}; expected {SHORTEST:g} to {1.0 - SHORTEST:g}'
            yield file.problem(
                ['legs', name, 'duty'], f'{text}: legs need time to stand and swing'
            )
        try:
            legs = vocabulary.expand(name)
        except SoftshellError as error:
            yield file.problem(['legs', name], str(error))
            lacking = []  # which legs these are is not known
            continue
        for leg in legs:
            if leg in stepping:
                yield file.problem(['legs', name], f'leg {leg!r} is given already')
            elif leg not in vocabulary.legs:
                yield file.problem(
                    ['legs', name], str(UnknownNameError('leg', leg, vocabulary.legs))
                )
            stepping.add(leg)
    meant = {nearest(leg, lacking) for leg in stepping.difference(vocabulary.legs)}
    for leg in lacking:
        if leg not in stepping | meant:
            yield file.problem(['legs'], f'lacks the leg {leg!r}')


def stride_problems(
    gait: Gait, stride: Action, call: Callable[[str, Mapping[str, float], str], list[Call]]
) -> Iterator[str]:
    """Why an action cannot be the `stride` of a gait.

    Args:
        gait: the gait.
        stride: the action, which has no problems of its own.
        call: makes a call of an action, from its name, parameters and gait.

    Raises:
        SoftshellError: the call cannot be made.
    """
    lacking = [axis for axis in AXES if axis not in stride.parameters]
    if lacking:
        yield (
            f'action {stride.name!r} lacks the parameters {", ".join(lacking)}; expected an '
            f'action that takes a velocity: {", ".join(AXES)}'
        )
        return
    ranges = {axis: stride.parameters[axis] for axis in AXES}
    without_rest = [axis for axis in AXES if not ranges[axis].holds(0.0)]
    for axis in without_rest:
        yield (
            f'parameter {axis} of action {stride.name!r} is {ranges[axis].range}; expected a '
            'range with 0, at which the robot comes to rest'
        )
    if without_rest:
        return
    calls = call(stride.name, dict.fromkeys(AXES, 0.0), gait.name)
    if len(calls) != 1:
        yield (
            f'action {stride.name!r} has {len(calls)} sub-actions, repetitions included; '
            'expected one'
        )
        return
    move = calls[0].gait_move
    if move is None or move.gait != gait.name:
        yield (
            f'action {stride.name!r} does not follow this gait; expected a move with its name, '
            f'or with gait: {ANY_GAIT}'
        )
    if not any(isinstance(one, TravelMove) for one in calls[0].sub_action.moves):
        yield f'action {stride.name!r} gains no velocity; expected a move with velocity'
