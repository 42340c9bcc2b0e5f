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

from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import NODES
from softshell_bringup.runner import Stack
from softshell_client import Shell

PATIENCE = 60.0  # [s] a safety net, no measure of anything
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
def shell(family) -> Iterator[Shell]:
    """A client of a stack whose bridge, run beside it, owns no time."""
    rows = tuple(
        replace(row, external=True, owns_time=False) if row.name == 'bridge' else row
        for row in NODES
    )
    domain = free_domain()
    words = [sys.executable, '-c', BRIDGE, '--ros-args', '-p', 'robot:=quadruped']
    with Stack({'bridge': 'mock', 'robot': 'quadruped'}, domain=domain, rows=rows) as stack:
        assert 'bridge' not in stack.pids
        bridge = subprocess.Popen(words, env={**os.environ, 'ROS_DOMAIN_ID': str(domain)})
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=domain)
        with Shell(context=context, timeout=60.0) as shell:
            yield shell
        context.try_shutdown()
        bridge.terminate()
        assert bridge.wait(20) == 0


@pytest.mark.long
def test_actions_take_the_time_they_take(shell):
    """Durations are those of the wall's clock; a velocity that falls silent stops the robot."""
    assert shell.perform('stand') > 1.0
    for _ in range(3):  # a busy machine is late now and then
        begin = time.monotonic()
        duration = shell.perform('walk', distance=0.1)
        more, stops = time.monotonic() - begin - duration, stop_time(shell)
        assert more > -0.1
        if more < 1.0 and stops < 6.0:
            return
    pytest.fail(f'it was told {more:.1f} s late, and stopped after {stops:.1f} s')


def stop_time(shell) -> float:
    """Time from a velocity that falls silent until the robot stands still for 2 s [s]."""
    shell.wait_for_joints()
    before, begin = shell.joints, time.monotonic()
    shell.drive(x=0.05)
    wait(lambda: shell.joints != pytest.approx(before, abs=1e-3), 'a step')
    stand = shell.time, shell.joints, time.monotonic()

    def stands() -> bool:
        nonlocal stand
        if shell.joints != pytest.approx(stand[1], abs=1e-6):
            stand = shell.time, shell.joints, time.monotonic()
        return shell.time - stand[0] > 2.0

    wait(stands, 'a stance')
    return stand[2] - begin


def wait(condition, what) -> None:
    """Until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f'waited in vain for {what}'
        time.sleep(0.02)
