"""Performs one action of the running robot, or lists its actions, for the command line."""

import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from softshell_client.errors import ActionFailedError
from softshell_client.ros.shell import Shell
from softshell_common.outcome import Status
from softshell_interfaces.msg import ActionDescription
from softshell_kinematics.errors import ProblemsError

#: Exit status of a program that Ctrl-C has ended.
INTERRUPTED = 130
#: Typed like a parameter of an action: whether it waits until the actions before it have ended.
QUEUE = 'queue'
#: Typed like a parameter of an action: the gait that it follows.
GAIT = 'gait'


def list_actions(namespace: str) -> int:
    """Print the actions that the running robot knows.

    Args:
        namespace: namespace of the stack.

    Returns:
        Exit status: 0.

    Raises:
        SoftshellError: there is no action manager.
    """
    with Shell(namespace) as robot:
        actions = robot.actions()
    Console(markup=False).print(action_table(actions))
    return 0


def action_table(actions: Sequence[ActionDescription]) -> Table:
    """A table of actions and their parameters, one row for each."""
    table = Table('action', 'parameter', 'default', 'from', 'to', 'unit', 'meaning')
    for action in actions:
        table.add_row(Text(action.name, 'bold'), '', '', '', '', '', action.description)
        for one in action.parameters:
            numbers = (f'{value:g}' for value in (one.default_value, one.minimum, one.maximum))
            table.add_row('', one.name, *numbers, one.unit, one.meaning)
    return table


def perform(name: str, parameters: Mapping[str, str], namespace: str) -> int:
    """Perform an action and show its progress; Ctrl-C cancels it.

    Args:
        name: name of the action.
        parameters: values as typed, by parameter; `gait` names the gait that it follows, `queue`
            (`true` or `false`) says whether it waits until the actions before it have ended.
        namespace: namespace of the stack.

    Returns:
        Exit status: 0 if it succeeded, 130 if it was cancelled, else 1.

    Raises:
        ProblemsError: a parameter is no number, or `queue` is neither true nor false.
        SoftshellError: there is no action manager, or it ended before the action did.
    """
    gait = parameters.get(GAIT, '')
    queue = parameters.get(QUEUE, 'false')
    if queue not in ('true', 'false'):
        text = f'{QUEUE} is {queue!r}; expected true or false'
        raise ProblemsError(f'parameters of {name}', [text])
    others = {key: one for key, one in parameters.items() if key not in (GAIT, QUEUE)}
    values = numbers_of(name, others)
    columns = (TextColumn('{task.description}'), BarColumn(), TextColumn('{task.fields[what]}'))
    try:
        with (
            Progress(*columns, TimeElapsedColumn(), transient=True) as progress,
            Shell(namespace) as robot,
        ):
            task = progress.add_task(name, total=1.0, what='')
            duration = robot.perform(
                name,
                lambda what, done: progress.update(task, completed=done, what=what),
                gait=gait,
                queue=queue == 'true',
                **values,
            )
    except ActionFailedError as error:
        print(f'error: {error}', file=sys.stderr)
        return INTERRUPTED if error.status is Status.CANCELED else 1
    print(f'{name} succeeded in {duration:.1f} s')
    return 0


def numbers_of(name: str, parameters: Mapping[str, str]) -> dict[str, float]:
    """The values of an action's parameters, from texts as typed.

    Raises:
        ProblemsError: lists every parameter that is no number.
    """
    values, problems = {}, []
    for parameter, text in parameters.items():
        try:
            values[parameter] = float(text)
        except ValueError:
            problems.append(f'{parameter} is {text!r}; expected a number')
    if problems:
        raise ProblemsError(f'parameters of {name}', problems)
    return values
