"""The `keyboard` node: walk, pose and act from a terminal."""

import contextlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import rclpy
from ament_index_python.packages import get_package_share_directory
from geometry_msgs.msg import PoseStamped
from geometry_msgs.msg import Twist as TwistMessage
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.duration import Duration
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from softshell_client.errors import ServerGoneError
from softshell_client.ros import messages
from softshell_client.ros.peer import Peer
from softshell_common.outcome import Status, outcome_text
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.qos import COMMAND, LATCHED
from softshell_interfaces.action import ExecuteAction
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.core import Twist
from softshell_teleop.posture import Posture
from softshell_teleop.ros.posture_requests import PostureRequests
from softshell_teleop.screen import Reading, Screen
from softshell_teleop.session import Session
from softshell_teleop.settings import load_settings
from softshell_teleop.terminal import Signals, Terminal

#: Only the newest odometry is ever shown.
_NEWEST = QoSProfile(
    depth=1, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.BEST_EFFORT
)
#: Callbacks carried out at most in one poll.
_POLLED = 4
#: How long the end waits for listeners to have the last Twist.
_LAST_WORDS = Duration(seconds=1)


@dataclass(frozen=True)
class Parameters:
    """Parameters of the node."""

    key_map: str = parameter('', 'YAML file of keys, speeds and ranges; empty: the installed one')


class KeyboardNode(Node):
    """Publisher, subscriptions and clients; it is polled, it does not spin."""

    def __init__(self) -> None:
        super().__init__('keyboard')
        parameters = declare(self, Parameters)
        path = parameters.key_map or os.path.join(
            get_package_share_directory('softshell_teleop'), 'config', 'teleop.yaml'
        )
        self.settings = load_settings(Path(path))
        #: Prints one line: text and whether it is a problem.
        self.say: Callable[[str, bool], None] = lambda text, problem: None
        self._posture: Posture | None = None
        self._posture_frame = ''
        self._odometry: Odometry | None = None
        self._odometry_at = 0.0
        self._goal: ClientGoalHandle | None = None
        self._doing = ''
        self._still_there: Callable[[], None] = lambda: None
        self._cmd_vel = self.create_publisher(TwistMessage, 'cmd_vel', COMMAND)
        self.create_subscription(PoseStamped, 'posture', self._on_posture, LATCHED)
        self.create_subscription(Odometry, 'odom', self._on_odometry, _NEWEST)
        self._actions = ActionClient(self, ExecuteAction, 'execute_action')
        self._manager = Peer(self, 'execute_action/_action/status', 'action manager')
        self._postures = PostureRequests(
            self, self._manager, lambda text, problem: self.say(text, problem)
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)

    def close(self) -> None:
        """End what is not the node's own, once the last Twist (a zero) has arrived."""
        with contextlib.suppress(RuntimeError):  # ROS was shut down from elsewhere
            self._cmd_vel.wait_for_all_acked(_LAST_WORDS)
        self._actions.destroy()
        self._executor.shutdown(timeout_sec=0.5)

    def poll(self) -> bool:
        """Carry out what ROS has waiting; False once ROS is shut down."""
        for _ in range(_POLLED):
            if not rclpy.ok():
                return False
            self._executor.spin_once(timeout_sec=0)
        self._postures.look()
        self._look_after_action()
        return True

    def listened(self) -> bool:
        """Whether anybody takes cmd_vel."""
        return self._cmd_vel.get_subscription_count() > 0

    def drive(self, twist: Twist) -> None:
        """Publish a velocity."""
        self._cmd_vel.publish(messages.twist(twist.forward, twist.left, twist.turn))

    def set_posture(self, posture: Posture) -> None:
        """Ask for a posture, in the frame in which the last one was reported."""
        self._postures.ask(posture, self._posture_frame)

    def perform(self, action: str) -> None:
        """Send an action's goal."""
        if not self._actions.server_is_ready():
            self.say(f'{action}: no execute_action server; is the action manager running?', True)
            return
        self._doing = action
        self._still_there = self._manager.watch(action)

        def on_feedback(message: ExecuteAction.Impl.FeedbackMessage) -> None:
            feedback = message.feedback
            self._doing = f'{action}: {feedback.sub_action} {100 * feedback.progress:.0f} %'

        sent = self._actions.send_goal_async(messages.action_goal(action), on_feedback)
        sent.add_done_callback(lambda future: self._on_answer(action, future))

    def cancel_action(self) -> None:
        """Cancel the action that runs, and do not ask for a posture that waits for its turn."""
        self._postures.forget_waiting()
        if self._goal is not None:
            self._goal.cancel_goal_async()

    def take_posture(self) -> Posture | None:
        """A posture reported since the last call."""
        posture, self._posture = self._posture, None
        return posture

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""
        return self._postures.take_refusal()

    def reading(self) -> Reading | None:
        """The base as last measured; None before the first odometry."""
        if self._odometry is None:
            return None
        x, y, z, yaw, pitch, roll = messages.pose_coordinates(self._odometry.pose.pose).tolist()
        return Reading(x, y, z, roll, pitch, yaw, time.monotonic() - self._odometry_at)

    def doing(self) -> str:
        """What runs, in a few words."""
        return self._doing

    def _on_posture(self, message: PoseStamped) -> None:
        x, y, z, yaw, pitch, roll = messages.pose_coordinates(message.pose).tolist()
        self._posture = Posture(x, y, z, roll, pitch, yaw)
        self._posture_frame = message.header.frame_id

    def _on_odometry(self, message: Odometry) -> None:
        self._odometry, self._odometry_at = message, time.monotonic()

    def _on_answer(self, action: str, future: Future) -> None:
        handle = future.result()
        if handle is None or not handle.accepted:
            self._doing = ''
            self.say(f'{action}: refused by the action manager', True)
            return
        self._goal = handle
        handle.get_result_async().add_done_callback(
            lambda future: self._on_result(action, handle, future)
        )

    def _on_result(self, action: str, handle: object, future: Future) -> None:
        if self._goal is handle:
            self._goal, self._doing = None, ''
        result = future.result().result
        status = Status(result.outcome.status)
        if status is Status.SUCCEEDED:
            self.say(f'{action}: done in {result.duration:.1f} s', False)
        else:
            self.say(outcome_text(action, status, result.outcome.message), True)

    def _look_after_action(self) -> None:
        """See that what runs can still end."""
        if not self._doing:
            return
        try:
            self._still_there()
        except ServerGoneError as error:
            self._goal, self._doing = None, ''
            self.say(str(error), True)


def main(arguments: list[str] | None = None) -> int:
    """Run the keyboard interface in this terminal.

    Returns:
        The process's exit status: 0; 1 for a bad key map or parameter; 2 without a terminal.
    """
    fd = 0
    if not os.isatty(fd):
        print(
            'error: the keyboard interface reads keys from a terminal, and stdin is none; '
            'run it in a terminal of its own, not in a launch file or pipe',
            file=sys.stderr,
        )
        return 2
    node = None
    with Signals() as signals:
        try:
            rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
            node = KeyboardNode()
            screen = Screen(sys.stdout)
            node.say = lambda text, problem: screen.print(text, '33' if problem else '')
            with Terminal(fd, 1 if screen.interactive else None) as terminal:
                Session(node.settings, node, screen, terminal, signals, fd).run()
        except (
            SoftshellError,
            InvalidParameterValueException,
            InvalidParameterTypeException,
        ) as error:
            print(f'error: {error}', file=sys.stderr, flush=True)
            return 1
        finally:
            if node is not None:
                node.close()
                node.destroy_node()
            rclpy.try_shutdown()
    return 0
