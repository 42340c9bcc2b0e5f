"""The whole stack on a walk: nodes as processes of their own, a client, and somebody listening."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from sensor_msgs.msg import JointState

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros.qos import SENSOR_CONSUMER


@dataclass(frozen=True)
class Walk:
    """How fast the stack was on a walk.

    Args:
        seconds: that the walk took [s of the stack].
        factor: that over the wall's time.
    """

    seconds: float
    factor: float


@dataclass(frozen=True)
class Steadiness:
    """How steady `joint_states` came while the robot walked.

    Args:
        jitter: 99th percentile of |time between two of them − median of it| [ms].
        latency, late: median and 99th percentile of the time from when one was handed to the
            middleware to when a callback of another process had it [ms].
    """

    jitter: float
    latency: float
    late: float


def fastest(bridge: str, engine: str, distance: float) -> Walk:
    """Walk as fast as the machine can; nobody but the client listens.

    Args:
        bridge: of the stack.
        engine: of the simulation.
        distance: of the walk [m].
    """
    with _shell(bridge, engine, '0') as shell:
        begin = time.perf_counter()
        seconds = shell.perform('walk', distance=distance)
        return Walk(seconds, seconds / (time.perf_counter() - begin))


def in_real_time(bridge: str, engine: str, distance: float) -> Steadiness:
    """Walk in real time, and listen to `joint_states`; arguments as of `fastest`."""
    with _shell(bridge, engine, '1') as shell, _Listener() as heard:
        heard.wait()
        shell.perform('walk', distance=distance)
        return heard.report()


@contextlib.contextmanager
def _shell(bridge: str, engine: str, factor: str) -> Iterator[Shell]:
    """A robot that stands, with a stack of its own."""
    domain = free_domain()
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    engines = {'engine': engine} if bridge == 'sim' else {}
    arguments = {'bridge': bridge, 'real_time_factor': factor, **engines}
    with Stack(arguments, domain=domain) as stack:
        stack.wait_ready()
        with Shell() as shell:
            shell.perform('stand')
            yield shell


class _Listener:
    """Takes `joint_states` and notes when each was sent and when it came."""

    def __init__(self) -> None:
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node('listener', context=self._context)
        self._times: list[tuple[int, int]] = []
        self._node.create_subscription(JointState, 'joint_states', self._take, SENSOR_CONSUMER)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._context.try_shutdown()
        self._thread.join()

    def _listen(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def _take(self, message: JointState, info: Any) -> None:
        self._times.append((info['source_timestamp'], time.time_ns()))

    def wait(self) -> None:
        """Wait for the first message, which takes ROS up to 3 s, and forget what came."""
        while not self._times:
            time.sleep(0.01)
        self._times = []

    def report(self) -> Steadiness:
        """What came since `wait`."""
        sent, came = 1e-6 * (np.array(self._times) - self._times[0][0]).T
        between, latency = np.diff(sent), came - sent
        return Steadiness(
            float(np.percentile(np.abs(between - np.median(between)), 99.0)),
            float(np.median(latency)),
            float(np.percentile(latency, 99.0)),
        )
