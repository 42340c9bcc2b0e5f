"""Performs one action of the running robot, or lists them, for the command line."""

import sys
from collections.abc import Mapping

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from softshell_actions.client import ActionFailedError, Shell
from softshell_actions.performer import Status
from softshell_common.errors import SoftshellError

#: Exit status of a program that Ctrl-C has ended.
INTERRUPTED = 130


def list_actions(namespace: str, timeout: float) -> int:
    """Print the actions the running robot knows."""
    with Shell(namespace, timeout) as shell:
        actions = shell.actions()
    table = Table('action', 'parameter', 'default', 'from', 'to', 'unit', 'meaning')
    for action in actions:
        table.add_row(f'[bold]{action.name}[/bold]', '', '', '', '', '', action.description)
        rows = zip(
            action.parameters,
            action.minimum,
            action.maximum,
            action.unit,
            action.meaning,
            strict=True,
        )
        for parameter, least, most, unit, meaning in rows:
            numbers = (f'{value:g}' for value in (parameter.value, least, most))
            table.add_row('', parameter.name, *numbers, unit, meaning)
    Console().print(table)
    return 0


def perform(name: str, parameters: Mapping[str, str], namespace: str, timeout: float) -> int:
    """Perform an action and show its progress; Ctrl-C cancels it.

    Returns:
        Exit status: 0 if it succeeded, 130 if it was cancelled, else 1.

    Raises:
        SoftshellError: no action manager, or a parameter that is no number.
    """
    values = {}
    for parameter, text in parameters.items():
        try:
            values[parameter] = float(text)
        except ValueError:
            raise SoftshellError(f'{parameter} is {text!r}; expected a number') from None
    columns = (TextColumn('{task.description}'), BarColumn(), TextColumn('{task.fields[what]}'))
    try:
        with (
            Progress(*columns, TimeElapsedColumn(), transient=True) as progress,
            Shell(namespace, timeout) as shell,
        ):
            task = progress.add_task(name, total=1.0, what='')
            duration = shell.perform(
                name,
                lambda what, done: progress.update(task, completed=done, what=what),
                **values,
            )
    except ActionFailedError as error:
        print(f'error: {error}', file=sys.stderr)
        return INTERRUPTED if error.status is Status.CANCELED else 1
    print(f'{name} succeeded in {duration:.1f} s')
    return 0
