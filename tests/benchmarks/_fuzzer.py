"""Sends what nobody expects to all of a stack, and counts the answers."""

import math
import time
from collections.abc import Callable
from typing import Any

from _made_up import MadeUp
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import PoseStamped, Twist
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import Imu, JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from softshell_common.ros import qos
from softshell_description.model import RobotModel
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import ControllerCommand, FingerCommand, TrajectoryCommand
from softshell_interfaces.srv import (
    ChangeWorld,
    GetWorld,
    InjectFault,
    ListActions,
    NamedState,
    RebootServo,
    SetBodyPose,
    SolveBodyIK,
    SolveFK,
    SolveIK,
    StepTime,
)

PATIENCE = 120.0  # [s, wall] for answers
#: Requests that may be on their way at once.
MOST_OPEN = 20
#: Names that get past the first check.
KNOWN = (
    *('walk', 'stand', 'distance', 'base_footprint', 'real_time_factor', 'tolerance'),
    *('body', 'damage', 'sag'),  # a bus, and faults that take only a number
)
#: Types of messages, services and actions, with the name of each that is sent to.
Wire = tuple[tuple[Any, str], ...]
TOPICS = (
    (TrajectoryCommand, 'trajectory_command'),
    (ControllerCommand, 'controller_command'),
    (FingerCommand, 'finger_command'),
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
    (StepTime, 'bridge/step'),
    *(
        (Trigger, f'bridge/{name}')
        for name in (  # in an order after which actions and topics meet a bridge that drives
            *('emergency_stop', 'pause', 'resume', 'deactivate'),
            *('clear_fault', 'reset', 'activate'),
        )
    ),
)
#: Those that a simulation offers beside them.
WORLD_SERVICES = (
    (ChangeWorld, 'bridge/change_world'),
    (GetWorld, 'bridge/get_world'),
    *((NamedState, f'bridge/{name}_state') for name in ('save', 'forget')),
)
#: What undoes what others have done, or writes a file.
UNDOING = (
    (NamedState, 'bridge/restore_state'),
    (Trigger, 'black_box/write'),
)
ACTIONS = (
    (ExecuteAction, 'execute_action'),
    (FollowJointTrajectory, 'follow_joint_trajectory'),
)
#: What only emulated servos and the bridge to them take.
OF_SERVOS = (
    (Imu, 'imu/data'),
    (RebootServo, 'bridge/reboot_servo'),
    (InjectFault, 'servo_emulator/inject'),
)


class Fuzzer:
    """A node that sends whatever comes to it, and counts the answers.

    Args:
        context: an initialised rclpy context.
        robot: some of whose names are sent.
        seed: of the random numbers.
        wire: that it sends to; by default all that any bridge has.
    """

    def __init__(
        self,
        context: Context,
        robot: RobotModel,
        seed: int,
        wire: Wire = (*TOPICS, *SERVICES, *ACTIONS),
    ) -> None:
        names = (
            *robot.joint_names[:4],
            *list(robot.chains)[:2],
            *robot.controllers,
            robot.base.link,
            *KNOWN,
        )
        made_up = MadeUp(names, seed)
        self.node = Node('fuzzer', context=context, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self.open: dict[Future, str] = {}
        self._silent: set[str] = set()
        self.asked = self.answered = self.not_finite = self.sent = 0
        self.node.create_subscription(JointState, 'joint_states', self._look, qos.SENSOR_CONSUMER)
        # Each returns what has to be answered before anything else is sent, if that has to be.
        self.senders: list[Callable[[], Future | None]] = []
        self._callers: dict[str, Callable[[], Future | None]] = {}
        self._offered: list[tuple[str, Callable[[float], bool]]] = []
        for kind, name in wire:
            if hasattr(kind, 'Goal'):
                self.senders.append(self._goal_sender(kind, name, made_up))
            elif hasattr(kind, 'Request'):
                self._callers[name] = self._caller(kind, name, made_up)
                self.senders.append(self._callers[name])
            else:
                self.senders.append(self._sender(kind, name, made_up))
        self.find()

    def find(self) -> None:
        """Wait until everything that is asked is there, e.g. after a node was started anew."""
        for name, wait in self._offered:
            assert wait(PATIENCE), name

    def send(self, check: Callable[[], None]) -> None:
        """Send the next message, and wait until not too many wait for an answer.

        What starts or stops the bridge is answered before anything else is sent: of requests
        that arrive together it takes the first of its own list first. What does not answer in
        time stays in `open`, and is not waited for again until `wait`.

        Args:
            check: called while it waits; raises if that is in vain.
        """
        alone = self.senders[self.sent % len(self.senders)]()
        self.sent += 1
        self.spin()
        end = time.monotonic() + PATIENCE
        while self._is_to_wait(alone):
            if time.monotonic() > end:
                self._silent |= {*self.open.values()}
                break
            check()
            self.spin(0.01)

    def resume(self) -> None:
        """Let time go on, since the last message may have been a pause."""
        self._callers['bridge/resume']()

    def wait(self, check: Callable[[], None]) -> None:
        """Wait for the answers that are not there yet, if not for ever.

        Args:
            check: called while it waits; raises if that is in vain.
        """
        end = time.monotonic() + PATIENCE
        while self.open and time.monotonic() < end:
            check()
            self.spin(0.1)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.node.destroy_node()

    def spin(self, seconds: float = 0.0) -> None:
        """Take what has come, for so long."""
        end = time.monotonic() + seconds
        self._executor.spin_once(timeout_sec=0.0)
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.05)

    def _is_to_wait(self, alone: Future | None) -> bool:
        """Whether `alone`, or too much of what answers in time, has no answer yet."""
        waiting = [future for future, name in self.open.items() if name not in self._silent]
        return len(waiting) > MOST_OPEN or alone in waiting

    def _look(self, message: JointState) -> None:
        numbers = (*message.position, *message.velocity, *message.effort)
        self.not_finite += not all(map(math.isfinite, numbers))

    def _sender(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], Future | None]:
        publisher = self.node.create_publisher(kind, name, qos.ORDERS)
        return lambda: publisher.publish(made_up.fill(kind()))

    def _caller(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], Future | None]:
        client = self.node.create_client(kind, name, qos_profile=qos.SERVICE)
        self._offered.append((name, client.wait_for_service))

        def send() -> Future | None:
            future = client.call_async(made_up.fill(kind.Request()))
            self._await(future, name)
            return future if kind is Trigger else None

        return send

    def _goal_sender(self, kind: Any, name: str, made_up: MadeUp) -> Callable[[], Future | None]:
        client = ActionClient(self.node, kind, name, **qos.ACTION)
        self._offered.append((name, client.wait_for_server))

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
