"""The newest messages of the stack, converted when they are read."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from softshell_client.ros import messages
from softshell_client.ros.latest import Latest
from softshell_common.bridge_mode import BridgeMode
from softshell_common.frames import ODOM
from softshell_common.ros.qos import LATCHED, ORDERS, SENSOR_CONSUMER
from softshell_control import motor_interfaces
from softshell_control.ros.motor_states import MESSAGE
from softshell_dashboard.ros.cameras import Cameras
from softshell_dashboard.snapshot import NOWHERE, Base, Feet, Fingers, Health, Snapshot
from softshell_interfaces.msg import (
    BodyContacts,
    BridgeStatus,
    FingerStates,
    FootContacts,
    TrajectoryCommand,
    WorldPoses,
)
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import rotation_from_quaternion

#: A bridge that has published neither its state nor joints for so long counts as absent [s]. It
#: publishes its state every second, also while time stands still; a slow replay does so rarely.
SILENCE = 5.0


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a robot before it publishes anything; empty if unknown.

    Attributes:
        base: name of the base link.
        feet: frames of the feet.
        ranges: lowest and highest value of each channel that is no joint, by name, in its unit.
        name: of the robot in its description.
    """

    base: str = ''
    feet: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    name: str = ''


class Feed:
    """The newest messages of the stack; see `protocols.Source`. No message triggers any work.

    Args:
        node: that subscribes; in the namespace of the stack.
        known: of the robot that is expected; it counts until another one is described.
        cameras: of the robot.
        now: the clock of `time.monotonic` [s].
        look_up: what is known of another robot, by the name in its description.
    """

    def __init__(
        self,
        node: Node,
        known: Known,
        cameras: Cameras,
        now: Callable[[], float] = time.monotonic,
        look_up: Callable[[str], Known] = lambda name: Known(),
    ) -> None:
        self._expected, self._look_up = known, look_up
        self._node, self._known, self._cameras, self._now = node, known, cameras, now
        self._joints = Latest(node, JointState, 'joint_states', SENSOR_CONSUMER)
        self._commands = Latest(node, JointState, 'joint_commands', SENSOR_CONSUMER)
        self._odometry = Latest(node, Odometry, 'odom', SENSOR_CONSUMER)
        self._feet = Latest(node, FootContacts, 'foot_contacts', SENSOR_CONSUMER)
        self._status = Latest(node, BridgeStatus, 'bridge_status', LATCHED)
        self._mode = Latest(node, String, 'mode', LATCHED)
        self._posture = Latest(node, PoseStamped, 'posture', LATCHED)
        self._plan = Latest(node, TrajectoryCommand, 'trajectory_command', ORDERS)
        self._fingers = Latest(node, FingerStates, 'finger_states', SENSOR_CONSUMER)
        self._diagnostics = Latest(node, DiagnosticArray, 'diagnostics', SENSOR_CONSUMER)
        self._motors: Latest | None = None
        if MESSAGE is not None:
            self._motors = Latest(node, MESSAGE, motor_interfaces.TOPIC, SENSOR_CONSUMER)
        self._world = Latest(node, WorldPoses, 'world_poses', SENSOR_CONSUMER)
        self._urdf = Latest(node, String, 'robot_description', LATCHED)
        self._contacts: Latest | None = None
        self._urdf_at: float | None = None
        self._plan_at: float | None = None
        self._drawn: tuple[Array | None, tuple[str, ...]] = (None, ())

    def description(self) -> str | None:
        """The URDF if it is new since the last call; None otherwise."""
        seen_at = self._urdf.seen_at
        if seen_at == self._urdf_at:
            return None
        self._urdf_at = seen_at
        text = str(self._urdf.message.data)
        self._known = self._known_of(text)
        return text

    def base_link(self) -> str:
        """Name of the base link: the child frame of the odometry, or else the known one."""
        odometry = self._odometry.message
        if odometry is not None and odometry.child_frame_id:
            return str(odometry.child_frame_id)
        return self._known.base

    def feet(self) -> tuple[str, ...]:
        """Frames of the feet: those in messages of contacts, or else the known ones."""
        felt = self._feet.message
        return self._known.feet if felt is None else tuple(one.foot for one in felt.feet)

    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies of the simulated world whose poses are published."""
        message = self._world.message
        return () if message is None else tuple(message.names)

    def cameras(self) -> tuple[str, ...]:
        """Names of the cameras."""
        return self._cameras.names()

    def picture(self, camera: str) -> bytes | None:
        """The newest picture of a camera as JPEG; None if there is none."""
        return self._cameras.picture(camera)

    def close_unwanted(self) -> None:
        """Close subscriptions to cameras whose pictures nobody asks for."""
        self._cameras.close_unwanted()

    def base(self) -> Base | None:
        """The newest pose of the base; None before the first odometry."""
        odometry = self._odometry.message
        if odometry is None:
            return None
        p, q = odometry.pose.pose.position, odometry.pose.pose.orientation
        return Base(np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w]))

    def snapshot(self, all_contacts: bool) -> Snapshot:
        """The newest measurements.

        Args:
            all_contacts: whether to subscribe to all contacts of a simulation, which slows it
                down a little.
        """
        joints, commands = self._joints.message, self._commands.message
        base = self.base()
        points, forces = self._all_contacts(all_contacts)
        plan, names = self._newest_plan()
        return Snapshot(
            joints=_named(joints, 'position'),
            commands=_named(commands, 'position'),
            efforts=_named(joints, 'effort'),
            base=base,
            feet=_feet(self._feet.message, base),
            contact_points=points,
            contact_forces=forces,
            plan=plan,
            plan_joints=names,
            bodies=_bodies(self._world.message),
        )

    def health(self) -> Health:
        """The newest state of the stack."""
        status, mode, posture = self._status.message, self._mode.message, self._posture.message
        if status is None or self._is_silent():
            return Health()
        state = messages.bridge_state(status)
        tilt = None
        if posture is not None:
            _, _, z, _, pitch, roll = messages.pose_coordinates(posture.pose).tolist()
            tilt = (z, roll, pitch) if all(map(math.isfinite, (z, roll, pitch))) else None
        return Health(
            bridge=state.bridge,
            state=BridgeMode(state.mode).name.lower(),
            reasons=state.reasons,
            mode='' if mode is None else str(mode.data),
            real_time_factor=state.real_time_factor,
            temperature=_hottest(self._diagnostics.message),
            posture=tilt,
        )

    def temperatures(self) -> dict[str, float]:
        """Temperature of each joint's motor [°C], by joint; empty if it is not published."""
        message = None if self._motors is None else self._motors.message
        return {} if message is None else motor_interfaces.temperatures_of(message)

    def fingers(self) -> Fingers:
        """The newest values of the channels that are no joints."""
        message = self._fingers.message
        if message is None:
            return Fingers()
        return Fingers(
            tuple(message.channels),
            tuple(message.units),
            tuple(message.values),
            self._known.ranges,
        )

    def _known_of(self, text: str) -> Known:
        """What is known of the robot of a URDF: that of a recording may be an unexpected one."""
        try:
            name = parse_urdf(text).name
        except SoftshellError:  # it cannot be shown, either
            return self._known
        return self._expected if name == self._expected.name else self._look_up(name)

    def _is_silent(self) -> bool:
        """Whether the bridge has published nothing for `SILENCE`."""
        seen = [one.seen_at for one in (self._status, self._joints)]
        return all(at is None or self._now() - at > SILENCE for at in seen)

    def _all_contacts(self, wanted: bool) -> tuple[Array, Array]:
        """(contacts, 3) points [m] and forces [N] in odom; empty if they are not wanted."""
        if not wanted:
            if self._contacts is not None:
                self._contacts.close()
                self._contacts = None
            return NOWHERE, NOWHERE
        if self._contacts is None:
            self._contacts = Latest(self._node, BodyContacts, 'contacts', SENSOR_CONSUMER)
        message = self._contacts.message
        if message is None or not message.contacts:
            return NOWHERE, NOWHERE
        points = [(one.point.x, one.point.y, one.point.z) for one in message.contacts]
        forces = [(one.force.x, one.force.y, one.force.z) for one in message.contacts]
        return np.array(points), np.array(forces)

    def _newest_plan(self) -> tuple[Array | None, tuple[str, ...]]:
        """(points, joints) of the newest trajectory [rad] or [m], and its joints' names."""
        seen_at = self._plan.seen_at
        if seen_at != self._plan_at:
            self._plan_at = seen_at
            trajectory = self._plan.message.trajectory
            rows = [point.positions for point in trajectory.points]
            if rows and all(len(row) == len(trajectory.joint_names) for row in rows):
                self._drawn = np.array(rows), tuple(trajectory.joint_names)
        return self._drawn


