"""What a program is told is what is true now; what it streams arrives."""

import signal
import subprocess
import sys
import threading
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from fake_stack import PATIENCE, FakeStack, wait  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from softshell_client import Shell  # noqa: E402
from softshell_common.ros import qos  # noqa: E402
from softshell_interfaces.msg import BridgeStatus  # noqa: E402

#: Prints the first mode of the bridge that a program is told.
ASKER = f"""
import rclpy
from softshell_client.ros.reports import Reports
from softshell_common.ros.context import new_context
node = rclpy.create_node('asker', namespace='NAMESPACE', context=new_context())
print(Reports(node, {PATIENCE}).bridge().mode.name)
"""
#: Prints the value of each finger command, until the last one has come.
HAND = """
import rclpy
from softshell_common.ros import qos
from softshell_common.ros.context import new_context
from softshell_interfaces.msg import FingerCommand
context = new_context()
node = rclpy.create_node('hand', namespace='NAMESPACE', context=context)
heard = []
node.create_subscription(
    FingerCommand, 'finger_command', lambda one: heard.append(int(one.values[0])), qos.ORDERS
)
executor = rclpy.executors.SingleThreadedExecutor(context=context)
executor.add_node(node)
while COUNT not in heard:
    executor.spin_once(timeout_sec=0.1)
print(*heard)
"""
#: More than a socket takes by default.
COUNT = 900


def test_the_first_state_that_a_program_is_told_is_the_newest(stack, namespace):
    """A bridge keeps its last thousand reports for late joiners, which may be of long ago."""
    namespace += '/long_lived'
    node = rclpy.create_node('bridge', namespace=namespace, context=stack.context)
    status = node.create_publisher(BridgeStatus, 'bridge_status', qos.CHANGES)
    for _ in range(qos.CHANGES.depth - 1):
        status.publish(BridgeStatus(bridge='mock', mode=BridgeStatus.FAULT))
    program = [sys.executable, '-c', ASKER.replace('NAMESPACE', namespace)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as asker:
        while asker.poll() is None:
            status.publish(BridgeStatus(bridge='mock', mode=BridgeStatus.HOLDING))
            time.sleep(1.0)
        assert asker.stdout.read() == 'HOLDING\n'
    node.destroy_node()


class Seen:
    """A robot that is seen at x = 1 m, at 1 s.

    Args:
        robot: its client.
        stack: publishes.
    """

    def __init__(self, robot, stack) -> None:
        self._robot, self._stack = robot, stack

        def arrived() -> bool:
            self.publish(1)
            return bool(robot.position[0] == 1.0 and robot.joints)

        wait(arrived)

    def publish(self, place: int) -> None:
        """Its base and joints, at so many metres and seconds."""
        odometry, joints = Odometry(), JointState(name=['a'], position=[float(place)])
        odometry.pose.pose.position.x = float(place)
        odometry.header.stamp.sec = joints.header.stamp.sec = place
        self._stack.odometry.publish(odometry)
        self._stack.joints.publish(joints)

    def report(self, time: int) -> None:
        """Tell the state of the bridge at a time [s]."""
        status = BridgeStatus(bridge='mock', mode=BridgeStatus.HOLDING)
        status.header.stamp.sec = time
        self._robot.bridge()  # there is one
        self._stack.status.publish(status)
        wait(lambda: self._robot._status.message.header.stamp.sec == time)


@pytest.fixture
def seen(robot, stack):
    seen = Seen(robot, stack)
    yield seen
    seen.report(0)


@pytest.mark.parametrize('what', ['action', 'pose'])
def test_after_a_motion_the_pose_is_not_older_than_its_end(robot, seen, what):
    """The bridge reports the end first, then where the base and the joints are."""
    seen.report(2)
    later = threading.Timer(0.3, seen.publish, [2])
    later.start()
    if what == 'action':
        robot.perform('quick')
    else:
        robot.set_body_pose(0.15)
    assert (robot.position[0], robot.joints, robot.time) == (2.0, {'a': 2.0}, 2.0)
    later.join()


def test_after_a_reset_the_pose_is_not_older_than_it(robot, seen):
    """Also if the bridge's report of it is still on its way."""
    later = threading.Timer(0.3, seen.publish, [2])
    later.start()
    robot.reset()
    assert (robot.position[0], robot.joints, robot.time) == (2.0, {'a': 2.0}, 2.0)
    later.join()


def test_every_finger_command_arrives_although_a_program_ends_after_the_last(stack, namespace):
    """Each may name other channels; the listener stands still meanwhile."""
    namespace += '/hand'
    program = HAND.replace('NAMESPACE', namespace).replace('COUNT', str(COUNT))
    theirs = FakeStack(namespace)
    with subprocess.Popen(
        [sys.executable, '-c', program], stdout=subprocess.PIPE, text=True
    ) as hand:
        with Shell(namespace, PATIENCE) as robot:
            wait(lambda: robot._fingers.get_subscription_count())
            robot.command_fingers({'thumb': 0.0})
            hand.send_signal(signal.SIGSTOP)
            for number in range(1, COUNT + 1):
                robot.command_fingers({'thumb': number})
            hand.send_signal(signal.SIGCONT)
        heard, _ = hand.communicate(timeout=PATIENCE)
    theirs.close()
    assert heard.split() == [str(number) for number in range(COUNT + 1)]
