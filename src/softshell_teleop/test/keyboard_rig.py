"""The keyboard node as a process on a pseudo-terminal, and the robot that it talks to."""

import contextlib
import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import rclpy
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from std_srvs.srv import Trigger

from softshell_common.ros.qos import LATCHED
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import (
    ActionDescription,
    ActionOutcome,
    BridgeStatus,
    ParameterDescription,
)
from softshell_interfaces.srv import ListActions, SetBodyPose

CONFIG = Path(__file__).parents[3] / 'config/teleop.yaml'
#: Coordinates of the pose that the robot takes.
POSE = [
    ParameterDescription(name='z', minimum=0.0, maximum=0.3),
    ParameterDescription(name='pitch', minimum=-0.5, maximum=0.5),
    ParameterDescription(name='roll', minimum=-0.5, maximum=0.5),
]
PATIENCE = 120.0  # [s] for anything to happen on a busy machine
SILENCE = 1.5  # [s] in which nothing may happen
FIRST, REPEAT = 5.0, 4.0  # [s] dead-man times that outlast a busy machine's hiccups
#: Sets them: a key map may not.
PATIENT = f"""
from softshell_teleop import settings
load = settings.load_settings
def patient(path):
    loaded = load(path)
    hold = loaded.hold.model_copy(update=dict(first={FIRST}, repeat={REPEAT}))
    return loaded.model_copy(update=dict(hold=hold))
settings.load_settings = patient
"""
RUN = """
import os, sys
os.open(os.ttyname(0), os.O_RDWR)  # the session's controlling terminal, so that Ctrl-C is a signal
from softshell_teleop import core
from softshell_teleop.main import keyboard
{patch}
sys.exit(keyboard())
"""


class Keyboard:
    """The process, its terminal and what it printed."""

    def __init__(self, namespace: str, key_map: Path, patch: str = '') -> None:
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self._printed, self._lock = bytearray(), threading.Lock()
        ros = ['--ros-args', '-r', f'__ns:={namespace}', '-p', f'key_map:={key_map}']
        self.process = subprocess.Popen(
            [sys.executable, '-c', RUN.format(patch=patch), *ros],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env=os.environ | {'TERM': 'xterm'},  # whatever the tests run in
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 4096):
                with self._lock:
                    self._printed += data

    @property
    def printed(self) -> str:
        with self._lock:
            return self._printed.decode('utf-8', 'replace')

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, pattern: str) -> None:
        wait(lambda: re.search(pattern, self.printed), lambda: f'{pattern!r} in {self.printed}')

    def ended(self) -> int:
        """Exit status; the terminal is as it was before."""
        status = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.slave) == self.before
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)


