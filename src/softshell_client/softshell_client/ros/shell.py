"""The robot for programs: actions, velocities, postures, the bridge, measured pose and joints."""

import itertools
import os
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rclpy.context import Context
from rclpy.node import Node

from softshell_client.ros.client import Client
from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.entries import entry
from softshell_client.ros.execution import OnFeedback
from softshell_client.ros.reports import Reports
from softshell_common.namespace import EXPECTED, is_namespace
from softshell_common.ros.context import new_context
from softshell_common.shown import shown
from softshell_interfaces.msg import ActionDescription
from softshell_kinematics.errors import SoftshellError

#: Numbers the clients of this process, so that no two nodes have one name.
_NUMBERS = itertools.count()


class Shell(Client, Reports):
    """The robot, for a program; a context manager. It closes at the latest with the program.

    Any thread may use it, but a callback of `node` must not wait for an answer.

    Args:
        namespace: namespace of the stack.
        timeout: longest wait for a node of the stack to appear [s, wall].
        context: an initialised rclpy context; default: a new one.

    Attributes:
        node: a node for topics and services of your own; a thread spins it.

    Raises:
        ProblemsError: the namespace is no text, or the wait is no number.
        SoftshellError: the namespace is not valid, ROS cannot be initialised, or there is no
            action manager within `timeout`.
    """

    def __init__(
        self, namespace: str = '', timeout: float = TIMEOUT, context: Context | None = None
    ) -> None:
        namespace, timeout = checked_namespace(namespace), entry('timeout', 'double', timeout)
        self._own_context = new_context() if context is None else None
        node = Node(
            f'client_{os.getpid()}_{next(_NUMBERS)}',
            namespace=namespace,
            context=context or self._own_context,
            start_parameter_services=False,
        )
        Reports.__init__(self, node, timeout)
        Client.__init__(self, node, timeout)
        try:
            self._connection.find(self._manager)
        except BaseException:
            self.close()
            raise

    def perform(
        self,
        name: str,
        on_feedback: OnFeedback | None = None,
        /,
        *,
        gait: str = '',
        queue: bool = False,
        **parameters: float,
    ) -> float:
        """Perform an action and wait until it has ended.

        Then `position`, `orientation`, `yaw`, `joints` and `time` are those of its end or newer.
        Only a bridge that publishes them less often than once a second may show older ones.

        Ctrl-C cancels the action: the robot comes to rest at the end of a sub-action, and
        `ActionFailedError` is raised with status CANCELED. A second Ctrl-C does not wait for that.

        Args:
            name: name of the action.
            on_feedback: called with each sub-action and the progress, in the spinning thread.
            gait: the gait to walk with, if the action walks with any gait; empty: the gait that
                the robot follows on cmd_vel.
            queue: whether it begins after everything before it has ended; else it takes over.
            parameters: values of the action's parameters, in their units; others keep defaults.

        Returns:
            Its duration [s], in simulated time if there is any.

        Raises:
            ActionFailedError: the action did not succeed.
            ServerGoneError: the action manager or the bridge ended before the action did.
            ProblemsError: names a value that is of another type.
            SoftshellError: there is no action manager.
            KeyboardInterrupt: Ctrl-C came during the last sub-action, and the action succeeded.
        """
        execution = self.begin_action(name, on_feedback, gait=gait, queue=queue, **parameters)
        try:
            duration = execution.result()
        except KeyboardInterrupt:
            execution.cancel()
            execution.result()
            raise
        self._follow_up()
        return duration

    def actions(self) -> Sequence[ActionDescription]:
        """The robot's actions, with their parameters.

        Raises:
            ServerGoneError: the action manager ended before it answered.
            SoftshellError: there is no action manager, or it did not answer in time.
        """
        return self.begin_listing().answer()

    def gaits(self) -> Sequence[str]:
        """The robot's gaits, first the one that it follows on cmd_vel; raises as `actions`."""
        return self.begin_gaits().answer()

    def set_gait(self, name: str) -> None:
        """Choose the gait that the robot follows on cmd_vel, also while it walks.

        Args:
            name: name of the gait; empty: the robot's default.

        Raises:
            RequestRefusedError: there is no such gait.
            ProblemsError: the name is no text.
            ServerGoneError: the action manager ended before it answered.
            SoftshellError: there is no action manager, or it did not answer in time.
        """
        self.begin_gait(name).answer()

    def set_body_pose(
        self,
        z: float,
        *,
        x: float = 0.0,
        y: float = 0.0,
        yaw: float = 0.0,
        pitch: float = 0.0,
        roll: float = 0.0,
    ) -> None:
        """Bring the base to a pose over its feet, and wait until it is there.

        Then `position` and what else is measured are those of that time or newer, as in `perform`.

        Args:
            z: height over the frames of the feet [m]; over the ground, a foot's radius more.
            x, y: forward and to the left of the middle of the feet [m].
            yaw, pitch, roll: [rad]; positive pitch is nose down, positive roll right side down.

        Raises:
            ActionFailedError: the pose was refused or not reached.
            ServerGoneError: the action manager ended before the base was there.
            ProblemsError: names a coordinate that is no number.
            SoftshellError: there is no action manager, or it takes no poses for this robot.
        """
        self.begin_body_pose(z, x=x, y=y, yaw=yaw, pitch=pitch, roll=roll).answer()
        self._follow_up()

    def activate(self) -> str:
        """Have the bridge drive the joints. Returns and raises as `emergency_stop`."""
        return self.begin_bridge_request('activate').answer()

    def deactivate(self) -> str:
        """Have the bridge stop driving the joints. Returns and raises as `emergency_stop`."""
        return self.begin_bridge_request('deactivate').answer()

    def clear_fault(self) -> str:
        """Have the bridge leave a fault. Returns and raises as `emergency_stop`."""
        return self.begin_bridge_request('clear_fault').answer()

    def emergency_stop(self) -> str:
        """Have the bridge stop at once; `reset` ends that.

        Returns:
            The bridge's message.

        Raises:
            RequestRefusedError: the bridge refused.
            ServerGoneError: the bridge ended before it answered.
            SoftshellError: there is no bridge, or it did not answer in time.
        """
        return self.begin_bridge_request('emergency_stop').answer()

    def reset(self) -> str:
        """Have the bridge leave an emergency stop or a fault and begin anew.

        A simulation and the mock go back to the start pose, without the bodies that were added;
        `position` and what else is measured are from after that, as in `perform`, unless simulated
        time is paused. Returns and raises as `emergency_stop`.
        """
        told = self.begin_bridge_request('reset').answer()
        self._follow_up(anew=True)
        return told

    def close(self) -> None:
        """End the client; the stack runs on."""
        super().close()
        self.node.destroy_node()
        if self._own_context is not None:
            self._own_context.try_shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def checked_namespace(namespace: str) -> str:
    """A valid ROS namespace with a slash in front; a slash at either end may be left out.

    Raises:
        ProblemsError: it is no text.
        SoftshellError: it is no valid namespace.
    """
    namespace = entry('namespace', 'string', namespace)
    if not is_namespace(namespace):
        raise SoftshellError(f'namespace is {shown(namespace)!r}; expected {EXPECTED}')
    return '/' + namespace.strip('/')
