"""What a stack can be asked for; each request begins and does not wait for its answer."""

import atexit
import contextlib
from collections.abc import Mapping, Sequence

from action_msgs.msg import GoalStatusArray
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import Twist
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from std_srvs.srv import Trigger

from softshell_client.errors import ActionFailedError, RequestRefusedError
from softshell_client.ros import messages
from softshell_client.ros.asking import Question
from softshell_client.ros.connection import Connection
from softshell_client.ros.entries import entry, made, numbers
from softshell_client.ros.execution import Execution, OnFeedback
from softshell_client.ros.peer import Peer
from softshell_common.onlooker import RECORDERS
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import (
    ActionDescription,
    BridgeStatus,
    FingerCommand,
    WorldBody,
    WorldChange,
)
from softshell_interfaces.srv import ChangeWorld, GetWorld, ListActions, SetBodyPose
from softshell_kinematics.errors import UnknownNameError

#: Services of the bridge that take no arguments.
BRIDGE_REQUESTS = ('activate', 'deactivate', 'clear_fault', 'emergency_stop', 'reset')
#: Longest wait, on closing, until the last commands of a stream have reached its subscribers.
LAST_WORDS = Duration(seconds=1)


class Client:
    """Asks the nodes of a stack and returns at once; `Shell` also waits for the answers.

    What begins a request returns a `Question`, whose `answer` waits: it returns the answer, or
    raises why there is none. Any thread may use the client, but a callback of `node` must not wait
    for an answer.

    Args:
        node: a node on the stack's domain and in its namespace; a thread spins it until `close`.
            The caller destroys it after that.
        timeout: longest wait for a node of the stack to appear [s, wall]; 0: a node that is not
            there now is an error.

    Attributes:
        node: the node, also for topics and services of your own.

    Raises:
        ProblemsError: the wait is no number.
    """

    def __init__(self, node: Node, timeout: float = 0.0) -> None:
        timeout = entry('timeout', 'double', timeout)
        self.node = node
        self._action = ActionClient(node, ExecuteAction, 'execute_action', **qos.ACTION)
        self._cancel = node.create_client(
            CancelGoal, 'execute_action/_action/cancel_goal', qos_profile=qos.SERVICE
        )
        self._list = node.create_client(ListActions, 'list_actions', qos_profile=qos.SERVICE)
        self._parameters = node.create_client(
            SetParameters, 'action_manager/set_parameters', qos_profile=qos.SERVICE
        )
        self._body_pose = node.create_client(SetBodyPose, 'set_body_pose', qos_profile=qos.SERVICE)
        self._requests = {
            name: node.create_client(Trigger, f'bridge/{name}', qos_profile=qos.SERVICE)
            for name in BRIDGE_REQUESTS
        }
        self._world = node.create_client(
            ChangeWorld, 'bridge/change_world', qos_profile=qos.SERVICE
        )
        self._bodies = node.create_client(GetWorld, 'bridge/get_world', qos_profile=qos.SERVICE)
        self._fingers = node.create_publisher(FingerCommand, 'finger_command', qos.ORDERS)
        self._cmd_vel = node.create_publisher(Twist, 'cmd_vel', qos.COMMAND)
        self._streamed: set[Publisher] = set()
        self._bridge = Peer(node, 'bridge_status', BridgeStatus, 'bridge')
        self._manager = Peer(
            node,
            'execute_action/_action/status',
            GoalStatusArray,
            'action manager',
            needs=self._bridge,
            is_seen=self._action.server_is_ready,
            early_service='list_actions',
        )
        self._connection = Connection(node, timeout)
        # A thread that still spins when Python ends would abort the program.
        atexit.register(self.close)

    def begin_action(
        self,
        name: str,
        on_feedback: OnFeedback | None = None,
        /,
        *,
        gait: str = '',
        queue: bool = False,
        **parameters: float,
    ) -> Execution:
        """Begin to perform an action.

        Args:
            name: name of the action.
            on_feedback: called with each sub-action and the progress, in the spinning thread.
            gait: the gait to walk with, if the action walks with any gait; empty: the gait that
                the robot follows on cmd_vel.
            queue: whether it begins after everything before it has ended; else it takes over.
            parameters: values of the action's parameters, in their units; others keep defaults.

        Raises:
            ProblemsError: names a value that is of another type.
            SoftshellError: there is no action manager.
        """
        goal = messages.action_goal(name, parameters, gait, queue)
        asker = self._connection.asker
        self._connection.find(self._manager)
        check = self._manager.watch(name)
        return Execution(asker, self._action, goal, check, on_feedback)

    def cancel_actions(self) -> Question[None]:
        """Begin to cancel every action that runs or waits, whoever began it.

        One of your own that the manager has not accepted yet goes on: `Execution.cancel` ends it.

        Raises:
            SoftshellError: there is no action manager.
        """
        everything = CancelGoal.Request()  # neither a goal nor a time is named
        return self._connection.ask(self._manager, self._cancel, everything, lambda answer: None)

    def begin_listing(self) -> Question[Sequence[ActionDescription]]:
        """Begin to ask for the robot's actions, with their parameters.

        Raises:
            SoftshellError: there is no action manager.
        """
        request = ListActions.Request()
        return self._connection.ask(
            self._manager, self._list, request, lambda answer: answer.actions
        )

    def begin_gaits(self) -> Question[Sequence[str]]:
        """Begin to ask for the robot's gaits; the one that it follows on cmd_vel comes first.

        Raises:
            SoftshellError: there is no action manager.
        """
        return self._connection.ask(
            self._manager, self._list, ListActions.Request(), lambda answer: answer.gaits
        )

    def begin_gait(self, name: str) -> Question[None]:
        """Begin to choose the gait that the robot follows on cmd_vel, also while it walks.

        Args:
            name: name of the gait; empty: the robot's default.

        Raises:
            ProblemsError: the name is no text.
            SoftshellError: there is no action manager. The answer raises RequestRefusedError if
                there is no such gait.
        """

        def read(answer: SetParameters.Response) -> None:
            for result in answer.results:
                if not result.successful:
                    raise RequestRefusedError('gait', result.reason, 'action manager')

        gait = Parameter('gait', value=entry('name', 'string', name))
        request = SetParameters.Request(parameters=[gait.to_parameter_msg()])
        return self._connection.ask(self._manager, self._parameters, request, read)

    def begin_body_pose(
        self,
        z: float,
        *,
        x: float = 0.0,
        y: float = 0.0,
        yaw: float = 0.0,
        pitch: float = 0.0,
        roll: float = 0.0,
    ) -> Question[None]:
        """Begin to bring the base to a pose over its feet; answered when it is there.

        Args:
            z: height over the frames of the feet [m]; over the ground, a foot's radius more.
            x, y: forward and to the left of the middle of the feet [m].
            yaw, pitch, roll: [rad]; positive pitch is nose down, positive roll right side down.

        Raises:
            ProblemsError: names a coordinate that is no number.
            SoftshellError: there is no action manager, or it takes no poses for this robot. The
                answer raises ActionFailedError if the pose was refused or not reached.
        """

        def read(answer: SetBodyPose.Response) -> None:
            outcome = answer.outcome
            if outcome.status != Status.SUCCEEDED:
                raise ActionFailedError('set_body_pose', Status(outcome.status), outcome.message)

        given = {'x': x, 'y': y, 'z': z, 'yaw': yaw, 'pitch': pitch, 'roll': roll}
        request = messages.body_pose_request(numbers(given))
        return self._connection.ask(self._manager, self._body_pose, request, read, moves=True)

    def begin_bridge_request(self, name: str) -> Question[str]:
        """Begin a request to the bridge; the answer is the bridge's message.

        Args:
            name: `activate`, `deactivate`, `clear_fault`, `emergency_stop` or `reset`.

        Raises:
            UnknownNameError: the name is none of them.
            ProblemsError: it is no text.
            SoftshellError: there is no bridge. The answer raises RequestRefusedError if the
                bridge refuses.
        """
        if entry('name', 'string', name) not in self._requests:
            raise UnknownNameError('request of the bridge', name, self._requests)

        def read(answer: Trigger.Response) -> str:
            if not answer.success:
                raise RequestRefusedError(name, answer.message)
            return str(answer.message)

        return self._connection.ask(self._bridge, self._requests[name], Trigger.Request(), read)

    def begin_world_change(self, changes: Sequence[WorldChange]) -> Question[str]:
        """Begin to change a simulated world; the answer is the bridge's message.

        Args:
            changes: bodies to add, remove, place, push or drive; made in this order, all or none.

        Raises:
            ProblemsError: names a value that is of another type.
            SoftshellError: there is no bridge, or it simulates no world. The answer raises
                RequestRefusedError with everything that is wrong with the changes.
        """

        def read(answer: ChangeWorld.Response) -> str:
            if not answer.success:
                raise RequestRefusedError('change_world', answer.message)
            return str(answer.message)

        request = made(ChangeWorld.Request, changes=changes)
        return self._connection.ask(self._bridge, self._world, request, read)

    def begin_bodies(self) -> Question[Sequence[WorldBody]]:
        """Begin to ask for the bodies of a simulated world, with where they are.

        Raises:
            SoftshellError: there is no bridge, or it simulates no world. The answer raises
                RequestRefusedError if the bridge could not tell its bodies.
        """

        def read(answer: GetWorld.Response) -> Sequence[WorldBody]:
            if not answer.bodies:  # a world has a robot at least
                raise RequestRefusedError('get_world', 'its log says why it tells no bodies')
            bodies: Sequence[WorldBody] = answer.bodies
            return bodies

        return self._connection.ask(self._bridge, self._bodies, GetWorld.Request(), read)

    def command_fingers(self, values: Mapping[str, float], duration: float = 0.0) -> None:
        """Command channels of soft manipulators; each goes smoothly to its value, from now on.

        Args:
            values: target of each channel, in the channel's unit, by name.
            duration: time to get there [s]; 0: as quickly as the limits of the channels allow.

        Raises:
            ProblemsError: names a value that is of another type.
            SoftshellError: ROS was shut down, or this client is closed.
        """
        targets = numbers(values)
        command = made(FingerCommand, channels=list(values), values=targets, duration=duration)
        self._connection.asker.check()
        self._streamed.add(self._fingers)
        self._fingers.publish(command)

    def drive(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Command a velocity; it holds for the action manager's `velocity_timeout`.

        Args:
            x, y: forward and to the left [m/s], in the robot's footprint.
            yaw: turning to the left [rad/s].

        Raises:
            ProblemsError: names a value that is no number.
            SoftshellError: ROS was shut down, or this client is closed.
        """
        velocity = messages.twist(x, y, yaw)
        self._connection.asker.check()
        self._streamed.add(self._cmd_vel)
        self._cmd_vel.publish(velocity)

    def is_ready(self) -> bool:
        """Whether the action manager runs and takes requests."""
        self._bridge.is_ready()  # so that requests to the bridge need no second try
        return self._manager.is_ready()

    def takes_velocities(self) -> bool:
        """Whether a node subscribes to the velocities of `drive`; recorders do not count."""
        heard = self.node.get_subscriptions_info_by_topic(self._cmd_vel.topic_name)
        return any(one.node_name not in RECORDERS for one in heard)

    def has_world(self) -> bool:
        """Whether the bridge simulates a world that can be changed."""
        return self._world.service_is_ready()

    def takes_body_poses(self) -> bool:
        """Whether the robot can bring its base to a pose (`begin_body_pose`)."""
        return self._body_pose.service_is_ready()

    def close(self) -> None:
        """End the client; the stack runs on. Waits until the last commands have arrived."""
        atexit.unregister(self.close)
        if not self._connection.close():
            return
        for publisher in self._streamed:
            with contextlib.suppress(RuntimeError):  # ROS was shut down from elsewhere
                publisher.wait_for_all_acked(LAST_WORDS)
        self._action.destroy()
