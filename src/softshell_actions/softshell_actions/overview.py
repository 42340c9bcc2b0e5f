"""An action in words: what it requires, its sub-actions, and how long it takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from softshell_actions.language.controller_move import ControllerMove
from softshell_actions.language.expression import evaluate, round_up
from softshell_actions.language.grammar import (
    AXES,
    Action,
    BaseMove,
    Coordinate,
    GaitMove,
    JointsMove,
    Move,
    Names,
    Number,
    StepMove,
    SubAction,
    TipMove,
    TravelMove,
    Use,
)
from softshell_actions.rehearsal import Part, Rehearsal, length, waits_for
from softshell_description.model import RobotModel
from softshell_kinematics.errors import SoftshellError


@dataclass(frozen=True)
class Row:
    """A sub-action, or the use of another action, in words.

    Attributes:
        name: of the sub-action, or `use` and the other action.
        repeat: how often, with the defaults.
        duration: of one repetition, with the defaults; empty if a gait or another action
            decides it.
        what: its condition, if any, and its moves; or the parameters of the other action.
    """

    name: str
    repeat: str
    duration: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """An action in words.

    Attributes:
        action: the action.
        path: of its file.
        requires: what has to be true before it, and which action makes it true.
        ensures: what has to be true after it, and what went wrong otherwise; may be empty.
        rows: its sub-actions as they are written.
        gaits: that a caller can choose by `gait:=`.
        performed: what a rehearsal with the defaults does and how long it takes, or why it fails.
    """

    action: Action
    path: Path
    requires: str
    ensures: str
    rows: tuple[Row, ...]
    gaits: tuple[str, ...]
    performed: str


def overview(robot: RobotModel, name: str) -> Overview:
    """An action of a robot in words.

    Raises:
        UnknownNameError: the robot has no such action.
        ProblemsError: everything that is wrong in the files of its actions and gaits.
    """
    rehearsal = Rehearsal(robot)
    action = rehearsal.library.action(name)
    values = rehearsal.library.values(action, {})
    return Overview(
        action,
        rehearsal.library.path(name),
        _requirement(action),
        _assurance(action),
        tuple(_row(part, values) for part in action.sub_actions),
        rehearsal.library.gaits_of(action),
        _performed(rehearsal, name),
    )


def told(move: Move) -> str:
    """What a move does, in words."""
    match move:
        case TravelMove(velocity=velocity):
            given = [name for name in AXES if name in velocity.model_fields_set]
            named = {name: getattr(velocity, name) for name in given}
            return f'travels, at the end with {_listed(named)}' if named else 'comes to rest'
        case StepMove(legs=legs):
            return f'steps with {_names(legs, "legs")}'
        case GaitMove(gait=gait, lift=lift):
            return f'follows the gait {gait}{"" if lift else ", lifting no foot"}'
        case ControllerMove(controller=name, references=references):
            return f'runs the controller {name}: {_listed(references) or "with its defaults"}'
        case BaseMove(base=points):
            return f'moves the base {_to(move)} {_points(points)}'
        case TipMove(group=group, points=points):
            chains = _names(move.chains, f'chains of {group}') + _like(move)
            return f'moves the tips of {chains} {_to(move)} {_points(points)}'
    joints = _names(move.chains, f'joints of {move.group}', 'joints of ')
    if move.pose is not None:
        return f'moves {joints} to the pose {move.pose}'
    return f'moves {joints}{_like(move)} to {_points(move.joints)}'


def _requirement(action: Action) -> str:
    requires = action.requires
    if requires is None:
        return 'nothing'
    if requires.action is None:
        return requires.condition
    return f'{requires.condition}; otherwise {requires.action} comes first'


def _assurance(action: Action) -> str:
    ensures = action.ensures
    return f'{ensures.condition}; otherwise {ensures.otherwise}' if ensures else ''


def _row(part: SubAction | Use, values: Mapping[str, float]) -> Row:
    times = max(0, round_up(evaluate(part.repeat, values)))
    repeat = f'{times}' if _is_plain(part.repeat) else f'{times} = {part.repeat}'
    if isinstance(part, Use):
        chosen = (f'{_listed(part.with_)}',) if part.with_ else ()
        return Row(f'use {part.use}', repeat, '', chosen)
    duration = '' if part.duration is None else f'{evaluate(part.duration, values):.3g} s'
    only = () if part.when is None else (f'only when {part.when}',)
    return Row(part.name, repeat, duration, (*only, *map(told, part.moves)))


def _performed(rehearsal: Rehearsal, name: str) -> str:
    try:
        before = list(rehearsal.prepare(name))
        own = list(rehearsal.perform(name))
    except SoftshellError as error:
        return f'cannot be performed from the pose {rehearsal.robot.start}: {error}'
    more = waits_for(rehearsal.library, name)
    runs = _runs(own) or ('what a controller decides' if more else 'does nothing')
    text = f'{length(own):.1f} s{more} with the defaults: {runs}'
    if before:
        text += f'; from the pose {rehearsal.robot.start} {length(before):.1f} s more, before that'
    return text


def _runs(parts: Iterable[Part]) -> str:
    """Names of sub-actions in order; repetitions in a row are counted."""
    runs = ((name, len([*run])) for name, run in groupby(parts, lambda part: part.call.name))
    return ', '.join(name if count == 1 else f'{name} × {count}' for name, count in runs)


def _is_plain(number: Number) -> bool:
    return isinstance(number, int | float)


def _like(move: TipMove | JointsMove) -> str:
    return '' if move.like is None else f', each like {move.like},'


def _to(move: BaseMove | TipMove) -> str:
    return 'by' if move.relative else 'to'


def _names(written: Names, every: str, of: str = '') -> str:
    return f'all {every}' if written == 'all' else of + ', '.join(written)


def _points(points: Iterable[Mapping[Coordinate, Number]] | Iterable[Mapping[str, Number]]) -> str:
    return ' → '.join(_listed(point) for point in points)


def _listed(values: Mapping[Coordinate, Number] | Mapping[str, Number]) -> str:
    return ', '.join(f'{name}: {_shown(value)}' for name, value in values.items())


def _shown(value: Number) -> str:
    return f'{value:g}' if isinstance(value, int | float) else value
