"""What the black box of a stack has written after faults, and after an end without one."""

import os
import signal
import time
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_kinematics.errors import SoftshellError
from softshell_recording.report.log import read_log

#: [s] a safety net, no measure of anything.
PATIENCE = 60.0
#: The parameters of the black box for these tests.
PARAMETERS = """
black_box:
  ros__parameters:
    folder: {folder}
    after: 0.5
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
    return {'bridge': 'mock', 'black_box': 'true', 'params_file': str(parameters)}


def written(boxes: Path) -> Path:
    """The one bag that is there, once it is whole."""
    end = time.monotonic() + PATIENCE
    while not list(boxes.glob('*/metadata.yaml')):
        assert time.monotonic() < end, 'nothing was written'
        time.sleep(0.05)
    (bag,) = boxes.iterdir()
    return bag


def test_after_an_emergency_stop_it_tells_what_led_to_it(arguments, boxes):
    """The walk before it, the stop with its reason, and the moment after; once."""
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
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


def test_a_bridge_that_is_killed_leaves_what_it_said_last(arguments, boxes):
    """Nobody is left to tell of a fault: the box sees that the bridge is gone."""
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        time.sleep(1.0)
        os.kill(stack.pids['bridge'], signal.SIGKILL)
        assert stack.wait(PATIENCE)
        with pytest.raises(SoftshellError, match='bridge'):
            stack.check()
    assert len(read_log(written(boxes)).recording.times) > 50


def test_an_end_without_a_fault_leaves_nothing(arguments, boxes):
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        time.sleep(1.0)
    assert not boxes.exists()
