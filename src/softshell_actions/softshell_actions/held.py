"""Files of actions and gaits from anywhere, checked for a robot."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from softshell_actions.language.files import ACTIONS, GAITS
from softshell_actions.language.gait import Gait
from softshell_actions.library import NOTHING_INSTEAD, ActionLibrary, Instead
from softshell_actions.rehearsal import Rehearsal, RequirementError, length, waits_for
from softshell_actions.robot import body_of
from softshell_common.yaml_file import YamlFile, yaml_files
from softshell_description.model import RobotModel
from softshell_description.robots import ROBOT_FILE
from softshell_kinematics.errors import ProblemsError, SoftshellError


@dataclass(frozen=True)
class Held:
    """A robot's actions and gaits together with some files, which replace those of the same name.

    Attributes:
        library: all actions and gaits.
        names: of the actions that are held: those in the files, or all of a robot.
    """

    library: ActionLibrary
    names: tuple[str, ...]


def held_against(robot: RobotModel, path: Path) -> Held:
    """Check the actions and gaits of a file or folder together with those of a robot.

    Args:
        robot: the robot.
        path: a file, a folder with files or with `actions/` and `gaits/`, or the folder of a robot
            that has neither, because it takes all of them from another one.

    Raises:
        SoftshellError: the path holds no such file.
        ProblemsError: everything that is wrong with the files, and with those of the robot that
            use them.
    """
    files = files_below(path)
    try:
        library = body_of(robot).library(instead=files)
    except ProblemsError as error:
        raise ProblemsError(f'{path.resolve()} for {robot.name}', error.problems) from None
    own = tuple(file.stem for file in files.actions)
    return Held(library, own if files != NOTHING_INSTEAD else tuple(library.actions))


def files_below(path: Path) -> Instead:
    """The files of actions and gaits at a path: a file, or those in a folder, if any of a robot.

    Raises:
        SoftshellError: there are none.
    """
    if path.is_file():
        return Instead(gaits=(path,)) if _is_gait(path) else Instead(actions=(path,))
    if not path.is_dir():
        raise SoftshellError(f'there is no file or folder {str(path)!r}')
    of_kinds = [tuple(yaml_files(path / kind)) for kind in (ACTIONS, GAITS)]
    files = Instead(*of_kinds)
    if not any(of_kinds):
        if (path / ROBOT_FILE).is_file():
            return NOTHING_INSTEAD
        plain = yaml_files(path)
        gaits = tuple(file for file in plain if _is_gait(file))
        files = Instead(tuple(file for file in plain if file not in gaits), gaits)
    if not (files.actions or files.gaits):
        raise SoftshellError(f'{path}: holds no file *.yaml of an action or a gait')
    return files


def _is_gait(path: Path) -> bool:
    """Whether a file holds a gait: from the name of its folder, else from its keys."""
    if path.resolve().parent.name in (ACTIONS, GAITS):
        return path.resolve().parent.name == GAITS
    try:
        data = YamlFile(path).data
    except ProblemsError:  # reported when it is read as an action
        return False
    own = Gait.model_fields.keys() - {'name', 'description'}
    return isinstance(data, dict) and not own.isdisjoint(data)


def durations(robot: RobotModel, held: Held) -> Iterator[tuple[str, str]]:
    """Rehearse the actions of files with their defaults, one by one; how long each takes.

    Args:
        robot: the robot.
        held: the files.

    Yields:
        Name of the action, and in words how long it takes, or why it was not rehearsed.

    Raises:
        ProblemsError: all actions that the robot cannot perform with their defaults, each with
            its file.
    """
    problems = []
    for name in held.names:
        rehearsal = Rehearsal(robot, library=held.library)
        try:
            before = length(rehearsal.prepare(name))
            own = length(rehearsal.perform(name))
        except RequirementError as error:
            yield name, f'not rehearsed: {error}'
        except SoftshellError as error:
            text = f'cannot be performed with the defaults: {error}'
            problems.append(held.library.problem(name, ('sub_actions',), text))
        else:
            first = f', after {before:.1f} s for what it requires' if before else ''
            more = waits_for(held.library, name)
            takes = f'takes {own:.1f} s{more}{first}'
            yield name, takes if own or more else 'does nothing from the start pose'
    if problems:
        raise ProblemsError(f'actions of {robot.name}', problems)
