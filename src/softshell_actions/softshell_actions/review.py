"""What is wrong with an action or gait file beyond its form: names, sizes, expressions."""

from collections.abc import Collection, Iterator, Mapping

from softshell_actions.expression import ExpressionError, evaluate
from softshell_actions.language import (
    Action,
    FootprintMove,
    Gait,
    JointsMove,
    Move,
    Number,
    PointsMove,
    StepMove,
    SubAction,
)
from softshell_common.errors import UnknownNameError
from softshell_common.yaml_file import YamlFile


def gait_problems(
    file: YamlFile,
    gait: Gait,
    chains: Mapping[str, tuple[str, ...]],
    actions: Mapping[str, Action],
) -> Iterator[str]:
    """Legs that do not exist or never step, and a stride that is no action."""
    stepping = [leg for legs in gait.leg_sets for leg in legs]
    for index, legs in enumerate(gait.leg_sets):
        for text in _unknown('chain', legs, chains['lower']):
            yield file.problem(['leg_sets', index], text)
    for leg in chains['lower']:
        if stepping.count(leg) != 1:
            yield file.problem(
                ['leg_sets'], f'{leg} steps {stepping.count(leg)} times; expected once'
            )
    for text in _unknown('action', [gait.stride], actions):
        yield file.problem(['stride'], text)


def sub_action_problems(
    file: YamlFile,
    index: int,
    sub_action: SubAction,
    values: Mapping[str, float],
    chains: Mapping[str, tuple[str, ...]],
    poses: Collection[str],
    gaits: Mapping[str, Gait],
) -> Iterator[str]:
    """Names nothing goes by, weights that do not fit, expressions without a value."""
    where: list[int | str] = ['sub_actions', index]
    for text in _expression_problems([sub_action.repeat], values):
        yield file.problem([*where, 'repeat'], text)
    for text in _expression_problems([sub_action.duration], values, positive=True):
        yield file.problem([*where, 'duration'], text)
    for number, move in enumerate(sub_action.moves):
        texts = [
            *_name_problems(move, chains, poses, gaits),
            *_weight_problems(move),
            *_expression_problems(_expressions(move), values),
        ]
        for text in texts:
            yield file.problem([*where, 'moves', number], text)


def _name_problems(
    move: Move,
    chains: Mapping[str, tuple[str, ...]],
    poses: Collection[str],
    gaits: Mapping[str, Gait],
) -> Iterator[str]:
    if isinstance(move, StepMove) and isinstance(move.legs, list):
        yield from _unknown('chain', move.legs, chains['lower'])
    elif isinstance(move, StepMove) and move.legs != 'all':
        yield from _unknown('gait', [str(move.legs)], gaits)
    if isinstance(move, PointsMove | JointsMove) and move.chains != 'all':
        yield from _unknown('chain', move.chains, chains.get(move.group, ()))
    if isinstance(move, JointsMove) and move.pose is not None:
        yield from _unknown('pose', [move.pose], poses)


def _weight_problems(move: Move) -> Iterator[str]:
    match move:
        case StepMove(step=points) | PointsMove(points=points) | JointsMove(joints=points):
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
        case FootprintMove(velocity=velocity):
            return [velocity.x, velocity.y, velocity.yaw]
        case StepMove(step=points, spread=spread):
            return [spread] + [value for point in points for value in (point.along, point.z)]
        case PointsMove(points=points):
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
