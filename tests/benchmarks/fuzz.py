"""Thousands of bad messages against the stack on the mock: nothing ends, all is answered.

Passes if all requests are answered, all joint states stay finite, and the robot still walks.
"""

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from _arguments import count, parser_of
from _made_up import MadeUp
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import PoseStamped, Twist
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from rich.progress import Progress
from sensor_msgs.msg import Imu, JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from softshell_bringup.domain import free_domain
from softshell_bringup.processes import Output
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros import qos
from softshell_description.load import load_robot
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import TrajectoryCommand
from softshell_interfaces.srv import ListActions, SetBodyPose, SolveBodyIK, SolveFK, SolveIK

ROOT = Path(__file__).resolve().parents[2]
#: Messages of a quick run: each kind comes twice.
QUICK = 18
PATIENCE = 120.0  # [s, wall] for the last answers
#: Requests that may be on their way at once.
MOST_OPEN = 20
#: Names that get past the first check.
KNOWN = ('walk', 'stand', 'distance', 'base_footprint', 'real_time_factor', 'tolerance')
TOPICS = (
    (TrajectoryCommand, 'trajectory_command'),
    (JointTrajectory, 'joint_trajectory'),
    (Twist, 'cmd_vel'),
    (PoseStamped, 'body_pose'),
    (Imu, 'imu'),
)
SERVICES = (
    (SolveIK, 'solve_ik'),
    (SolveFK, 'solve_fk'),
    (SolveBodyIK, 'solve_body_ik'),
    (ListActions, 'list_actions'),
    (SetBodyPose, 'set_body_pose'),
    (SetParameters, 'bridge/set_parameters'),
    (SetParameters, 'kinematics/set_parameters'),
    *((Trigger, f'bridge/{name}') for name in ('activate', 'deactivate', 'clear_fault', 'reset')),
)
ACTIONS = (
    (ExecuteAction, 'execute_action'),
    (FollowJointTrajectory, 'follow_joint_trajectory'),
)


class Fuzzer:
    """A node that sends whatever comes to it, and counts the answers."""

    def __init__(self, context: Context, made_up: MadeUp) -> None:
        self.node = Node('fuzzer', context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self.open: dict[Future, str] = {}
        self.asked = self.answered = self.not_finite = 0
        self.node.create_subscription(JointState, 'joint_states', self._look, qos.SENSOR_CONSUMER)
        self.senders: list[Callable[[], None]] = []
        for kind, name in TOPICS:
            self.senders.append(self._sender(kind, name, made_up))
        for kind, name in SERVICES:
            self.senders.append(self._caller(kind, name, made_up))
        for kind, name in ACTIONS:
            self.senders.append(self._goal_sender(kind, name, made_up))

    def spin(self, seconds: float = 0.0) -> None:
        """Take what has come, for so long."""
        end = time.monotonic() + seconds
        self._executor.spin_once(timeout_sec=0.0)
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.05)

    def _look(self, message: JointState) -> None:
        self.not_finite += not all(map(math.isfinite, message.position))

    def _sender(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], None]:
        publisher = self.node.create_publisher(kind, name, qos.ORDERS)
        return lambda: publisher.publish(made_up.fill(kind()))

    def _caller(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], None]:
        client = self.node.create_client(kind, name, qos_profile=qos.SERVICE)
        assert client.wait_for_service(PATIENCE), name
        return lambda: self._await(client.call_async(made_up.fill(kind.Request())), name)

    def _goal_sender(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], None]:
        client = ActionClient(self.node, kind, name, **qos.ACTION)
        assert client.wait_for_server(PATIENCE), name

        def accepted(future: Future) -> None:
            handle = future.result()
            if handle.accepted:
                self._await(handle.get_result_async(), f'{name} result')
                handle.cancel_goal_async()

        def send() -> None:
            future = client.send_goal_async(made_up.fill(kind.Goal()))
            self._await(future, name)
            future.add_done_callback(accepted)

        return send

    def _await(self, future: Future, name: str) -> None:
        self.asked += 1
        self.open[future] = name

        def note(done: Future) -> None:
            self.answered += 1
            del self.open[done]

        future.add_done_callback(note)


def log_to(path: Path) -> Output:
    """An output that writes all lines to one file, which is begun anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open('w', buffering=1)
    return lambda name, line: print(f'{name} | {line}', file=stream)


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments and run the benchmark; returns the exit status."""
    parser = parser_of(__file__, __doc__)
    parser.add_argument('messages', type=count, nargs='?', default=10_000, help='default: 10000')
    parser.add_argument(
        'seed', type=count, nargs='?', default=1, help='of the random numbers; default: 1'
    )
    parser.add_argument(
        '--quick', action='store_true', help=f'{QUICK} messages: shows that the benchmark works'
    )
    options = parser.parse_args(arguments)
    return fuzz(QUICK if options.quick else options.messages, options.seed)


def fuzz(messages: int, seed: int) -> int:
    """Send the messages and print what became of them.

    Returns:
        Exit status: 0 if all was answered, all stayed finite, and the robot still walks.
    """
    robot = load_robot()
    names = (*robot.joint_names[:4], *list(robot.chains)[:2], robot.base.link, *KNOWN)
    made_up = MadeUp(names, seed)
    context = Context()
    log = log_to(ROOT / 'out' / 'bench' / 'fuzz.log')
    arguments = {'bridge': 'mock', 'real_time_factor': '0'}
    with Stack(arguments, domain=free_domain(), output=log) as stack:
        stack.wait_ready()
        rclpy.init(context=context, domain_id=stack.domain)
        fuzzer = Fuzzer(context, made_up)
        with Progress() as progress:
            task = progress.add_task('messages', total=messages)
            for number in range(messages):
                fuzzer.senders[number % len(fuzzer.senders)]()
                fuzzer.spin()
                while len(fuzzer.open) > MOST_OPEN:
                    stack.check()
                    fuzzer.spin(0.01)
                progress.update(task, advance=1)
        end = time.monotonic() + PATIENCE
        while fuzzer.open and time.monotonic() < end:
            stack.check()
            fuzzer.spin(0.1)
        walks = still_walks(context)
        stack.check()
    context.try_shutdown()
    print(f'sent {messages}, of which requests {fuzzer.asked}, answered {fuzzer.answered}')
    print(f'not answered: {", ".join(sorted(fuzzer.open.values())) or "none"}')
    print(f'joint states that were not finite: {fuzzer.not_finite}')
    print(f'processes lost: none; walks afterwards: {"yes" if walks else "no"}')
    return int(bool(fuzzer.open) or fuzzer.not_finite > 0 or not walks)


def still_walks(context: Context) -> bool:
    """Whether the robot stands up and walks once it is left in peace."""
    with Shell(context=context) as shell:
        shell.reset()
        shell.activate()
        shell.perform('stand')
        return shell.perform('walk', distance=0.1) > 0.0


if __name__ == '__main__':
    sys.exit(main())