def _named(message: Any, field: str) -> dict[str, float]:
    """Values of a field of joint states, by joint; empty if it has no value for each joint."""
    if message is None or len(message.name) != len(getattr(message, field)):
        return {}
    return dict(zip(message.name, getattr(message, field), strict=True))


def _feet(message: Any, base: Base | None) -> Feet | None:
    """The contacts of the feet; forces in the base's frame are turned into odom."""
    if message is None:
        return None
    force = np.array([(one.force.x, one.force.y, one.force.z) for one in message.feet])
    force = force.reshape(-1, 3)
    if message.header.frame_id != ODOM and base is not None:
        force = force @ rotation_from_quaternion(base.orientation).T
    return Feet(
        tuple(one.foot for one in message.feet),
        tuple(one.touching for one in message.feet),
        force,
    )


def _bodies(message: Any) -> dict[str, Array]:
    """(7,) position and quaternion of each body, by name; see `Snapshot`."""
    if message is None:
        return {}
    return {
        name: np.array(
            [
                pose.position.x, pose.position.y, pose.position.z, pose.orientation.x,
                pose.orientation.y, pose.orientation.z, pose.orientation.w,
            ]
        )
        for name, pose in zip(message.names, message.poses, strict=True)
    }  # fmt: skip


def _hottest(message: Any) -> float | None:
    """Temperature of the hottest motor in diagnostics [°C]; None if it is not in them."""
    for status in () if message is None else message.status:
        for entry in status.values:
            if entry.key == motor_interfaces.HOTTEST:
                try:
                    return float(entry.value.split()[0])
                except (ValueError, IndexError):
                    return None
    return None
