"""The topics `finger_states` and `finger_command` of a robot's soft manipulators."""

import uuid
from array import array
from collections.abc import Callable, Mapping

import numpy as np
from geometry_msgs.msg import Point, Vector3
from rclpy.node import Node

from softshell_common.ros.qos import ORDERS
from softshell_control.backend import Measured
from softshell_control.bridge import BridgeCore
from softshell_control.channel import Limits
from softshell_control.estimates.finger_shapes import POINTS, FingerShape, finger_shapes
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_control.trajectories.check import Request
from softshell_control.trajectories.finger_orders import mistake_of, points_of, shortest
from softshell_control.trajectories.trajectory import NANOSECONDS, Identity
from softshell_description.model import RobotModel
from softshell_interfaces.msg import FingerCommand, FingerState, FingerStates
from softshell_kinematics.transforms import quaternion_from_rotation

#: Control periods within which the control loop takes a command.
TAKEN = 3


class FingerStatesMessage:
    """`finger_states`: channels that are no joints, shapes, and forces on links.

    Args:
        robot: the robot.
        names: of all movable joints, in the order of what is measured.
    """

    def __init__(self, robot: RobotModel, names: tuple[str, ...]) -> None:
        self._joints = len(robot.joints)
        self._shapes = finger_shapes(robot, names)
        units = [spec.unit for spec in robot.channels.values()]
        self.message = FingerStates(channels=list(robot.channels), units=units)
        self.message.header.frame_id = robot.base.link
        self.message.values = array('d', bytes(8 * len(units)))
        self.message.fingers = [
            FingerState(
                name=shape.spec.name,
                backbone=[Point() for _ in range(POINTS)],
                arc_lengths=array('d', shape.arc_lengths.tobytes()),
                links=[part.name for part in shape.spec.moved],
                force=[Vector3() for _ in shape.spec.moved],
            )
            for shape in self._shapes
        ]

    def fill(self, measured: Measured) -> FingerStates:
        """The message of a measurement; the next call overwrites it."""
        message = self.message
        set_stamp(message.header.stamp, measured.stamp)
        np.frombuffer(message.values)[:] = measured.channels[self._joints :]
        felt = {}
        if measured.tactile is not None:
            felt = dict(zip(measured.tactile.links, measured.tactile.force, strict=True))
        for finger, shape in zip(message.fingers, self._shapes, strict=True):
            _fill(finger, shape, measured)
            for link, force in zip(finger.links, finger.force, strict=True):
                if link in felt:
                    set_vector(force, felt[link])
        return message


def _fill(finger: FingerState, shape: FingerShape, measured: Measured) -> None:
    """Write backbone and tip of a manipulator."""
    points, end = shape.backbone(measured)
    for point, place in zip(finger.backbone, points, strict=True):
        set_vector(point, place)
    set_vector(finger.tip.position, end[:3, 3])
    turn = quaternion_from_rotation(end[:3, :3])
    set_quaternion(finger.tip.orientation, turn)


class FingerInput:
    """Makes trajectories of finger commands.

    Args:
        node: listens.
        robot: if it has no channels beside its joints, there is no topic.
        core: of the control loop, which knows where the channels are.
        offer: takes the trajectories.
    """

    def __init__(
        self, node: Node, robot: RobotModel, core: BridgeCore, offer: Callable[[Request], None]
    ) -> None:
        self._node, self._core, self._offer = node, core, offer
        self._channels = tuple(robot.channels)
        self._last: Identity | None = None
        self._sent = self._stops = 0
        self._goals: dict[str, tuple[float, int]] = {}  # of the last, and when each is due [ns]
        if self._channels:
            node.create_subscription(FingerCommand, 'finger_command', self._on_command, ORDERS)

    def _on_command(self, message: FingerCommand) -> None:
        names, values = list(message.channels), list(message.values)
        mistake = mistake_of(names, values, message.duration, self._channels)
        if mistake:
            self._node.get_logger().warning(
                f'finger_command refused: {mistake}', throttle_duration_sec=1.0
            )
            return
        values = self._within(names, values)
        duration = message.duration or self._shortest(names, values)
        now = self._core.now
        ends = {name: now + max(round(duration * NANOSECONDS), 1) for name in names}
        begin = dict(zip(self._core.limits.names, self._core.command.value.tolist(), strict=True))
        goals = {
            **self._under_way(now, begin),
            **{name: (value, ends[name]) for name, value in zip(names, values, strict=True)},
        }
        times, rows = points_of(
            begin,
            {name: (goal, (end - now) / NANOSECONDS) for name, (goal, end) in goals.items()},
        )
        identity = Identity('finger_command', uuid.uuid4().bytes)
        self._last, self._sent, self._goals = identity, now, goals
        self._stops = self._core.following.stops
        self._offer(
            Request(
                identity=identity,
                stamp=0,
                names=list(goals),
                times=times,
                values=rows,
                rates=[[] for _ in rows],
                accelerations=[[] for _ in rows],
                queued=False,
                on_feet=False,
            )
        )

    def _under_way(self, now: int, begin: Mapping[str, float]) -> dict[str, tuple[float, int]]:
        """Channels that are still on the way of the last command, if that is followed.

        A trajectory begins a period or two after its command: who is due before may not be there.
        """
        fresh = 0 <= now - self._sent <= TAKEN * self._core.period * NANOSECONDS
        if self._last is None or not (fresh or self._core.follower.is_active(self._last)):
            return {}
        if self._stops != self._core.following.stops:
            return {}  # what a stop has ended does not come back
        soon = now + round(self._core.period * NANOSECONDS)
        return {
            name: (goal, max(end, soon))
            for name, (goal, end) in self._goals.items()
            if end > soon or begin[name] != goal
        }

    def _within(self, names: list[str], values: list[float]) -> list[float]:
        """The values, each within the range of its channel; values beyond it are logged."""
        limits: Limits = self._core.limits
        places = [limits.names.index(name) for name in names]
        ends = np.clip(values, limits.lower[places], limits.upper[places]).tolist()
        for name, value, end in zip(names, values, ends, strict=True):
            if value != end:
                self._node.get_logger().warning(
                    f'finger_command: {name} is {value:g}, beyond its range; it goes to {end:g}',
                    throttle_duration_sec=1.0,
                )
        return ends

    def _shortest(self, names: list[str], values: list[float]) -> float:
        """Time that channels need to some values at their rates, at least a control period [s]."""
        limits: Limits = self._core.limits
        places = [limits.names.index(name) for name in names]
        ways = np.array(values) - np.nan_to_num(self._core.channels[places])
        step = 1.0 / NANOSECONDS
        return max(shortest(ways, limits.rate[places]) + step, self._core.period)
