"""The options of `./softshell action`, which need no running robot."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from softshell_actions.held import durations, held_against
from softshell_actions.language.grammar import Action, Parameter
from softshell_actions.language.schema import schema_text
from softshell_actions.overview import overview
from softshell_actions.rehearsal import Rehearsal
from softshell_client.ros.act import GAIT, numbers_of
from softshell_common.output_folder import OutputFolder
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_description.robots import ROBOT_FILE

#: Columns of a table of parameters, after the name.
COLUMNS = ('default', 'from', 'to', 'unit', 'meaning')


@dataclass(frozen=True)
class Request:
    """Which robot an option is about.

    Attributes:
        robot: name of the robot, or path of its folder; empty: found by the file, or the default.
        default: name of the robot that is used if no other is given.
    """

    robot: str
    default: str

    def load(self, path: Path | None = None) -> RobotModel:
        """Load the robot; if none is named, the one whose folder contains `path`.

        Raises:
            SoftshellError: there is no such robot, or its files are wrong.
        """
        if self.robot or path is None:
            return load_robot(self.robot or self.default)
        real = path.resolve()
        own = (folder for folder in (real, *real.parents) if (folder / ROBOT_FILE).is_file())
        return load_robot(next(own, self.default))


def list_actions(request: Request) -> None:
    """Print the actions of a robot.

    Raises:
        SoftshellError: there is no such robot, or its files are wrong.
    """
    robot = request.load()
    table = Table('action', 'parameter', *COLUMNS)
    for action in Rehearsal(robot).library.actions.values():
        table.add_row(Text(action.name, 'bold'), *[''] * len(COLUMNS), action.description)
        for name, entry in action.parameters.items():
            table.add_row('', name, *_cells(entry))
    Console(markup=False).print(table)


def describe(request: Request, name: str) -> None:
    """Print everything about an action.

    Raises:
        SoftshellError: there is no such robot or action, or the robot's files are wrong.
    """
    robot = request.load()
    found = overview(robot, name)
    action, console = found.action, Console(markup=False)
    console.print(Text(action.name, 'bold'), f'of {robot.name}: {action.description}')
    facts = Table.grid(padding=(0, 2))
    facts.add_row('requires', found.requires)
    if found.ensures:
        facts.add_row('ensures', found.ensures)
    facts.add_row('priority', f'{action.priority}')
    if found.gaits:
        facts.add_row('gait', f'{", ".join(found.gaits)}; by default the one on cmd_vel')
    facts.add_row('takes', found.performed)
    facts.add_row('file', str(found.path))
    console.print(facts, highlight=False)
    if action.parameters:
        console.print(_parameters(action))
    table = Table('sub-action', 'times', 'duration', 'does')
    for row in found.rows:
        table.add_row(row.name, row.repeat, row.duration, '\n'.join(row.what))
    console.print(table)


def check(request: Request, path: Path) -> None:
    """Check files of actions and gaits for a robot, and print how long the actions take.

    Args:
        request: which robot.
        path: path of a file or a folder; a `robot.yaml` stands for its folder.

    Raises:
        ProblemsError: lists everything that is wrong with them.
        SoftshellError: there is no such robot or file.
    """
    path = path.parent if path.name == ROBOT_FILE else path
    robot = request.load(path)
    held = held_against(robot, path)
    for name, text in durations(robot, held):
        print(f'{name}: {text}')
    print(f'{path}: all right for {robot.name}')


def preview(
    request: Request, what: str, given: Mapping[str, str], pose: str, output: Path | None
) -> None:
    """Draw an action as an animation.

    Args:
        request: which robot.
        what: name of the action, or path of its file.
        given: its parameters as typed; `gait` is the gait that it follows.
        pose: pose in which the robot begins; empty: its start.
        output: the animation, .gif or .mp4; None: out/preview/<robot>-<action>.gif.

    Raises:
        SoftshellError: there is no such robot, action, parameter, gait or pose; a file is wrong;
            the action cannot be performed; or the animation cannot be written.
    """
    from softshell_recording.preview import kind_of, save_preview
    from softshell_recording.rehearsed import rehearsed

    robot, name, library = request.load(Path(what) if is_path(what) else None), what, None
    if is_path(what):
        name, library = Path(what).stem, held_against(robot, Path(what)).library
    path = output or Path('out') / 'preview' / f'{robot.name}-{name}.gif'
    kind_of(path)
    values = numbers_of(name, {key: text for key, text in given.items() if key != GAIT})
    rehearsal, gait = Rehearsal(robot, pose or None, library), given.get(GAIT, '')
    if gait:
        rehearsal.library.choose(rehearsal.library.action(name), gait)
    shown = rehearsed(rehearsal, name, values, gait)
    columns = (TextColumn('drawing {task.description}'), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task(name, total=1.0)
        faster = save_preview(
            robot, shown, path, lambda done: progress.update(task, completed=done)
        )
    pace = f', shown at {faster:.1f} times the speed' if faster > 1.0 else ''
    print(f'{name} takes {shown.times[-1]:.1f} s{pace}: {path}')


def schema(kind: str, output: Path | None) -> None:
    """Print or write the JSON schema of a kind of files.

    Raises:
        SoftshellError: there is no such kind of files, or the file cannot be written.
    """
    text = schema_text(kind)
    if output is None:
        print(text, end='')
        return
    with OutputFolder(output.parent).new_file(output.name) as path:
        path.write_text(text, encoding='utf-8')
    print(f'{kind}: {output}')


def is_path(what: str) -> bool:
    """Whether a word is the path of a file, not the name of an action."""
    return '/' in what or what.endswith(('.yaml', '.yml'))


def _parameters(action: Action) -> Table:
    table = Table('parameter', *COLUMNS)
    for name, entry in action.parameters.items():
        table.add_row(name, *_cells(entry))
    return table


def _cells(entry: Parameter) -> tuple[str, ...]:
    numbers = (f'{value:g}' for value in (entry.default, entry.minimum, entry.maximum))
    return (*numbers, entry.unit, entry.meaning)
