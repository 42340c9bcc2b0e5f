"""What is wrong with the moves of a sub-action: names, sizes, joints that two moves claim."""

import math
from collections.abc import Iterator, Sequence

from softshell_actions.language.controller_move import ControllerMove
from softshell_actions.language.expression import ExpressionError, round_up
from softshell_actions.language.grammar import (
    Action,
    BaseMove,
    GaitMove,
    JointsMove,
    Move,
    Number,
    StepMove,
    SubAction,
    TipMove,
    TravelMove,
)
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.performing.call import LONGEST
from softshell_actions.review.actions import Known, Scope, condition_problems, repeated, unknown
from softshell_actions.review.curves import curve_problems
from softshell_common.wording import Location
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import SoftshellError

#: Coordinates that turn a tip.
ANGLES = {'yaw', 'pitch', 'roll'}
#: Positions no further than this beyond a limit are rounding errors [rad] or [m].
ROUNDING = 1e-9
#: Least and largest height and slant of a step; at slant 0.5 a foot rises on half of its way.
SHAPES = {'height': (0.0, math.inf), 'slant': (0.0, 0.5)}


def sub_action_problems(
    file: YamlFile, where: Location, sub_action: SubAction, scopes: Sequence[Scope], known: Known
) -> Iterator[str]:
    """Unknown names, numbers out of range, expressions without a value, joints moved twice.

    Args:
        file: that holds the sub-action.
        where: the place of the sub-action in the file.
        sub_action: the sub-action.
        scopes: numbers for its expressions: first with the defaults of the parameters, then with
            other values.
        known: what it may refer to.
    """
    scope = scopes[0]
    for text in scope.problems(sub_action.repeat):
        yield file.problem((*where, 'repeat'), text)
    repeats = [(each, _known_value(sub_action.repeat, each)) for each in scopes]
    performed = [each for each, times in repeats if times is None or round_up(times) > 0]
    if sub_action.duration is not None:
        duration = sub_action.duration
        texts = [*scope.problems(duration), *_time_problems(duration, performed, LONGEST)]
        for text in texts:
            yield file.problem((*where, 'duration'), text)
    if sub_action.when is not None:
        yield from condition_problems(file, (*where, 'when'), sub_action.when, known.vocabulary)
    claimed: dict[str, int] = {}
    for number, move in enumerate(sub_action.moves):
        place = (*where, 'moves', number)
        names = list(_name_problems(move, known))
        texts = [*names, *_weight_problems(move)]
        for expression in _expressions(move):
            texts += scope.problems(expression)
        if isinstance(move, GaitMove):
            texts += scope.problems(move.cycle)
            texts += _time_problems(move.cycle, performed, math.inf)
        if not names:
            texts += _claim_problems(_claims(move, known.vocabulary), claimed, number)
        for text in texts:
            yield file.problem(place, text)
        yield from curve_problems(file, place, move, scope)
        if isinstance(move, StepMove | GaitMove):
            yield from _shape_problems(file, place, move, performed)
        if isinstance(move, JointsMove) and not names:
            yield from _range_problems(file, place, move, performed, known.vocabulary)


def scopes_of(action: Action, scope: Scope) -> list[Scope]:
    """Numbers for an action's expressions: with the defaults, and with each parameter at its ends.

    Args:
        action: the action.
        scope: numbers with the defaults of the parameters.
    """
    scopes = [scope]
    for name, parameter in action.parameters.items():
        for value in (parameter.minimum, parameter.maximum):
            if value != parameter.default:
                scopes.append(scope.changed(name, value, action.variables))
    return scopes


def _name_problems(move: Move, known: Known) -> Iterator[str]:
    vocabulary = known.vocabulary
    if isinstance(move, TravelMove | BaseMove | StepMove | GaitMove) and not vocabulary.legs:
        yield 'moves feet or base; expected a robot with legs'
        return
    try:
        match move:
            case StepMove():
                legs = vocabulary.legs_of(move)
                yield from unknown('leg', legs, vocabulary.legs)
                yield from repeated('leg', legs)
            case ControllerMove(controller=name):
                yield from unknown('controller', [name], vocabulary.controllers)
            case GaitMove(gait=gait):
                yield from known.unknown_gait(gait)
            case TipMove(group=group) | JointsMove(group=group):
                strangers = list(unknown('group', [group], vocabulary.groups))
                yield from strangers or _member_problems(move, vocabulary)
    except SoftshellError as error:  # an unknown placeholder
        yield str(error)


def _member_problems(move: TipMove | JointsMove, vocabulary: Vocabulary) -> Iterator[str]:
    """Chains and joints that the group of a move does not have; that there is no joint to move."""
    known = vocabulary.groups[move.group].chains
    chains = vocabulary.chains_of(move)
    written = chains if move.like is None else (*chains, move.like)
    strangers = list(unknown('chain', dict.fromkeys(written), known))
    yield from strangers
    twice = list(repeated('chain', chains))
    yield from twice
    images = [] if strangers else list(_image_problems(move, vocabulary))
    yield from images
    if isinstance(move, TipMove):
        if not known:
            yield f'group {move.group!r} has no chains; expected joints or a pose'
        return
    if move.pose is not None:
        yield from unknown('pose', [move.pose], vocabulary.poses)
    if not strangers:
        named = [
            joint for point in move.joints for name in point for joint in vocabulary.expand(name)
        ]
        like = move.like
        joints = vocabulary.joints_of(move) if like is None else vocabulary.own_joints[like]
        strange = list(unknown('joint', dict.fromkeys(named), joints))
        yield from strange
        for point in () if strange or twice or images else move.joints:
            targets = [joint for name in point for joint, _ in vocabulary.targets(move, name)]
            yield from repeated('joint', targets)
        if not (strange or vocabulary.joints_of(move)):
            yield 'moves no joint; expected a group or chains with joints of their own'


