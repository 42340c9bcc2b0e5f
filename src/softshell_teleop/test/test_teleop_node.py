"""The keyboard node as a process of its own on a pseudo-terminal, with real subscribers."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from geometry_msgs.msg import PoseStamped, Twist  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.action import ActionServer, GoalResponse  # noqa: E402
from rclpy.callback_groups import ReentrantCallbackGroup  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402
from rclpy.task import Future  # noqa: E402

from softshell_common.ros.qos import LATCHED  # noqa: E402
from softshell_interfaces.action import ExecuteAction  # noqa: E402
from softshell_interfaces.msg import ActionOutcome  # noqa: E402
from softshell_interfaces.srv import SetBodyPose  # noqa: E402

CONFIG = Path(__file__).parents[3] / 'config/teleop.yaml'
PATIENCE = 40.0  # [s] for anything to happen on a busy machine
SILENCE = 1.5  # [s] in which nothing may happen
RUN = """
import os, sys
os.open(os.ttyname(0), os.O_RDWR)  # the session's controlling terminal, so that Ctrl-C is a signal
from softshell_teleop import core, keyboard_node
{patch}
sys.exit(keyboard_node.main())
"""
# A key that breaks the core, as a defect would.
BREAK = """
sound = core.step
def broken(settings, state, key, now):
    if key == 'z':
        raise RuntimeError('deliberate')
    return sound(settings, state, key, now)
core.step = broken
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

    A posture higher than 0.15 m is refused. While `busy` is set, postures are not answered.
    """

    def __init__(self, namespace: str) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('robot', namespace=namespace, context=self.context)
        self.twists: list[tuple[float, float, float]] = []
        self.poses: list[PoseStamped] = []
        self.busy = threading.Event()
        self.goals: list[str] = []
        deep = QoSProfile(depth=1000)
        self.node.create_subscription(Twist, 'cmd_vel', self._on_twist, deep)
        self._apart = ReentrantCallbackGroup()  # an answer that waits keeps nothing else waiting
        self.node.create_service(
            SetBodyPose, 'set_body_pose', self._set_body_pose, callback_group=self._apart
        )
        self.posture = self.node.create_publisher(PoseStamped, 'posture', LATCHED)
        self.odometry = self.node.create_publisher(Odometry, 'odom', 10)
        self._server = ActionServer(
            self.node,
            ExecuteAction,
            'execute_action',
            self._execute,
            goal_callback=self._on_goal,
        )
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while not self._closing.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _on_twist(self, message: Twist) -> None:
        self.twists.append((message.linear.x, message.linear.y, message.angular.z))

    async def _set_body_pose(
        self, request: SetBodyPose.Request, response: SetBodyPose.Response
    ) -> SetBodyPose.Response:
        self.poses.append(request.pose)
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

    def _execute(self, handle) -> ExecuteAction.Result:
        result = ExecuteAction.Result(duration=1.5)
        if handle.request.name == 'stand':
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


@pytest.fixture(scope='module')
def namespace():
    return f'/teleop_test_{os.getpid()}'


@pytest.fixture
def robot(namespace):
    robot = Robot(namespace)
    yield robot
    robot.close()


@pytest.fixture
def start(namespace, tmp_path):
    """Starts keyboards, with dead-man times that outlast a busy machine's hiccups."""
    text = CONFIG.read_text(encoding='utf-8')
    text = text.replace('first: 0.8 ', 'first: 2.0 ').replace('repeat: 0.25 ', 'repeat: 1.0 ')
    key_map = tmp_path / 'teleop.yaml'
    key_map.write_text(text, encoding='utf-8')
    started = []

    def start(patch: str = '', key_map: Path = key_map) -> Keyboard:
        started.append(Keyboard(namespace, key_map, patch))
        return started[-1]

    yield start
    for keyboard in started:
        keyboard.close()


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
        pause = time.monotonic() + 2.2  # longer than the `first` of these tests
        while not condition() and time.monotonic() < pause:
            time.sleep(0.02)


def test_hold_walks_and_release_is_one_zero(robot, start):
    """W held is a stream of equal Twists; its release is one zero, then silence; X ends it all."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 30)
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    time.sleep(SILENCE)
    speed = robot.twists[0][0]
    assert speed > 0
    assert robot.twists == [(speed, 0, 0)] * (len(robot.twists) - 1) + [(0, 0, 0)]
    keyboard.type('X')
    assert keyboard.ended() == 0
    assert keyboard.printed.count('forward (speed') == 1
    assert 'nobody listens' not in keyboard.printed


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_signals_stop_the_robot_and_restore_the_terminal(robot, start, number):
    """A signal in mid-walk, even twice, sends the zero, restores the terminal and exits clean."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    assert termios.tcgetattr(keyboard.slave) != keyboard.before
    wait(lambda: listened(robot))
    hold(keyboard, 'e', robot, 3)
    keyboard.process.send_signal(number)
    keyboard.process.send_signal(number)
    assert keyboard.ended() == 0
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    assert robot.twists.count((0, 0, 0)) == 1
    assert 'Traceback' not in keyboard.printed


def test_control_c_and_control_d_end_it(start):
    """Ctrl-C and Ctrl-D, typed, exit with status 0."""
    for key in ('\x03', '\x04'):
        keyboard = start()
        keyboard.wait_for('waiting for odom')
        keyboard.type(key)
        assert keyboard.ended() == 0


