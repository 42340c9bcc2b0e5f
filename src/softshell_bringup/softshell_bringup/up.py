"""Runs the stack in the foreground, with the nodes' names before the lines of their logs."""

import os
import sys
import threading
from collections.abc import Mapping
from types import FrameType

from softshell_bringup.ending import on_ending
from softshell_bringup.processes import ProcessDiedError
from softshell_bringup.runner import Stack
from softshell_common.terminal import obeys_codes
from softshell_kinematics.errors import SoftshellError

COLORS = (36, 32, 35, 33, 34, 31)  # codes of terminal colours, one for each node
#: Longest wait at a stretch [s]. Python handles a signal between two steps of its main thread: one
#: that comes just before a wait, or to another thread, is only handled after it.
LOOK_PERIOD = 0.25


class PrefixedLog:
    """Prints lines, each after the name of its node, which has the node's colour.

    Args:
        names: names of the nodes.
        color: whether to use colours.
    """

    def __init__(self, names: list[str], color: bool) -> None:
        self._width = max(map(len, names), default=0)
        self._colors = dict(zip(names, COLORS * (len(names) // len(COLORS) + 1), strict=False))
        self._color = color
        self._lock = threading.Lock()

    def __call__(self, name: str, line: str) -> None:
        prefix = f'{name:{self._width}} |'
        if self._color and name in self._colors:
            prefix = f'\033[{self._colors[name]}m{prefix}\033[0m'
        with self._lock:
            try:
                print(prefix, line, flush=True)
            except OSError:
                sys.stdout = open(os.devnull, 'w')  # noqa: SIM115  the reader has ended


def use_color() -> bool:
    """Whether to print colours: where they are obeyed but for NO_COLOR, or with FORCE_COLOR."""
    if os.environ.get('NO_COLOR'):
        return False
    return bool(os.environ.get('FORCE_COLOR')) or obeys_codes(sys.stdout)


def up(arguments: Mapping[str, str]) -> int:
    """Run the stack until a signal comes or a node ends.

    Args:
        arguments: arguments of the stack, as texts.

    Returns:
        Exit status: 0 after SIGINT, SIGTERM or SIGHUP; 1 if a node ended or was not ready in time.

    Raises:
        ProblemsError: an argument is unknown or its value invalid.
        SoftshellError: a node does not exist, or another stack runs in this namespace.
    """
    color = use_color()
    log: PrefixedLog | None = None

    def show(name: str, line: str) -> None:
        if log is not None:
            log(name, line)

    stack = Stack(
        arguments, output=show, environment={'RCUTILS_COLORIZED_OUTPUT': str(int(color))}
    )
    log = PrefixedLog([*(node.name for node in stack.nodes), 'softshell'], color)

    def end(number: int, frame: FrameType | None) -> None:
        stack.request_stop()  # changes nothing if an earlier signal has begun the end

    on_ending(end)
    for remark in stack.remarks:
        log('softshell', f'warning: {remark}')
    stack.start()
    try:
        stack.wait_ready()
        if not stack.wait(0):
            what = {name: stack.arguments[name] for name in ('robot', 'bridge', 'namespace')}
            told = ', '.join(f'{name} {value}' for name, value in what.items() if value)
            log('softshell', f'ready: {told}, ROS domain {stack.domain}; Ctrl-C ends it')
        while not stack.wait(LOOK_PERIOD):
            pass
        stack.check()
    except ProcessDiedError as death:
        log('softshell', f'{death.name} {death.how}: the stack has ended with it')
        return 1
    except SoftshellError as error:
        log('softshell', f'error: {error}')
        return 1
    finally:
        stack.stop()
    log('softshell', 'ended')
    return 0
