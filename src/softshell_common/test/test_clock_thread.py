"""A node whose clock is kept in a thread of its own: time, timers, and who takes the messages."""

import contextlib

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from softshell_common.ros.clock_thread import ClockThread

LATEST = 300  # turns of 10 ms


class Wire:
    """A node on simulated time, and somebody who sends its clock."""

    def __init__(self, arguments):
        self.context = rclpy.Context()
        rclpy.init(args=['--ros-args', *arguments], context=self.context)
        simulated = Parameter('use_sim_time', value=True)
        self.node = Node('kept', context=self.context, parameter_overrides=[simulated])
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = ClockThread(self.node)
        other = Node('other', context=self.context, use_global_arguments=False)
        topic = self.node.resolve_topic_name('/clock')
        self.publisher = other.create_publisher(Clock, topic, 1)

    @property
    def now(self):
        return self.node.get_clock().now().nanoseconds

    def send(self, time, until):
        """Send a time [ns] till something is so, which the node's executor has to bring about."""
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(time, 10**9)
        for _ in range(LATEST):
            self.publisher.publish(message)
            self.executor.spin_once(timeout_sec=0.01)
            if until():
                return
        raise AssertionError(f'it is {self.now} ns for the node; expected {time}')


@pytest.fixture
def wire(domains, monkeypatch, request):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domains()))
    made = Wire(getattr(request, 'param', []))
    yield made
    made.thread.close()
    with contextlib.suppress(Exception):
        rclpy.shutdown(context=made.context)


@pytest.mark.parametrize('wire', [[], ['-r', '__ns:=/one', '-r', '/clock:=clock']], indirect=True)
def test_the_node_has_the_time_that_is_sent(wire):
    """To the nanosecond, beyond 32 bits of them, backwards too, in a namespace as well."""
    for time in (1, 2_147_483_647_999_999_999, 5_000_000_001):
        wire.send(time, lambda time=time: wire.now == time)


def test_timers_end_when_their_time_comes(wire):
    """Each once for each of its periods, by an executor that waits for nothing else."""
    fired = []
    wire.send(10**9, lambda: wire.now == 10**9)
    wire.node.create_timer(0.1, lambda: fired.append(wire.now))
    for step in range(1, 6):
        time = 10**9 + step * 10**8
        wire.send(time, lambda step=step: len(fired) == step)
    wire.send(time + 10**7, lambda: wire.now == time + 10**7)
    assert fired == [10**9 + step * 10**8 for step in range(1, 6)]


def test_after_the_end_its_time_stands_still(wire):
    """Nobody takes messages then, and the executor never did."""
    wire.send(10**9, lambda: wire.now == 10**9)
    wire.thread.close()
    with pytest.raises(AssertionError):
        wire.send(2 * 10**9, lambda: wire.now == 2 * 10**9)


def test_a_node_may_leave_simulated_time(wire):
    """And come back to it."""
    wire.send(10**9, lambda: wire.now == 10**9)
    for simulated in (False, True):
        wire.node.set_parameters([Parameter('use_sim_time', value=simulated)])
        assert (wire.now < 10**15) is simulated
    wire.send(2 * 10**9, lambda: wire.now == 2 * 10**9)
