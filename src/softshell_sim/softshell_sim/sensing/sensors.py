"""What is measured of a robot in a world: joints, base, IMU and contacts."""

from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numba import njit

from softshell_control.backend import (
    BaseState,
    FootContacts,
    ImuSample,
    LinkContacts,
    Measured,
)
from softshell_control.drives.pd import Drives
from softshell_control.joint_map import JointMap
from softshell_control.quaternion_kernel import product
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import quaternion_from_rotation
from softshell_sim.bodies import Body, BodyState
from softshell_sim.divergence import refuse_infinite
from softshell_sim.physics.engine import Engine
from softshell_sim.sensing.link_motion import LinkImu, LinkMotion
from softshell_sim.sensing.sensor_models import VectorModel
from softshell_sim.sensing.sensor_settings import SensorSettings, refuse_unknown_names
from softshell_sim.sensing.signals import Sensing

#: In x, y and z.
Vector = tuple[float, float, float]


class Sensors:
    """Measures a robot; each reading is written into the same `Measured`.

    The effort of an independent joint is that of its motor, which for a mechanism is the sum that
    moves all its joints; the effort of a joint that mimics another is what the mechanism puts on
    that joint. So the power of the motors is the sum of effort times velocity over the independent
    joints alone. Efforts and contact forces are means over the time since the last reading, and so
    is the acceleration; `touching` is of the last step. A foot is the rigid body that carries the
    foot's frame.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        gravity: downwards, at first [m/s^2].
        settings: what the sensors are like.
        seed: of their noise.

    Attributes:
        measured: what the sensors show.
        truth: what is true; `measured` itself if all sensors are exact.
        base, imu: parts of the truth.
        base_in_root: (4, 4) pose of the base link in the root link.
        gravity: (3,) in the world; to be changed in place [m/s^2].
        motor_offset: (driven,) what the motors know of joints that are at 0 [rad] or [m].

    Raises:
        SoftshellError: the base link is not fixed to the root link.
        ProblemsError: the settings name what the robot does not have.
    """

    def __init__(
        self,
        robot: RobotModel,
        joint_map: JointMap,
        gravity: float,
        settings: SensorSettings,
        seed: int,
    ) -> None:
        refuse_unknown_names(settings, robot)
        self._map, self.gravity = joint_map, np.array([0.0, 0.0, -gravity])
        root, pose = robot.urdf.bodies[robot.base.link]
        if root != robot.urdf.root:
            raise SoftshellError(
                f'base link {robot.base.link!r} is moved by a joint; expected a link of the body '
                f'of {robot.urdf.root!r}, on which all joints hang'
            )
        self.base_in_root = pose
        self._turn, self._arm = quaternion_from_rotation(pose[:3, :3]), pose[:3, 3].copy()
        imu_link = '' if settings.imu.link == robot.base.link else settings.imu.link
        odometry = settings.odometry
        self.base = BaseState(
            pose_deviation=odometry.pose_deviation, twist_deviation=odometry.twist_deviation
        )
        self.imu = ImuSample(link=imu_link, deviations=settings.imu.deviations)
        self.truth = Measured.zero(
            len(joint_map.names), joint_map.independent + len(robot.channels)
        )
        self.truth.base, self.truth.imu = self.base, self.imu
        self._link_imu: LinkImu | None = None
        if imu_link:
            motion = LinkMotion(robot.urdf, joint_map, imu_link)
            self._link_imu = LinkImu(motion, self.gravity, self.imu)
        self._encoders: VectorModel | None = None
        if settings.joints.at_motors:
            encoder = settings.joints.position.model_copy(update={'noise': 0.0})
            self._encoders = VectorModel(encoder, joint_map.names)
        self.motor_offset = self.at_motors(np.zeros(len(joint_map.names)))[: joint_map.driven]
        self._parts: list[FootContacts] = []
        self._touched: list[list[str]] = []
        self._add_contacts(robot, settings.contacts.links)
        self._sensing = Sensing(settings, seed, self.truth, joint_map)
        self.measured = self._sensing.measured
        self._state = BodyState()
        self._motors, self._joints = (
            np.zeros(joint_map.independent),
            np.zeros(len(joint_map.names)),
        )
        self._velocity = np.zeros(3)

    def _add_contacts(self, robot: RobotModel, further: tuple[str, ...]) -> None:
        """Have the contacts of feet, of further links and of soft manipulators measured."""
        if robot.legs is not None:
            self.truth.contacts = FootContacts.none(len(robot.legs.feet))
            self._add_part(robot, robot.legs.feet, self.truth.contacts)
        if further:
            self.truth.link_contacts = LinkContacts.of(further)
            self._add_part(robot, further, self.truth.link_contacts)
        if robot.soft:
            links = tuple(part.name for spec in robot.soft.values() for part in spec.moved)
            self.truth.tactile = LinkContacts.of(links)
            self._add_part(robot, links, self.truth.tactile)

    def _add_part(self, robot: RobotModel, links: tuple[str, ...], part: FootContacts) -> None:
        """Have the contacts of the bodies that carry some links written into a part."""
        self._parts.append(part)
        self._touched.append([robot.urdf.bodies[link][0] for link in links])

    def begin(self, engine: Engine, body: Body) -> None:
        """Forget everything, and read this body from now on."""
        self.truth.effort[:] = 0.0
        for part in self._parts:
            part.force[:] = 0.0
            part.touching[:] = False
        self._engine, self._body = engine, body
        self._places = [[body.links.index(link) for link in links] for links in self._touched]
        self._force, self._force_sum = (np.zeros((len(body.links), 3)) for _ in range(2))
        self._velocity[:] = 0.0
        if self._link_imu is not None:
            self._link_imu.begin()
        self._sensing.begin()
        self._forget()

    def settled(self) -> None:
        """Forget all samples, after a time in which nothing was measured."""
        self._sensing.clear()

    def at_motors(self, position: Array) -> Array:
        """(movable,) joint positions as the motors know them, from the true ones."""
        return position if self._encoders is None else self._encoders.sample(position)

    def after_step(self, drives: Drives | None) -> None:
        """Add up efforts and contact forces after each step; None: a step without physics."""
        self._steps += 1
        if drives is None:
            self._force[:] = 0.0
            return
        self._motors += drives.motor_effort
        self._joints[: len(drives.effort)] += drives.effort
        if self._places:
            self._engine.contact_forces(self._body, self._force)
            self._force_sum += self._force

    def read(self, position: Array, velocity: Array, elapsed: float, time: float) -> Measured:
        """Measure, and give what the sensors show.

        Args:
            position: (movable,) of the joints now [rad] or [m].
            velocity: (movable,) of the joints now [rad/s] or [m/s].
            elapsed: since the last reading [s]; 0: accelerations are not known and taken as 0.
            time: now, by the clock of the world [s].

        Raises:
            DivergedError: the text names the joint, or the base.
        """
        measured = self.truth
        measured.position[:] = position
        measured.velocity[:] = velocity
        measured.channels[: self._map.independent] = position[: self._map.independent]
        if self._steps:
            self._read_means()
        self._engine.read(self._body, self._state)
        state, base, imu = self._state, self.base, self.imu
        _read_base(
            state.position,
            state.orientation,
            state.linear_velocity,
            state.angular_velocity,
            self._turn,
            self._arm,
            self._velocity,
            elapsed,
            self.gravity,
            base.position,
            base.orientation,
            base.linear_velocity,
            base.angular_velocity,
            imu.linear_acceleration,
        )
        imu.orientation[:] = base.orientation
        imu.angular_velocity[:] = base.angular_velocity
        refuse_infinite(self._map.names, position, velocity, base.position, time)
        if self._link_imu is not None:
            self._link_imu.read(state, position, velocity, elapsed)
        return self._sensing.read(time)

    def save(self) -> object:
        """Everything that the next measurements depend on, for `restore`."""
        arrays = (self._motors, self._joints, self._force, self._force_sum, self._velocity)
        last = None if self._link_imu is None else self._link_imu.last_velocity
        return deepcopy(
            (
                arrays, last, self._steps, self._sensing.save(), self.truth, self.measured,
            )
        )  # fmt: skip

    def restore(self, content: Any) -> None:
        """Go on as after `save`."""
        arrays, last, self._steps, sensing, truth, measured = deepcopy(content)
        self._motors, self._joints, self._force, self._force_sum, self._velocity = arrays
        if self._link_imu is not None:
            self._link_imu.last_velocity = last
        self._sensing.restore(sensing)
        _write(truth, self.truth)
        _write(measured, self.measured)

    def _read_means(self) -> None:
        """Write the mean efforts and contact forces of the steps since the last reading."""
        effort = self.truth.effort
        np.divide(self._joints, self._steps, out=effort)
        np.divide(self._motors, self._steps, out=effort[: self._map.independent])
        for part, places in zip(self._parts, self._places, strict=True):
            self._force_sum.take(places, axis=0, out=part.force)
            part.force /= self._steps
            self._force.any(axis=1).take(places, out=part.touching)
        self._forget()

    def _forget(self) -> None:
        """Begin new means."""
        self._motors[:] = 0.0
        self._joints[:] = 0.0
        self._force_sum[:] = 0.0
        self._steps = 0


