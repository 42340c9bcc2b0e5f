"""What is wrong with an action or gait file beyond its form: names, sizes, expressions."""

from collections.abc import Collection, Iterator, Mapping

from softshell_actions.expression import ExpressionError, evaluate, holds
from softshell_actions.language import (
    Action,
    BaseMove,
    Gait,
    GaitMove,
    JointsMove,
    Move,
    Number,
    StepMove,
    SubAction,
    TipMove,
    TravelMove,
)
from softshell_actions.vocabulary import Vocabulary
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import SoftshellError, UnknownNameError


def gait_problems(
    file: YamlFile, gait: Gait, vocabulary: Vocabulary, actions: Mapping[str, Action]
) -> Iterator[str]:
    """Legs that do not exist or never step, and a stride that is no action."""
    try:
        stepping = list(vocabulary.timings(gait))
    except SoftshellError as error:
        yield file.problem(['legs'], str(error))
        return
    for text in _unknown('leg', stepping, vocabulary.legs):
        yield file.problem(['legs'], text)
    for leg in vocabulary.legs:
        if leg not in stepping:
            yield file.problem(['legs'], f'lacks the leg {leg!r}')
    for text in _unknown('action', [gait.stride], actions):
        yield file.problem(['stride'], text)


def condition_problems(
    file: YamlFile, where: list[int | str], condition: str, vocabulary: Vocabulary
) -> Iterator[str]:
    """A condition that is none, or names facts that the robot does not have."""
    try:
        holds(condition, dict.fromkeys(vocabulary.facts, False))
    except ExpressionError as error:
        yield file.problem(where, str(error))


def sub_action_problems(
    file: YamlFile,
    index: int,
    sub_action: SubAction,
    values: Mapping[str, float],
    vocabulary: Vocabulary,
    gaits: Mapping[str, Gait],
) -> Iterator[str]:
    """Unknown names, weights that do not fit, expressions without a value."""
    where: list[int | str] = ['sub_actions', index]
    for text in _expression_problems([sub_action.repeat], values):
        yield file.problem([*where, 'repeat'], text)
    if sub_action.duration is not None:
        for text in _expression_problems([sub_action.duration], values, positive=True):
            yield file.problem([*where, 'duration'], text)
    if sub_action.when is not None:
        yield from condition_problems(file, [*where, 'when'], sub_action.when, vocabulary)
    for number, move in enumerate(sub_action.moves):
        texts = [
            *_name_problems(move, vocabulary, gaits),
            *_weight_problems(move),
            *_expression_problems(_expressions(move), values),
        ]
        if isinstance(move, GaitMove):
            texts += _expression_problems([move.cycle], values, positive=True)
        for text in texts:
            yield file.problem([*where, 'moves', number], text)


def _name_problems(move: Move, vocabulary: Vocabulary, gaits: Mapping[str, Gait]) -> Iterator[str]:
    if isinstance(move, TravelMove | BaseMove | StepMove | GaitMove) and not vocabulary.legs:
        yield 'moves feet or base; expected a robot with legs'
        return
    try:
        match move:
            case StepMove():
                yield from _unknown('leg', vocabulary.legs_of(move), vocabulary.legs)
            case GaitMove(gait=gait):
                yield from _unknown('gait', [gait], gaits)
            case TipMove(group=group) | JointsMove(group=group):
                unknown = list(_unknown('group', [group], vocabulary.groups))
                yield from unknown or _member_problems(move, vocabulary)
    except SoftshellError as error:  # a placeholder
        yield str(error)


def _member_problems(move: TipMove | JointsMove, vocabulary: Vocabulary) -> Iterator[str]:
    """Chains and joints that the group of a move does not have."""
    known = vocabulary.groups[move.group].chains
    strangers = list(_unknown('chain', vocabulary.chains_of(move), known))
    yield from strangers
    if isinstance(move, TipMove):
        if not known:
            yield f'group {move.group!r} has no chains; expected joints or a pose'
        return
    if move.pose is not None:
        yield from _unknown('pose', [move.pose], vocabulary.poses)
    if not strangers:
        named = [
            joint for point in move.joints for name in point for joint in vocabulary.expand(name)
        ]
        yield from _unknown('joint', named, vocabulary.joints_of(move))


def _weight_problems(move: Move) -> Iterator[str]:
    match move:
        case BaseMove(base=points) | TipMove(points=points) | JointsMove(joints=points):
            weights = move.weights
        case _:
            return
    if weights is None:
        return
    if len(weights) != max(1, len(points)):
        yield f'weights has {len(weights)} entries; expected {max(1, len(points))}'
    if not all(weight > 0 for weight in weights):
        yield f'weights is {weights}; expected positive numbers'


def _expressions(move: Move) -> list[Number]:
    match move:
        case TravelMove(velocity=velocity):
            return [velocity.x, velocity.y, velocity.yaw]
        case StepMove() | GaitMove():
            return [move.height, move.slant, move.spread]
        case BaseMove(base=points) | TipMove(points=points):
            return [value for point in points for value in point.values()]
    return [value for point in move.joints for value in point.values()]


def _expression_problems(
    expressions: list[Number], values: Mapping[str, float], positive: bool = False
) -> Iterator[str]:
    for expression in expressions:
        try:
            value = evaluate(expression, values)
        except ExpressionError as error:
            yield str(error)
            continue
        if positive and value <= 0:
            yield f'is {value:g}; expected a positive number'


def _unknown(kind: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield str(UnknownNameError(kind, name, known))