def test_exception_stops_the_robot_and_restores_the_terminal(robot, start):
    """A defect in mid-walk still sends the zero and restores the terminal, and shows itself."""
    keyboard = start(BREAK)
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 3)
    keyboard.type('z')
    assert keyboard.ended() == 1
    keyboard.wait_for('RuntimeError: deliberate')
    wait(lambda: robot.twists[-1] == (0, 0, 0))


def test_suspension_stops_the_robot_and_gives_the_terminal_back(robot, start):
    """Stopped in mid-walk it sends the zero first, restores the terminal, and resumes key by key.

    Its process group is orphaned here, so the system continues it at once; what counts is the
    zero, well before the dead-man time, and that keys work again.
    """
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 3)
    keyboard.process.send_signal(signal.SIGTSTP)
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    wait(lambda: termios.tcgetattr(keyboard.slave) != keyboard.before)
    hold(keyboard, 'q', robot, len(robot.twists) + 3)
    wait(lambda: robot.twists[-1][2] > 0)
    keyboard.type('x')
    assert keyboard.ended() == 0


def report_posture(robot: Robot, height: float) -> None:
    """Publish a posture at a height [m], in a frame that only this robot has."""
    report = PoseStamped()
    report.header.frame_id = 'ground'
    report.pose.position.z, report.pose.orientation.w = height, 1.0
    robot.posture.publish(report)


def test_posture_starts_from_the_report(robot, start):
    """Posture keys wait for the latched posture, then step from it; odometry is shown live.

    The posture that is asked for is in the frame of the report.
    """
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keyboard.type('u')
    keyboard.wait_for('posture not known yet')
    report_posture(robot, 0.14)
    base = Odometry()
    base.pose.pose.position.z, base.pose.pose.orientation.w = 0.123, 1.0

    def shown() -> bool:
        robot.odometry.publish(base)
        return 'height 0.123 m' in keyboard.printed

    wait(shown)
    keep_typing(keyboard, '\x1b[A', lambda: robot.poses)  # the report may still be on its way
    pose = robot.poses[0]
    assert pose.header.frame_id == 'ground'
    assert pose.pose.position.z == pytest.approx(0.14)
    assert pose.pose.orientation.y == pytest.approx(0.01, abs=1e-5)  # sin of half of 0.02 rad
    assert robot.twists == []


def test_a_refused_posture_says_why_and_does_not_add_up(robot, start):
    """A height that the manager refuses is printed with its reason; the next step is as high."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    report_posture(robot, 0.149)
    keep_typing(keyboard, 'u', lambda: robot.poses)
    keyboard.wait_for('posture: unreachable: a foot cannot reach')
    before = len(robot.poses)
    time.sleep(0.5)  # several refreshes: the refusal has reached the state
    keep_typing(keyboard, 'u', lambda: len(robot.poses) > before)
    heights = [pose.pose.position.z for pose in robot.poses]
    assert heights == pytest.approx([0.154] * len(heights))


def test_one_posture_is_on_its_way_and_the_newest_comes_next(robot, start):
    """Steps taken while a posture is not answered yet are one request, for the last of them."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    report_posture(robot, 0.14)
    robot.busy.set()
    keep_typing(keyboard, 'l', lambda: robot.poses)
    first = robot.poses[0].pose.position.z
    for key in ('u', 'l', '\x1b[D', 'l'):  # no key twice in a row: repeats have an interval
        keyboard.type(key)
        time.sleep(0.15)
    time.sleep(0.5)
    assert len(robot.poses) == 1
    robot.busy.clear()
    wait(lambda: len(robot.poses) == 2)
    time.sleep(SILENCE)
    assert len(robot.poses) == 2
    assert robot.poses[1].pose.position.z == pytest.approx(first - 0.005)
    assert robot.poses[1].pose.orientation.x == pytest.approx(-0.01, abs=1e-5)


def test_actions_are_sent_and_their_end_is_told(robot, start):
    """T stands, I idles; success, failure with its message and refusal each print one line."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    wait(lambda: robot.node.count_clients('execute_action/_action/send_goal') > 0)
    # The other direction of discovery may take longer: a key that comes too early is refused.
    keep_typing(keyboard, 't', lambda: robot.goals)
    keyboard.wait_for(r'stand: done in 1\.5 s')
    keyboard.type('i')
    keyboard.wait_for('idle: unreachable: lower_3 cannot reach')
    keyboard.type('T')
    keyboard.wait_for('stand: refused by the action manager')
    assert robot.goals == ['stand', 'idle', 'stand']


def test_nobody_listens(start):
    """Without a robot a drive key says that nobody listens, and an action that none serves."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    keep_typing(keyboard, 'w', lambda: 'nobody listens on cmd_vel' in keyboard.printed)
    keyboard.type('i')
    keyboard.wait_for('idle: no execute_action server')


def test_bad_key_map_is_refused_before_the_terminal_changes(start, tmp_path):
    """A bad key map is listed and exits with status 1."""
    path = tmp_path / 'bad.yaml'
    path.write_text(CONFIG.read_text(encoding='utf-8').replace('[w]', '[ww]'), encoding='utf-8')
    keyboard = start(key_map=path)
    assert keyboard.ended() == 1
    keyboard.wait_for(r'bad\.yaml: 1 problem')


def test_no_terminal():
    """Without a terminal on stdin it says so at once and exits with status 2."""
    ended = subprocess.run(
        [
            sys.executable,
            '-c',
            'import sys; from softshell_teleop.ros.keyboard_node import main; sys.exit(main())',
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 2
    assert 'terminal' in ended.stderr
    assert ended.stderr.count('\n') == 1