def _write(source: Any, target: Any) -> None:
    """Copy a part of a `Measured` into another one, whose arrays are written in place."""
    for field in fields(source):
        value, place = getattr(source, field.name), getattr(target, field.name)
        if is_dataclass(value) and place is not None:
            _write(value, place)
        elif isinstance(value, np.ndarray) and isinstance(place, np.ndarray):
            place[...] = value
        else:
            setattr(target, field.name, value)


@njit(cache=True)
def _rotated(q: Array, v: Array | Vector, inverse: bool) -> Vector:
    """Vector turned by a unit quaternion, or by its inverse: v + 2 u × (u × v + w v)."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    if inverse:
        x, y, z = -x, -y, -z
    a = y * v[2] - z * v[1] + w * v[0]
    b = z * v[0] - x * v[2] + w * v[1]
    c = x * v[1] - y * v[0] + w * v[2]
    return (
        v[0] + 2.0 * (y * c - z * b),
        v[1] + 2.0 * (z * a - x * c),
        v[2] + 2.0 * (x * b - y * a),
    )


@njit(cache=True)
def _read_base(
    root_position: Array,
    root_orientation: Array,
    root_velocity: Array,
    root_rate: Array,
    turn: Array,
    arm: Array,
    last_velocity: Array,
    elapsed: float,
    gravity: Array,
    position: Array,
    orientation: Array,
    linear_velocity: Array,
    angular_velocity: Array,
    acceleration: Array,
) -> None:
    """Pose and twist of the base link, and what an accelerometer at its origin shows.

    `last_velocity` is the velocity of the base link in the world at the last reading, and becomes
    the present one.
    """
    turned = product(root_orientation, turn)
    for i in range(4):
        orientation[i] = turned[i]
    x, y, z = _rotated(root_orientation, arm, False)
    wx, wy, wz = root_rate[0], root_rate[1], root_rate[2]
    velocity = (
        root_velocity[0] + wy * z - wz * y,
        root_velocity[1] + wz * x - wx * z,
        root_velocity[2] + wx * y - wy * x,
    )
    felt = -gravity
    position[0] = root_position[0] + x
    position[1] = root_position[1] + y
    position[2] = root_position[2] + z
    for axis in range(3):
        if elapsed > 0.0:
            felt[axis] += (velocity[axis] - last_velocity[axis]) / elapsed
        last_velocity[axis] = velocity[axis]
    linear = _rotated(orientation, velocity, True)
    angular = _rotated(orientation, root_rate, True)
    shown = _rotated(orientation, felt, True)
    for axis in range(3):
        linear_velocity[axis] = linear[axis]
        angular_velocity[axis] = angular[axis]
        acceleration[axis] = shown[axis]
