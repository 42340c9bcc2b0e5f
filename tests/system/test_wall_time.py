"""A bridge that does not own time, as one to hardware: everything goes by the wall's clock."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import rclpy
from rclpy.context import Context

from softshell_bringup.arguments import parse_arguments
from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import NODES, has_clock, node_starts
from softshell_bringup.runner import command
from softshell_client import Shell

#: The mock, as if the wall's time passed between its steps.
BRIDGE = """
import sys
from softshell_common.ros.run import run
from softshell_control.mock import MockBackend
from softshell_control.ros.bridge_node import BridgeNode

class OnTheWall(MockBackend):
    owns_time = False

    def step(self, now, command):
        measured = super().step(now, command)
        measured.stamp = now
        return measured

sys.exit(run(lambda: BridgeNode(lambda robot, parameters: OnTheWall(robot))))
"""


@pytest.fixture
def shell(family, monkeypatch) -> Iterator[Shell]:
    """A client of a stack whose bridge owns no time."""
    rows = tuple(replace(row, owns_time=False) for row in NODES)
    monkeypatch.setattr('softshell_bringup.nodes.NODES', rows)
    values = parse_arguments({'bridge': 'mock', 'robot': 'quadruped'})
    assert not has_clock(values)
    domain = free_domain()
    processes = []
    for start in node_starts(values, rows):
        words = list(command(start))
        if start.name == 'bridge':
            words[:2] = [sys.executable, '-c', BRIDGE]
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        processes.append(subprocess.Popen(words, env=environment))
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    with Shell(context=context, timeout=60.0) as shell:
        yield shell
    context.try_shutdown()
    for process in processes:
        process.terminate()
    assert [process.wait(20) for process in processes] == [0] * len(processes)


def test_actions_take_the_time_they_take(shell):
    """Durations are those of the wall's clock; a velocity that falls silent stops the robot."""
    assert shell.perform('stand') > 1.0
    begin = time.monotonic()
    duration = shell.perform('walk', distance=0.1)
    assert duration == pytest.approx(time.monotonic() - begin, abs=1.0)
    shell.drive(x=0.05)
    time.sleep(6.0)
    still = shell.joints
    time.sleep(2.0)
    assert shell.joints == pytest.approx(still, abs=1e-6)
