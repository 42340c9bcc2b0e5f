"""The whole stack starts, ends, and never leaves anything behind. Real nodes, both bridges."""

import ctypes
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from softshell_bringup.domain import free_domain
from softshell_bringup.processes import ProcessDiedError
from softshell_bringup.runner import Stack

PATIENCE = 20.0  # [s] a safety net, on a busy machine
READY_TIME = 120.0  # [s] solvers may have to be compiled
NODES = {'bridge', 'kinematics', 'action_manager', 'black_box'}


class Up:
    """`./softshell up` on a domain of its own."""

    def __init__(self, *arguments: str, domain: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'softshell_tools.cli', 'up', *arguments],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._new: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._new.put(line)
        self._new.put(None)

    def wait_for(self, text: str, timeout: float = READY_TIME) -> str:
        """The line with this text; the test fails if it does not come."""
        end = time.monotonic() + timeout
        while True:
            line = self._new.get(timeout=max(0.0, end - time.monotonic()))
            assert line is not None, f'ended without {text!r}:\n{"".join(self.lines)}'
            self.lines.append(line)
            if text in line:
                return line


def wait_for_nodes(domain: int, names: set[str]) -> None:
    """Until a domain has these nodes and no others; the test fails if that does not come."""
    from softshell_bringup.ros.graph import Observer

    with Observer(domain) as observer:
        end = time.monotonic() + PATIENCE
        while set(observer.node_names()) != names:
            assert time.monotonic() < end, observer.node_names()
            observer.look(0.05)


@pytest.fixture
def up(family) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(*arguments: str, domain: int) -> Up:
        started.append(Up(*arguments, domain=domain))
        return started[-1]

    yield start
    for run in started:
        run.process.kill()


@pytest.mark.long
@pytest.mark.parametrize('bridge', ['sim', 'mock'])
def test_ctrl_c_twice_ends_the_stack(up, family, bridge):
    """Two SIGINTs in a row: everything is gone, the status is 0, and no traceback.

    How long it takes is measured by `bench stack`.
    """
    run = up(f'bridge:={bridge}', domain=free_domain())
    run.wait_for('ready: robot')
    assert len(family.pids()) == 1 + len(NODES) + 1  # runner, nodes, guard
    run.process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    run.process.send_signal(signal.SIGINT)
    run.process.wait(PATIENCE)
    assert family.gone_after(PATIENCE) < PATIENCE
    assert run.process.returncode == 0
    run.wait_for('ended')
    assert 'Traceback' not in ''.join(run.lines)


@pytest.mark.long
def test_a_signal_that_does_not_wake_the_runner_ends_the_stack(up, family):
    """The system may give it to any thread, and the main one then sleeps on."""
    run = up('robot:=arm', 'bridge:=mock', domain=free_domain())
    run.wait_for('ready: robot')
    time.sleep(1.0)
    pid = run.process.pid
    other = next(thread for thread in map(int, os.listdir(f'/proc/{pid}/task')) if thread != pid)
    assert ctypes.CDLL(None, use_errno=True).tgkill(pid, other, int(signal.SIGINT)) == 0
    run.process.wait(PATIENCE)
    assert family.gone_after(PATIENCE) < PATIENCE
    assert run.process.returncode == 0


def test_ctrl_c_while_starting_ends_the_stack(up, family):
    """SIGINT before the stack is ready ends it as well."""
    run = up('bridge:=mock', domain=free_domain())
    while len(family.pids()) < 1 + len(NODES) + 1:
        assert run.process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    run.process.send_signal(signal.SIGINT)
    run.process.wait(PATIENCE)
    assert family.gone_after(PATIENCE) < PATIENCE
    assert run.process.returncode == 0


@pytest.mark.parametrize(
    'name',
    [
        pytest.param(name, marks=pytest.mark.long) if name != 'guard' else name
        for name in (*sorted(NODES - {'black_box'}), 'guard')
    ],
)
def test_a_killed_node_ends_the_stack_and_is_named(family, name):
    """SIGKILL of any one process ends all others; the error names process and signal.

    In a namespace, below which every node and its readiness are found before.
    """
    with Stack({'bridge': 'mock', 'namespace': 'shell'}, domain=free_domain()) as stack:
        stack.wait_ready(READY_TIME)
        assert set(stack.pids) == {*NODES, 'guard'}
        wait_for_nodes(stack.domain, {f'/shell/{node}' for node in NODES})
        os.kill(stack.pids[name], signal.SIGKILL)
        assert stack.wait(PATIENCE)
        assert family.gone_after(PATIENCE) < PATIENCE
        with pytest.raises(ProcessDiedError, match=f'{name} was killed by SIGKILL'):
            stack.check()


@pytest.mark.long
def test_a_killed_runner_leaves_nothing_behind(up, family):
    """SIGKILL of the runner, which cannot clean up: all nodes are gone within 3 s."""
    run = up('bridge:=sim', domain=free_domain())
    run.wait_for('ready: robot')
    run.process.kill()
    assert family.gone_after(PATIENCE) < PATIENCE


@pytest.fixture(scope='module')
def running() -> Iterator[Stack]:
    """A stack that only is looked at and asked, and has to live through all of it."""
    with Stack({'bridge': 'mock', 'real_time_factor': '4'}, domain=free_domain()) as stack:
        stack.wait_ready(READY_TIME)
        yield stack
        stack.check()


def test_a_second_stack_on_the_domain_is_refused(up, running):
    """The second is refused with the way out, at once, and the first is not disturbed."""
    second = up('bridge:=mock', domain=running.domain)
    line = second.wait_for('already runs on ROS domain', timeout=PATIENCE)
    assert f'process {os.getpid()}' in line
    assert 'export ROS_DOMAIN_ID=' in line
    assert second.process.wait(PATIENCE) == 1
    running.check()
    assert not running.wait(0.2)


def test_an_action_is_performed_from_the_command_line(running):
    """`action stand` succeeds on a running stack; a wrong name is refused with the valid ones."""
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(running.domain), 'NO_COLOR': '1'}
    command = [sys.executable, '-m', 'softshell_tools.cli', 'action']

    def act(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, text=True, timeout=90
        )

    stood = act('stand')
    assert stood.returncode == 0, stood.stdout + stood.stderr
    assert 'stand succeeded' in stood.stdout
    listed = act()
    assert all(name in listed.stdout for name in ('stand', 'walk', 'turn', 'idle'))
    wrong = act('fly')
    assert wrong.returncode == 1
    assert 'stand' in wrong.stderr
    running.check()


@pytest.mark.long
def test_an_action_without_a_stack_says_how_to_start_one():
    """Where no action manager runs, the message is the command that starts it."""
    run = subprocess.run(
        [sys.executable, '-m', 'softshell_tools.cli', 'action', 'stand'],
        env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert run.returncode == 1
    assert 'start the stack with ./softshell up' in run.stderr