class Robot:
    """What the keyboard talks to: records cmd_vel, serves actions and postures.

    A posture higher than 0.15 m is refused. While `busy` is set, postures are not answered; while
    `endless` is set, an action goes on until it is cancelled. It has no bridge before
    `add_bridge`.

    Args:
        namespace: of its node.
        actions: names of those that it lists.
        has_legs: whether it takes velocities, and poses of its base by the action `pose`.

    Attributes:
        stops: how many emergency stops the bridge was asked for.
    """

    def __init__(
        self, namespace: str, actions: tuple[str, ...] = ('stand', 'idle'), has_legs: bool = True
    ) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('robot', namespace=namespace, context=self.context)
        self.twists: list[tuple[float, float, float]] = []
        self.poses: list[PoseStamped] = []
        self.busy, self.endless = threading.Event(), threading.Event()
        self.goals: list[str] = []
        self.stops = 0
        self._apart = ReentrantCallbackGroup()  # an answer that waits keeps nothing else waiting
        self._actions = [ActionDescription(name=name) for name in actions]
        if has_legs:
            deep = QoSProfile(depth=1000)
            self.node.create_subscription(Twist, 'cmd_vel', self._on_twist, deep)
            self.node.create_service(
                SetBodyPose, 'set_body_pose', self._set_body_pose, callback_group=self._apart
            )
            self._actions.append(ActionDescription(name='pose', parameters=POSE))
        self.node.create_service(ListActions, 'list_actions', self._list)
        self.posture = self.node.create_publisher(PoseStamped, 'posture', LATCHED)
        self.odometry = self.node.create_publisher(Odometry, 'odom', 10)
        self._server = ActionServer(
            self.node,
            ExecuteAction,
            'execute_action',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self._server._handle.publish_status()
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def add_bridge(self) -> None:
        """Serve emergency stops, and say so as a bridge does."""
        self.node.create_service(Trigger, 'bridge/emergency_stop', self._stop)
        self._status = self.node.create_publisher(BridgeStatus, 'bridge_status', LATCHED)
        self._status.publish(BridgeStatus(bridge='mock'))

    def _stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.stops += 1
        response.success, response.message = True, 'stopped'
        return response

    def _spin(self) -> None:
        while not self._closing.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _on_twist(self, message: Twist) -> None:
        self.twists.append((message.linear.x, message.linear.y, message.angular.z))

    def _list(
        self, request: ListActions.Request, response: ListActions.Response
    ) -> ListActions.Response:
        response.actions = self._actions
        return response

    async def _set_body_pose(
        self, request: SetBodyPose.Request, response: SetBodyPose.Response
    ) -> SetBodyPose.Response:
        self.poses.append(request.pose)
        response.outcome.status = ActionOutcome.SUCCEEDED
        while self.busy.is_set():
            await self._pause()
        if request.pose.pose.position.z > 0.15:
            response.outcome.status = ActionOutcome.UNREACHABLE
            response.outcome.message = 'a foot cannot reach'
        return response

    async def _pause(self) -> None:
        rest = Future(executor=self._executor)
        timer = self.node.create_timer(0.02, lambda: rest.set_result(None), self._apart)
        await rest
        timer.cancel()
        self.node.destroy_timer(timer)

    def _on_goal(self, goal: ExecuteAction.Goal) -> GoalResponse:
        self.goals.append(goal.name)
        return GoalResponse.REJECT if len(self.goals) > 2 else GoalResponse.ACCEPT

    async def _execute(self, handle) -> ExecuteAction.Result:
        result = ExecuteAction.Result(duration=1.5)
        result.outcome.status = ActionOutcome.SUCCEEDED
        if self.endless.is_set():
            handle.publish_feedback(ExecuteAction.Feedback(sub_action='rising', progress=0.25))
            while not handle.is_cancel_requested:
                await self._pause()
            handle.canceled()
            result.outcome.status, result.outcome.message = ActionOutcome.CANCELED, 'at rest'
        elif handle.request.name == 'stand':
            handle.succeed()
        else:
            handle.abort()
            result.outcome.status = ActionOutcome.UNREACHABLE
            result.outcome.message = 'lower_3 cannot reach'
        return result

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._server.destroy()
        self.node.destroy_node()
        self._executor.shutdown()
        self.context.try_shutdown()


def wait(condition, describe=lambda: '') -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, describe()
        time.sleep(0.02)


def listened(robot: Robot) -> bool:
    return robot.node.count_publishers('cmd_vel') > 0


def hold(keyboard: Keyboard, key: str, robot: Robot, count: int) -> None:
    """Repeat a key as a terminal does until `count` Twists have come."""

    def more() -> bool:
        keyboard.type(key)
        time.sleep(0.03)
        return len(robot.twists) >= count

    wait(more)


def keep_typing(keyboard: Keyboard, key: str, condition) -> None:
    """Press and release a key again and again, slowly, until it has its effect."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, keyboard.printed
        keyboard.type(key)
        pause = time.monotonic() + FIRST + 0.2
        while not condition() and time.monotonic() < pause:
            time.sleep(0.02)
