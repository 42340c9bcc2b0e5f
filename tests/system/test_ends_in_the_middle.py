"""What those who wait are told when a part of the stack ends in the middle of an action."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import rclpy
from rclpy.context import Context

from softshell_bringup.arguments import parse_arguments
from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import node_starts
from softshell_bringup.runner import Stack, command
from softshell_client import ActionFailedError, ServerGoneError, Shell, Status
from softshell_kinematics.errors import SoftshellError

PATIENCE = 60.0  # [s] a safety net, no measure of anything


class Asked:
    """A walk in a thread, and how it ended."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self.error: SoftshellError | None = None
        self._moving = threading.Event()
        self._thread = threading.Thread(target=self._walk)
        self._thread.start()
        assert self._moving.wait(PATIENCE)

    def _walk(self) -> None:
        with Shell(context=self._context) as shell:
            try:
                shell.perform('walk', lambda what, done: self._moving.set(), distance=5.0)
            except SoftshellError as error:
                self.error = error

    def end(self) -> SoftshellError | None:
        """The error that the walk ended with."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._context.try_shutdown()
        return self.error


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize('name', ['action_manager', 'bridge', 'kinematics'])
def test_whoever_ends_the_one_who_asked_is_told(family, name, number):
    """A node ends during a walk: the action ends with a reason, without tracebacks."""
    lines: list[str] = []
    arguments = {'bridge': 'mock', 'real_time_factor': '1'}
    with Stack(
        arguments, domain=free_domain(), output=lambda name, line: lines.append(line)
    ) as stack:
        stack.wait_ready()
        asked = Asked(stack.domain)
        os.kill(stack.pids[name], number)
        begun = time.monotonic()
        error = asked.end()
        took = time.monotonic() - begun
        assert stack.wait(PATIENCE)
    assert isinstance(error, ActionFailedError | ServerGoneError)
    if isinstance(error, ActionFailedError):
        assert error.status is Status.STOPPED
        assert 'is ending' in str(error)
    else:
        # A killed manager says nothing any more; the client sees that it is gone, or that the
        # bridge is, which ends with it.
        assert (name, number) == ('action_manager', signal.SIGKILL)
        assert error.server in ('action manager', 'bridge that the action manager needs')
        assert took < 15.0  # of a killed node alone ROS learns after 20 s
    assert not [line for line in lines if 'Traceback' in line]


def test_nodes_end_with_whoever_started_them_from_the_table(family):
    """SIGKILL of the parent ends what it started as `ros2 launch` does; other nodes live on."""
    domain = free_domain()
    [bridge, *_] = node_starts(parse_arguments({'bridge': 'mock'}))
    parent = subprocess.Popen(
        [sys.executable, '-c', LAUNCHER, *command(bridge)],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
        stdout=subprocess.PIPE,
        text=True,
    )
    alone = subprocess.Popen(
        ['nohup', *command(bridge)],
        env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    parent.stdout.readline()
    end = time.monotonic() + PATIENCE
    while len(family.pids()) != 3:  # a process that becomes another one has no mark for a moment
        assert time.monotonic() < end
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    end = time.monotonic() + PATIENCE
    while family.pids() != {alone.pid}:
        assert time.monotonic() < end
        time.sleep(0.05)
    alone.kill()
    alone.wait()


#: Starts a node as launch does, and stays.
LAUNCHER = """
import subprocess, sys, time
from softshell_bringup.processes import attached
subprocess.Popen([*attached(True), *sys.argv[1:]])
print('started', flush=True)
time.sleep(600)
"""