def _image_problems(move: TipMove | JointsMove, vocabulary: Vocabulary) -> Iterator[str]:
    """Chains that are no image of the move's `like`, or for which its points have no image."""
    if move.like is None:
        return
    for chain in vocabulary.chains_of(move):
        try:
            image = vocabulary.image(move, chain)
        except SoftshellError as error:
            yield str(error)
            continue
        if isinstance(move, JointsMove):
            continue
        named = {name for point in move.points for name in point}
        if len(named & {'x', 'y'}) == 1 and not image.is_straight:
            yield (
                f'points name {min(named & {"x", "y"})} alone; expected both x and y, or neither, '
                f'as {chain!r} is turned so that its image depends on both'
            )
        if not image.turns and not named.isdisjoint(ANGLES):
            yield (
                f'points name {", ".join(sorted(named & ANGLES))}; expected none, as the frame of '
                f'the tip of {chain!r} is no image of that of {move.like!r}'
            )


def _weight_problems(move: Move) -> Iterator[str]:
    match move:
        case BaseMove(base=points) | TipMove(points=points) | JointsMove(joints=points):
            weights = move.weights
        case _:
            return
    if weights is not None and len(weights) != max(1, len(points)):
        yield f'weights has {len(weights)} entries; expected {max(1, len(points))}'


def _expressions(move: Move) -> list[Number]:
    match move:
        case TravelMove(velocity=velocity):
            return [velocity.x, velocity.y, velocity.yaw]
        case StepMove() | GaitMove():
            return [move.height, move.slant, move.spread]
        case BaseMove(base=points) | TipMove(points=points):
            return [value for point in points for value in point.values()]
        case ControllerMove(references=references):
            return [*references.values()]
    return [value for point in move.joints for value in point.values()]


def _claims(move: Move, vocabulary: Vocabulary) -> list[str]:
    """What a move sets and no other move may set, in words; all names of the move are known."""
    match move:
        case TravelMove():
            return ['the velocity']
        case BaseMove():
            return ['the base']
        case ControllerMove():
            return ['the robot']
        case JointsMove():
            return [f'joint {joint!r}' for joint in vocabulary.joints_of(move)]
    if isinstance(move, TipMove):
        limbs = vocabulary.chains_of(move)
    else:
        limbs = vocabulary.legs_of(move) if isinstance(move, StepMove) else vocabulary.legs
    joints = [f'joint {joint!r}' for limb in limbs for joint in vocabulary.own_joints[limb]]
    return [*joints, *(f'the tip of {limb!r}' for limb in limbs)]


def _claim_problems(claims: Sequence[str], claimed: dict[str, int], number: int) -> Iterator[str]:
    """A line if a move sets what one before it sets; adds its claims to `claimed`."""
    twice = next((claim for claim in claims if claim in claimed), None)
    if twice is not None:
        yield f'moves.{claimed[twice]} sets {twice} already; expected one move for it'
    for claim in claims:
        claimed.setdefault(claim, number)


def _shape_problems(
    file: YamlFile, where: Location, move: StepMove | GaitMove, scopes: Sequence[Scope]
) -> Iterator[str]:
    """Heights and slants that no step can have."""
    for key, (least, most) in SHAPES.items():
        expected = f'{least:g} to {most:g}' if math.isfinite(most) else f'at least {least:g}'
        for scope in scopes:
            value = _known_value(getattr(move, key), scope)
            if value is not None and not least - ROUNDING <= value <= most + ROUNDING:
                yield file.problem((*where, key), f'is {value:g}{scope.told}; expected {expected}')
                break


def _time_problems(time: Number, scopes: Sequence[Scope], longest: float) -> Iterator[str]:
    """A line if a time is not more than 0, or more than the longest [s]."""
    for scope in scopes:
        value = _known_value(time, scope)
        if value is not None and not 0.0 < value <= longest:
            expected = 'a positive number' if value <= 0.0 else f'at most {longest:g} s'
            yield f'is {value:g}{scope.told}; expected {expected}'
            return


def _known_value(expression: Number, scope: Scope) -> float | None:
    """Value of an expression; None if it has none, which is reported elsewhere."""
    try:
        return scope.value(expression)
    except ExpressionError:
        return None


def _range_problems(
    file: YamlFile,
    where: Location,
    move: JointsMove,
    scopes: Sequence[Scope],
    vocabulary: Vocabulary,
) -> Iterator[str]:
    """Positions that are outside the ranges of their joints."""
    for index, point in enumerate(move.joints):
        for name, expression in point.items():
            problems = (
                problem
                for scope in scopes
                for joint, sign in vocabulary.targets(move, name)
                for problem in _outside(joint, sign, expression, scope, vocabulary)
            )
            first = next(problems, None)
            if first is not None:
                yield file.problem((*where, 'joints', index, name), first)


def _outside(
    joint: str, sign: float, expression: Number, scope: Scope, vocabulary: Vocabulary
) -> Iterator[str]:
    value = _known_value(expression, scope)
    if value is None or joint not in vocabulary.limits:
        return
    value *= sign
    lower, upper = vocabulary.limits[joint]
    if not lower - ROUNDING <= value <= upper + ROUNDING:
        yield f'{joint} is {value:g}{scope.told}; expected {lower:g} to {upper:g}'
