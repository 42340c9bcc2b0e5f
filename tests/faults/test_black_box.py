"""What the black box of a stack has written after faults, and after an end without one."""

import os
import signal
import time
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rosbags.highlevel import AnyReader
from std_srvs.srv import Trigger

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_kinematics.errors import SoftshellError
from softshell_recording.handover import MARK
from softshell_recording.report.log import read_log

#: [s] a safety net, no measure of anything.
PATIENCE = 60.0
#: Some topics that it hears.
HEARD = ('/clock', '/tf', '/joint_states', '/rosout')
#: The parameters of the black box for these tests.
PARAMETERS = """
black_box:
  ros__parameters:
    folder: {folder}
    after: 0.5
    most_bags: 2
"""


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    """The folder of what is written."""
    return tmp_path / 'boxes'


@pytest.fixture
def arguments(tmp_path: Path, boxes: Path) -> dict[str, str]:
    """Of a stack with a black box."""
    parameters = tmp_path / 'parameters.yaml'
    parameters.write_text(PARAMETERS.format(folder=boxes), encoding='utf-8')
    return {'bridge': 'mock', 'params_file': str(parameters)}


def die(arguments, name: str) -> None:
    """A stack that goes down since one of its nodes was killed."""
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        let_it_hear(stack.domain)
        os.kill(stack.pids[name], signal.SIGKILL)
        assert stack.wait(PATIENCE)
        with pytest.raises(SoftshellError, match=name):
            stack.check()


def let_it_hear(domain: int) -> None:
    """Return once the black box has heard the joints for a second of the stack's time."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node('whoever_waits', context=context)
    end = time.monotonic() + PATIENCE
    while 'black_box' not in listeners(node, '/joint_states'):
        assert time.monotonic() < end
        time.sleep(0.05)
    with Shell(context=context) as shell:
        shell.wait_for_joints()
        begin = shell.time
        while not shell.time > begin + 1.0:
            assert time.monotonic() < end
            time.sleep(0.05)
    node.destroy_node()
    context.try_shutdown()


def listeners(node: Node, topic: str) -> set[str]:
    """Names of the nodes that hear a topic."""
    return {one.node_name for one in node.get_subscriptions_info_by_topic(topic)}


def written(boxes: Path) -> Path:
    """The one bag that is there, once it is whole."""
    end = time.monotonic() + PATIENCE
    while not list(boxes.glob('*/metadata.yaml')):
        assert time.monotonic() < end, 'nothing was written'
        time.sleep(0.05)
    (bag,) = boxes.iterdir()
    return bag


@pytest.mark.long
def test_after_an_emergency_stop_it_tells_what_led_to_it(arguments, boxes):
    """The walk before it, the stop with its reason, and the moment after; once."""
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        let_it_hear(stack.domain)
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        with Shell(context=context) as shell:
            shell.perform('stand')
            shell.emergency_stop()
            log = read_log(written(boxes))
        context.try_shutdown()
    (stop,) = [event for event in log.events if event.kind == 'fault']
    assert 'emergency stop' in stop.text
    assert 'rise' in [event.text for event in log.events if event.kind == 'action']
    assert log.recording.times[0] < stop.time - 0.5
    assert stop.time + 0.2 < log.recording.times[-1]
    assert log.urdf
    assert len(list(boxes.iterdir())) == 1


@pytest.mark.long
def test_a_bridge_that_is_killed_leaves_what_it_said_last(arguments, boxes):
    """Nobody is left to tell of a fault; who starts nodes tells the box."""
    die(arguments, 'bridge')
    assert len(read_log(written(boxes)).recording.times) > 50


@pytest.mark.long
def test_a_node_that_is_killed_leaves_what_was_said_until_then(arguments, boxes):
    """The bridge ends in good order, as after Ctrl-C, and yet there was a fault."""
    die(arguments, 'action_manager')
    assert len(read_log(written(boxes)).recording.times) > 50


@pytest.mark.long
def test_it_writes_when_it_is_asked_to_and_keeps_so_many_bags(arguments, boxes):
    """The oldest goes, and what is called otherwise stays."""
    boxes.mkdir()
    for name in ('2024-01-02-030405', '2025-01-02-030405', 'mine'):
        (boxes / name).mkdir()
        (boxes / name / MARK).touch()
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        node = Node('asks', context=context)
        client = node.create_client(Trigger, 'black_box/write')
        assert client.wait_for_service(PATIENCE)
        end = time.monotonic() + PATIENCE
        while not all('black_box' in listeners(node, topic) for topic in HEARD):
            assert time.monotonic() < end, 'it does not hear all'
            time.sleep(0.05)
        time.sleep(1.0)  # several messages of each
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        future = client.call_async(Trigger.Request())
        executor.spin_until_future_complete(future, PATIENCE)
        answer = future.result()
        context.try_shutdown()
        assert answer.success
        path = Path(answer.message)
    # Its last file is written at its end, by a process that outlives the stack.
    end = time.monotonic() + PATIENCE
    while not (path / 'metadata.yaml').exists():
        assert time.monotonic() < end, 'the bag is not complete'
        time.sleep(0.05)
    assert {one.name for one in boxes.iterdir()} == {'2025-01-02-030405', 'mine', path.name}
    topics = {connection.topic for connection in AnyReader([path]).__enter__().connections}
    assert set(HEARD) <= topics


@pytest.mark.long
def test_an_end_without_a_fault_leaves_nothing(arguments, boxes):
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        time.sleep(1.0)
    assert not boxes.exists()
