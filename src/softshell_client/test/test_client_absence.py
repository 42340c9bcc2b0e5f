"""What a client says of what is not there, and how it ends."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

import rclpy
from fake_stack import PATIENCE, FakeStack
from rclpy.context import Context

from softshell_client import ServerGoneError, Shell
from softshell_client.ros.servos import reboot
from softshell_interfaces.srv import ListActions
from softshell_kinematics.errors import SoftshellError


def test_nobody_there_says_how_to_start_one_and_where_there_is_one(stack, namespace):
    """Without an action manager the error names the command, or the namespace that has one."""
    with pytest.raises(SoftshellError, match=f'there is one in namespace {namespace}'):
        Shell('/nowhere', 6.0)
    with pytest.raises(SoftshellError, match='namespace is'):
        Shell('no where')


def test_a_domain_that_is_none_is_one_error(monkeypatch):
    """Of the robot and of its servos, with the name of the variable."""
    monkeypatch.setenv('ROS_DOMAIN_ID', 'abc')
    for ask in (Shell, lambda: reboot('elbow', '')):
        with pytest.raises(SoftshellError, match='variables: ROS_DOMAIN_ID is not an integral'):
            ask()


@pytest.mark.long
def test_a_manager_that_is_starting_is_not_said_to_be_absent():
    """One that lists its actions and takes no goals yet waits for something: its log says what."""
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node('starting', namespace='/starting', context=context)
    node.create_service(ListActions, 'list_actions', lambda request, response: response)
    try:
        with pytest.raises(SoftshellError) as caught:
            Shell('/starting', 6.0)
    finally:
        node.destroy_node()
        context.try_shutdown()
    assert str(caught.value) == (
        'the action manager in namespace /starting has started but is not ready within 6 s: '
        'its log says what it waits for'
    )


def test_what_the_robot_does_not_offer_is_said_soon(namespace):
    """Without `set_body_pose` the error comes long before `timeout`, and is not of the manager."""
    stack = FakeStack(namespace + '/fixed', takes_body_poses=False)
    try:
        with Shell(namespace + '/fixed', PATIENCE) as robot:
            assert len(robot.actions()) == 1
            begun = time.monotonic()
            with pytest.raises(SoftshellError) as caught:
                robot.set_body_pose(0.1)
            assert time.monotonic() - begun < 10.0
            assert not robot.takes_body_poses()
    finally:
        stack.close()
    assert str(caught.value) == (
        f'the action manager in namespace {namespace}/fixed offers no set_body_pose: '
        'this robot cannot do that'
    )


def test_closing_twice_and_asking_afterwards(stack, namespace):
    """A closed client says that it is closed."""
    robot = Shell(namespace, PATIENCE)
    robot.close()
    robot.close()
    for ask in (robot.actions, robot.drive, robot.reset):
        with pytest.raises(SoftshellError, match='closed'):
            ask()


@pytest.mark.long
@pytest.mark.parametrize('end', ['', 'raise SystemExit(3)', 'robot.close()'])
def test_a_program_need_not_close(stack, namespace, end):
    """One that leaves its client open ends with its own status, and is not aborted."""
    program = f"""
from softshell_client import Shell
robot = Shell({namespace!r}, {PATIENCE})
print(len(robot.actions()))
{end}
"""
    run = subprocess.run(
        [sys.executable, '-c', program],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE + 20,
        check=False,
    )
    assert (run.stdout, run.stderr) == ('1\n', '')
    assert run.returncode == (3 if 'SystemExit' in end else 0)


@pytest.fixture
def program(namespace):
    """A stack as a process of its own, in another namespace."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name('fake_stack.py')), namespace + '/program'],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == 'ready\n'
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def begin(program, namespace):
    """A client of the program's stack, and what waits until an endless action goes on."""
    begun = threading.Event()
    with Shell(namespace + '/program', PATIENCE) as robot:
        yield lambda: robot.perform('endless', lambda what, done: begun.set()), begun


def test_a_manager_that_ends_is_noticed_at_once(program, begin):
    """An action whose manager ends raises within seconds and says so."""
    perform, begun = begin
    ends = threading.Thread(target=lambda: begun.wait(PATIENCE) and program.stdin.close())
    ends.start()
    with pytest.raises(ServerGoneError, match='endless: the action manager is gone'):
        perform()
    ended = time.monotonic()
    ends.join()
    assert program.wait(PATIENCE) == 0
    assert time.monotonic() - ended < 15.0


def test_a_manager_that_is_killed_is_noticed_when_the_bridge_ends(program, begin):
    """A stack ends all its nodes when one is killed: the bridge's end is the first sign."""
    perform, begun = begin
    ended: list[float] = []

    def end() -> None:
        begun.wait(PATIENCE)
        program.stdin.write('bridge\n')  # the bridge ends, the manager is silent
        program.stdin.flush()
        ended.append(time.monotonic())

    ends = threading.Thread(target=end)
    ends.start()
    with pytest.raises(
        ServerGoneError, match='endless: the bridge that the action manager needs is'
    ):
        perform()
    ends.join()
    # It has waited for the manager's own answer, and much less than the lease of 20 s.
    assert 2.0 <= time.monotonic() - ended[0] < 15.0


@pytest.mark.long
def test_a_manager_that_is_killed_is_noticed_within_the_lease(program, begin):
    """Even where nothing else ends, ROS learns of a killed node within 20 s."""
    perform, begun = begin
    ends = threading.Thread(target=lambda: begun.wait(PATIENCE) and program.kill())
    ends.start()
    with pytest.raises(ServerGoneError):
        perform()
    ends.join()
