"""Performs one action on the running robot, as a client of the action manager."""

import sys
import time
from collections.abc import Mapping
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from softshell_common.errors import SoftshellError
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import ActionParameter
from softshell_interfaces.srv import ListActions

CANCEL_TIMEOUT = 15.0  # [s] an action ends at the end of a sub-action, in a stable stance
ANSWER_TIMEOUT = 5.0  # [s]


class Connection:
    """A node of our own, spun only while something is awaited.

    Args:
        namespace: of the action manager.
        timeout: [s] to wait for it.
    """

    def __init__(self, namespace: str, timeout: float) -> None:
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('command_line', namespace=namespace)
        self.timeout = timeout
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def __enter__(self) -> 'Connection':
        return self

    def __exit__(self, *exception: object) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def wait_for(self, is_there: Any) -> None:
        """Wait until a server is there.

        Raises:
            SoftshellError: it is not.
        """
        end = time.monotonic() + self.timeout
        while not is_there():
            if time.monotonic() > end:
                raise SoftshellError('no action manager: start the stack with ./softshell up')
            time.sleep(0.02)

    def result_of(
        self, future: Any, timeout: float, what: str, is_there: Any = lambda: True
    ) -> Any:
        """Wait for an answer while the server is there.

        Raises:
            SoftshellError: none came in time, or the server has gone.
        """
        end = time.monotonic() + timeout
        seen = time.monotonic()
        while not future.done():
            self._executor.spin_once(timeout_sec=0.1)
            if is_there():
                seen = time.monotonic()
            if time.monotonic() - seen > self.timeout:
                raise SoftshellError('the action manager has gone')
            if time.monotonic() > end:
                raise SoftshellError(f'the action manager gave no {what} within {timeout:.0f} s')
        return future.result()


def list_actions(namespace: str, timeout: float) -> int:
    """Print the actions the running robot knows."""
    with Connection(namespace, timeout) as connection:
        client = connection.node.create_client(ListActions, 'list_actions')
        connection.wait_for(client.service_is_ready)
        future = client.call_async(ListActions.Request())
        answer = connection.result_of(future, ANSWER_TIMEOUT, 'list of actions')
    table = Table('action', 'parameter', 'default', 'from', 'to', 'unit', 'meaning')
    for action in answer.actions:
        table.add_row(f'[bold]{action.name}[/bold]', '', '', '', '', '', action.description)
        rows = zip(
            action.parameters, action.minimum, action.maximum, action.unit, action.meaning,
            strict=False,
        )  # fmt: skip
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
        SoftshellError: no action manager, no answer, or a parameter that is no number.
    """
    goal = ExecuteAction.Goal(name=name)
    for parameter, text in parameters.items():
        try:
            goal.parameters.append(ActionParameter(name=parameter, value=float(text)))
        except ValueError:
            raise SoftshellError(f'{parameter} is {text!r}; expected a number') from None
    with Connection(namespace, timeout) as connection, _progress() as progress:
        task = progress.add_task(name, total=1.0, what='waiting for the action manager')

        def show(message: Any) -> None:
            feedback = message.feedback
            what = f'{feedback.index + 1}/{feedback.count} {feedback.sub_action}'
            progress.update(task, completed=feedback.progress, what=what)

        client = ActionClient(connection.node, ExecuteAction, 'execute_action')
        connection.wait_for(client.server_is_ready)
        handle = connection.result_of(
            client.send_goal_async(goal, feedback_callback=show), ANSWER_TIMEOUT, 'answer'
        )
        if not handle.accepted:
            raise SoftshellError(f'the action manager did not accept {name}')
        future = handle.get_result_async()
        try:
            answer = connection.result_of(future, float('inf'), 'result', client.server_is_ready)
        except KeyboardInterrupt:
            progress.update(task, what='cancelling')
            handle.cancel_goal_async()
            answer = connection.result_of(future, CANCEL_TIMEOUT, 'result after the cancel')
        result = answer.result
        if result.status == ExecuteAction.Result.SUCCEEDED:
            progress.update(task, completed=1.0, what='done')
        client.destroy()
    if result.status == ExecuteAction.Result.SUCCEEDED:
        print(f'{name} succeeded in {result.duration:.1f} s')
        return 0
    if result.status == ExecuteAction.Result.CANCELED:
        print(f'{name} was cancelled after {result.duration:.1f} s: {result.message}')
        return 130
    print(f'error: {name}: {_status_name(result.status)}: {result.message}', file=sys.stderr)
    return 1


def _progress() -> Progress:
    columns = (TextColumn('{task.description}'), BarColumn(), TextColumn('{task.fields[what]}'))
    return Progress(*columns, TimeElapsedColumn(), transient=True)


def _status_name(status: int) -> str:
    names = ('SUCCEEDED', 'UNKNOWN_ACTION', 'BAD_PARAMETER', 'UNREACHABLE', 'REJECTED',
             'GOAL_MISSED', 'CANCELED', 'PREEMPTED', 'NOT_READY')  # fmt: skip
    return next(
        (name for name in names if getattr(ExecuteAction.Result, name) == status), str(status)
    ).lower().replace('_', ' ')  # fmt: skip
