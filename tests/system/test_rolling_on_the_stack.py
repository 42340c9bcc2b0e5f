"""Shell closes, rolls, is steered, stops, opens and walks on: real nodes in simulation."""

import time

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from std_msgs.msg import String
from waiting import until

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status
from softshell_common.ros import qos

#: To which a ball that starts, rolls 2 m and brakes keeps its direction [rad].
ASTRAY = np.radians(25.0)


def place(shell: Shell) -> np.ndarray:
    """(2,) of the base in odom [m], which only judges: the law sees the IMU."""
    return np.array(shell.position)[:2]


def assert_towards(way: np.ndarray, direction: float) -> None:
    """A way goes in a direction [rad]."""
    error = (np.arctan2(way[1], way[0]) - direction + np.pi) % (2.0 * np.pi) - np.pi
    assert abs(error) < ASTRAY, (way, direction)


def roll(shell: Shell, direction: float, distance: float) -> None:
    """Roll by action; it ends where it should."""
    start = place(shell)
    shell.perform('roll', distance=distance, direction=direction)
    assert np.hypot(*(place(shell) - start)) == pytest.approx(distance, abs=1.0)
    assert_towards(place(shell) - start, direction)


def drive(shell: Shell, x: float, y: float, modes: list[str]) -> None:
    """Roll by `cmd_vel` for 2 m; silence stops it.

    On a busy machine the ball may hear nothing for a moment, and come to rest on its way too.
    """
    until(lambda: modes[-1] == 'shell', 'at rest')
    start, before = place(shell), len(modes)

    def far() -> bool:
        return bool(np.hypot(*(place(shell) - start)) > 2.0)

    until(far, '2 m away', lambda: shell.drive(x=x, y=y))
    until(lambda: 'rolling' in modes[before:], 'rolling')
    assert_towards(place(shell) - start, np.arctan2(y, x))
    there = place(shell)
    until(lambda: modes[-1] == 'shell', 'at rest again')
    assert np.hypot(*(place(shell) - there)) < 2.0

    def stays() -> bool:
        still = place(shell)
        time.sleep(0.3)
        return bool(np.abs(place(shell) - still).max() < 0.01)

    until(stays, 'still')  # it may rock on a panel for a while
    assert modes[-1] == 'shell'
    assert set(modes[before:]) == {'rolling', 'shell'}


@pytest.mark.long
@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_shell_closes_rolls_and_walks_on(engine):
    """Forward is where it looked before it closed, by action and by `cmd_vel`, as IMU alone tells.

    Modes follow each other as they should, and what cannot be done as a ball is refused with what
    helps. After rolling it opens, stands, and walks to where it looks then.
    """
    arguments = {'bridge': 'sim', 'engine': engine, 'real_time_factor': '4'}
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        with Shell(context=context) as shell:
            modes: list[str] = []
            shell.node.create_subscription(
                String, 'mode', lambda message: modes.append(message.data), qos.LATCHED
            )
            shell.wait_for_odometry()
            until(lambda: modes[-1:] == ['hexapod'], 'a hexapod')
            del modes[:-1]  # it is unknown until the manager has heard the bridge
            shell.perform('close')
            until(lambda: modes[-1] == 'shell', 'a shell')
            roll(shell, 0.0, 2.0)
            with pytest.raises(ActionFailedError, match='open helps') as refused:
                shell.perform('walk', distance=0.1)
            assert refused.value.status is Status.NOT_READY
            roll(shell, np.pi / 2.0, 2.0)
            drive(shell, 0.0, -0.7, modes)
            shell.perform('open')
            until(lambda: modes[-1] == 'hexapod', 'a hexapod')
            start = place(shell)
            shell.perform('walk', distance=0.2)
            assert np.hypot(*(place(shell) - start)) == pytest.approx(0.2, abs=0.03)
            assert set(modes) == {'transforming', 'shell', 'rolling', 'hexapod'}
        context.try_shutdown()
