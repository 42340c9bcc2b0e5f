"""What is measured of a robot in a world: joints, base, inertial unit and feet."""

import numpy as np
from numba import njit

from softshell_control.backend import BaseState, FootContacts, ImuSample, Measured
from softshell_control.joint_map import JointMap
from softshell_control.pd import Drives
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import hamilton, quaternion_from_rotation
from softshell_sim.bodies import Body, BodyState
from softshell_sim.engine import Engine

#: In x, y and z.
Vector = tuple[float, float, float]


class Sensors:
    """Fills a `Measured`, the same one every time.

    The effort of an independent joint is that of its motor, which for a mechanism is the sum that
    moves all its joints; the effort of a joint that mimics another is what the mechanism puts on
    that joint. So the power of the motors is the sum of effort times velocity over the independent
    joints alone. Efforts and contact forces are means over the time since the last reading, and so
    is the acceleration; `touching` is of the last step. A foot is the rigid body that carries the
    foot's frame.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        gravity: [m/s^2].

    Raises:
        SoftshellError: the base link is not part of the robot's root body.
    """

    def __init__(self, robot: RobotModel, joint_map: JointMap, gravity: float) -> None:
        self._map = joint_map
        #: (3,) in the world [m/s^2].
        self.gravity = np.array([0.0, 0.0, -gravity])
        root, pose = robot.urdf.bodies[robot.base.link]
        if root != robot.urdf.root:
            raise SoftshellError(
                f'base link {robot.base.link!r} is moved by a joint; expected a link of the body '
                f'of {robot.urdf.root!r}, on which all joints hang'
            )
        #: (4, 4) pose of the base link in the root link.
        self.base_in_root = pose
        self._turn, self._arm = quaternion_from_rotation(pose[:3, :3]), pose[:3, 3].copy()
        self.base, self.imu = BaseState(), ImuSample()
        self.measured = Measured.zero(
            len(joint_map.names), joint_map.independent + len(robot.channels)
        )
        self.measured.base, self.measured.imu = self.base, self.imu
        self._feet: list[str] = []
        if robot.legs is not None:
            self._feet = [robot.urdf.bodies[link][0] for link in robot.legs.feet]
            self.measured.contacts = FootContacts.none(len(self._feet))
        self._state = BodyState()
        self._motors, self._joints = (
            np.zeros(joint_map.independent),
            np.zeros(len(joint_map.names)),
        )
        self._velocity = np.zeros(3)

    def begin(self, engine: Engine, body: Body) -> None:
        """Forget everything and read this body from now on."""
        self.measured.effort[:] = 0.0
        if self.measured.contacts is not None:
            self.measured.contacts.force[:] = 0.0
            self.measured.contacts.touching[:] = False
        self._engine, self._body = engine, body
        self._foot_links = [body.links.index(link) for link in self._feet]
        self._force, self._force_sum = (np.zeros((len(body.links), 3)) for _ in range(2))
        self._velocity[:] = 0.0
        self._forget()

    def after_step(self, drives: Drives) -> None:
        """Count what has to be counted at every physics step."""
        self._motors += drives.motor_effort
        self._joints += drives.effort
        if self._foot_links:
            self._engine.contact_forces(self._body, self._force)
            self._force_sum += self._force
        self._steps += 1

    def read(self, position: Array, velocity: Array, elapsed: float) -> Measured:
        """Measure.

        Args:
            position, velocity: (movable,) of the joints now.
            elapsed: since the last reading [s]; 0: accelerations are not known and taken as 0.
        """
        measured = self.measured
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
        return measured

    def save(self) -> tuple[Array, ...]:
        """What decides what is measured next."""
        return tuple(each.copy() for each in self._memory())

    def restore(self, saved: tuple[Array, ...]) -> None:
        """Go on as from when this was saved."""
        for each, was in zip(self._memory(), saved, strict=True):
            each[...] = was

    def _memory(self) -> tuple[Array, ...]:
        return self._velocity, self._motors, self._joints, self._force_sum, self._force

    def _read_means(self) -> None:
        contacts = self.measured.contacts
        np.divide(self._joints, self._steps, out=self.measured.effort)
        np.divide(self._motors, self._steps, out=self.measured.effort[: self._map.independent])
        if contacts is not None:
            self._force_sum.take(self._foot_links, axis=0, out=contacts.force)
            contacts.force /= self._steps
            self._force.any(axis=1).take(self._foot_links, out=contacts.touching)
        self._forget()

    def _forget(self) -> None:
        self._motors[:] = 0.0
        self._joints[:] = 0.0
        self._force_sum[:] = 0.0
        self._steps = 0


_product = njit(cache=True)(hamilton)


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
    product = _product(root_orientation, turn)
    for i in range(4):
        orientation[i] = product[i]
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
