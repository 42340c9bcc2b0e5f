"""The robot for the keyboard and the dashboard, by means of `softshell_client`."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from std_msgs.msg import String

from softshell_client import Client
from softshell_client.ros import messages
from softshell_client.ros.asking import Question
from softshell_client.ros.execution import Execution
from softshell_client.ros.latest import Latest
from softshell_common.ros.qos import LATCHED, SENSOR_CONSUMER
from softshell_interfaces.msg import ActionDescription
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.commands import STOP, Twist
from softshell_teleop.offer import Offer, offer_of
from softshell_teleop.posture import Posture
from softshell_teleop.posture_requests import PostureRequests
from softshell_teleop.screen import Reading

#: Time between two checks of what the robot can be asked for [s].
LOOK_PERIOD = 0.5
#: How long an emergency stop is tried again if the bridge cannot be reached [s].
STOP_AGAIN = 5.0

#: The questions to a robot that has appeared: its actions, and its gaits.
Listing = tuple[Question[Sequence[ActionDescription]], Question[Sequence[str]]]


class Remote:
    """A robot that may start and end at any time; it is polled, and no call waits for it.

    Args:
        node: a node in the namespace of the robot; a thread spins it until `close`.
        say: prints one line: its text, and whether it is a problem.

    Attributes:
        client: the client that asks the robot.
        actions: the robot's actions; empty while they are not known.
    """

    def __init__(self, node: Node, say: Callable[[str, bool], None]) -> None:
        self._node, self._say = node, say
        self._posture = Latest(node, PoseStamped, 'posture', LATCHED)
        self._odometry = Latest(node, Odometry, 'odom', SENSOR_CONSUMER)
        self._mode = Latest(node, String, 'mode', LATCHED)
        self._posture_seen_at: float | None = None
        self.client = Client(node)
        self._postures = PostureRequests(self._begin_posture, say)
        self._executions: list[Execution] = []
        self.actions: Sequence[ActionDescription] = ()
        self._offer: Offer | None = None
        self._requests: list[tuple[str, Question[Any]]] = []  # by name
        self._stop_until = 0.0  # 0: no emergency stop waits to be sent
        self._cancellation: Question[None] | None = None
        #: Actions that are begun once the cancellation before them is answered.
        self._held_back: list[tuple[str, Mapping[str, Any]]] = []
        self._listing: Listing | None = None
        self._look_at = 0.0

    def close(self) -> None:
        """End the client, after the last velocity (zero) has arrived."""
        if self._stop_until:
            self._say(f'{STOP}: not sent', True)
        self.client.close()

    def poll(self) -> bool:
        """Print what has ended since the last call. Returns False once ROS is shut down."""
        if self._stop_until:
            self._stop()
        self._postures.look()
        for execution in [one for one in self._executions if one.done()]:
            self._executions.remove(execution)
            self._tell_end(execution)
        for request in [one for one in self._requests if one[1].done()]:
            self._requests.remove(request)
            self._tell_reply(*request)
        if self._cancellation is None or self._cancellation.done():
            held_back, self._held_back = self._held_back, []
            for action, given in held_back:
                self._begin_action(action, given)
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOOK_PERIOD
            self._look_for_offer()
        return self._node.context.ok()

    def offer(self) -> Offer | None:
        """What the robot can be asked for; None while no action manager has answered."""
        return self._offer

    def listened(self) -> bool:
        """Whether a node subscribes to cmd_vel."""
        return self.client.takes_velocities()

    def drive(self, twist: Twist) -> None:
        """Command a velocity."""
        with contextlib.suppress(SoftshellError):  # ROS is shut down: `poll` returns False
            self.client.drive(twist.forward, twist.left, twist.turn)

    def set_posture(self, posture: Posture) -> None:
        """Ask for a posture."""
        self._postures.ask(posture)

    def set_gait(self, gait: str) -> None:
        """Walk with a gait."""
        try:
            self._requests.append(('gait', self.client.begin_gait(gait)))
        except SoftshellError as error:
            self._say(f'gait {gait}: {error}', True)

    def perform(
        self, action: str, parameters: Mapping[str, float] | None = None, queue: bool = False
    ) -> None:
        """Begin an action.

        Args:
            action: name of the action.
            parameters: values of its parameters, in their units; others keep their defaults.
            queue: whether it begins after everything before it has ended; else it takes over.
        """
        given: dict[str, Any] = {'queue': queue, **(parameters or {})}
        cancelling = self._cancellation is not None and not self._cancellation.done()
        if self._held_back or cancelling:
            self._held_back.append((action, given))  # or it could be cancelled as well
        else:
            self._begin_action(action, given)

    def _begin_action(self, action: str, given: Mapping[str, Any]) -> None:
        try:
            self._executions.append(self.client.begin_action(action, **given))
        except SoftshellError as error:
            self._say(f'{action}: {error}', True)

    def cancel_action(self) -> None:
        """Cancel all actions, whoever began them, and drop a posture that waits."""
        self._postures.forget_waiting()
        self._held_back.clear()
        for execution in self._executions:  # one may not have been accepted yet
            execution.cancel()
        try:
            self._cancellation = self.client.cancel_actions()
            self._requests.append(('cancel', self._cancellation))
        except SoftshellError as error:
            self._say(f'cancel: {error}', True)

    def emergency_stop(self) -> None:
        """Ask the bridge to stop at once; tried again by `poll` until it is sent.

        Actions and a posture that wait are dropped.
        """
        self._held_back.clear()
        self._postures.forget_waiting()
        self._stop_until = time.monotonic() + STOP_AGAIN
        self._stop()

    def _stop(self) -> None:
        """Try to send an emergency stop; gives up with a message after `STOP_AGAIN`."""
        try:
            question = self.client.begin_bridge_request(STOP)
        except SoftshellError as error:
            if time.monotonic() >= self._stop_until:
                self._stop_until = 0.0
                self._say(f'{STOP}: {error}', True)
        else:
            self._stop_until = 0.0
            self._requests.append((STOP, question))

    def take_posture(self) -> Posture | None:
        """A posture reported since the last call; None if there was none."""
        seen_at = self._posture.seen_at
        if seen_at == self._posture_seen_at:
            return None
        self._posture_seen_at = seen_at
        pose = self._posture.message.pose
        x, y, z, yaw, pitch, roll = messages.pose_coordinates(pose).tolist()
        return Posture(x, y, z, roll, pitch, yaw)

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""
        return self._postures.take_refusal()

    def reading(self) -> Reading | None:
        """The pose of the base as last measured; None before the first odometry."""
        seen_at = self._odometry.seen_at
        if seen_at is None:
            return None
        pose = self._odometry.message.pose.pose
        x, y, z, yaw, pitch, roll = messages.pose_coordinates(pose).tolist()
        return Reading(x, y, z, roll, pitch, yaw, time.monotonic() - seen_at)

    @property
    def executions(self) -> Sequence[Execution]:
        """The actions that have not ended yet."""
        return tuple(self._executions)

    def doing(self) -> str:
        """The robot's mode, if it has modes, and the newest action, in a few words."""
        mode = self._mode.message
        words = [] if mode is None else [str(mode.data)]
        if self._executions:
            newest = self._executions[-1]
            part = f': {newest.sub_action} {100 * newest.progress:.0f} %'
            words.append(newest.name + (part if newest.sub_action else ''))
        return ', '.join(words)

    def _begin_posture(self, posture: Posture) -> Question[None]:
        return self.client.begin_body_pose(
            posture.z,
            x=posture.x,
            y=posture.y,
            yaw=posture.yaw,
            pitch=posture.pitch,
            roll=posture.roll,
        )

    def _tell_end(self, execution: Execution) -> None:
        try:
            duration = execution.result()
        except SoftshellError as error:
            self._say(str(error), True)
        else:
            self._say(f'{execution.name}: done in {duration:.1f} s', False)

    def _tell_reply(self, name: str, request: Question[Any]) -> None:
        try:
            answer = request.answer()
        except SoftshellError as error:
            self._say(str(error), True)
        else:
            self._tell_answer(name, answer)

    def _tell_answer(self, name: str, answer: Any) -> None:
        """Print how to go on after an emergency stop; other requests are silent if obeyed."""
        if name == STOP:
            namespace = self._node.get_namespace().strip('/')
            where = f', each with namespace:={namespace}' if namespace else ''
            way_out = f'./softshell call bridge/reset, then bridge/activate{where}'
            self._say(f'{STOP}: {answer}; to go on: {way_out}', False)

    def _look_for_offer(self) -> None:
        """Ask a robot that has appeared what it offers, or forget that of one that has ended."""
        if not self.client.is_ready():
            self._offer = self._listing = None
            self.actions = ()
        elif self._offer is not None:
            walks, poses = self._takes()
            if (walks, poses) != (self._offer.walks, self._offer.poses):
                self._offer = replace(self._offer, walks=walks, poses=poses)
        else:
            # If it fails, the next check tries again.
            with contextlib.suppress(SoftshellError):
                self._ask_for_offer()

    def _ask_for_offer(self) -> None:
        if self._listing is None:
            self._listing = self.client.begin_listing(), self.client.begin_gaits()
        elif all(question.done() for question in self._listing):
            (actions, gaits), self._listing = self._listing, None
            self.actions = actions.answer()
            self._offer = offer_of(self.actions, *self._takes(), gaits.answer())

    def _takes(self) -> tuple[bool, bool]:
        """Whether the robot takes velocities, and poses of its base."""
        return self.client.takes_velocities(), self.client.takes_body_poses()
