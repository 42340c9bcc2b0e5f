"""Where the base is, estimated from the joints of its legs and an IMU.

The feet that stand tell how the base moves: their spheres roll on the ground without slip.
Contacts and their forces tell which feet stand, or else the feet's heights; of these feet those
count that agree on one rigid motion. The IMU tells roll, pitch and heading; without it the feet
do. The ground is taken to be level at height 0 of odom, so that height and tilt do not drift.
"""

import math
from dataclasses import dataclass

import numpy as np

from softshell_control.backend import BaseState, FootContacts, ImuSample, Measured
from softshell_control.estimates.foot_support import support
from softshell_control.estimates.stance import SMOOTHING, Feet, advance
from softshell_control.estimates.stance_motion import disagreement
from softshell_control.joint_map import JointMap
from softshell_description.foot_spheres import foot_spheres
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.loops.tips import Tips
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import quaternion_from_rotation

#: A quaternion whose length differs from 1 by more than this is not used.
UNIT = 0.01
#: Shortest way and turn that are counted, so that a base that only trembles travels nowhere.
SHORTEST_WAY, SHORTEST_TURN = 0.02, 0.05  # [m], [rad]
#: Correlation time of what the feet disagree on [s].
CORRELATION = 2.0 * SMOOTHING


@dataclass(frozen=True)
class DriftModel:
    """How far the estimate may be off, as standard deviations; calibrated in simulation.

    In x and y each: start + per_metre · way + per_radian · turned, of the whole way and turn since
    the start. In yaw likewise with the other three where legs tell it, and `imu_yaw` where an IMU
    does: what an IMU's own heading drifts is not known here. A base on which no foot stands may
    roll by `rolling` for each radian that it turns. What the feet disagree on, and what an IMU
    states of its noise, is added to all this, squared.

    Args:
        start: [m].
        per_metre: [m/m].
        per_radian: [m/rad].
        rolling: [m/rad].
        height: [m].
        tilt: roll and pitch of an IMU [rad].
        level: roll and pitch where the feet tell them [rad].
        imu_yaw, start_yaw: [rad].
        yaw_per_metre: [rad/m].
        yaw_per_radian: [rad/rad].
        velocity: [m/s].
        rate: [rad/s].
    """

    start: float = 0.003
    per_metre: float = 0.02
    per_radian: float = 0.01
    rolling: float = 0.2
    height: float = 0.005
    tilt: float = 0.01
    level: float = 0.03
    imu_yaw: float = 0.01
    start_yaw: float = 0.01
    yaw_per_metre: float = 0.05
    yaw_per_radian: float = 0.05
    velocity: float = 0.03
    rate: float = 0.05


class LegOdometry:
    """Estimates the base of a legged robot, measurement by measurement.

    The estimate starts at x = y = 0, with the yaw of the IMU, or 0 without one. A foot whose
    joints were not all measured is not used. While no foot stands - the robot lies, has fallen, or
    no foot is measured - the base stays where it is with velocity 0, but turns as the IMU says.
    Without contacts a robot that is carried seems to stand.

    Args:
        robot: with legs.
        drift: how far the estimate may be off.

    Attributes:
        base: the estimate, renewed in place.
        standing: whether a foot stands.
        weights: (feet,) how surely each foot stands, 0 to 1; renewed in place.

    Raises:
        SoftshellError: the robot has no legs.
    """

    def __init__(self, robot: RobotModel, drift: DriftModel | None = None) -> None:
        if robot.legs is None:
            raise SoftshellError(f'robot {robot.name!r} has no legs to tell where it is')
        link, feet = robot.base.link, robot.legs.feet
        chains = [chain_from_urdf(robot.urdf, link, foot) for foot in feet]
        names = JointMap.of(robot).names
        self._tips = Tips(chains, names)
        spheres = foot_spheres(robot)
        self._centre, self._offset = spheres.centre, bool(spheres.centre.any())
        self._feet = Feet.unknown(spheres.radius)
        self.weights = self._feet.weights
        self._drift = drift or DriftModel()
        self._lying = robot.rest_heights.get(robot.legs.rest, 0.0)
        self._no_contacts = np.zeros(0)
        self._start_height = robot.rest_heights.get(robot.start, self._lying)
        self._motion, self._rotation = np.zeros(6), np.eye(3)
        self.base = BaseState()
        self.restart()
        self._compile(Measured.zero(len(names), len(robot.joints) + len(robot.channels)))
        self.restart()

    def restart(self) -> None:
        """Forget everything: the robot is where it started."""
        self._feet.since[:] = np.inf
        self._feet.weights[:] = 0.0
        self._rotation[:] = np.eye(3)
        self._way = _Way()
        self.standing = False
        base = self.base
        base.position[:] = 0.0, 0.0, self._start_height
        base.orientation[:] = 0.0, 0.0, 0.0, 1.0

    def update(self, measured: Measured, seconds: float) -> BaseState:
        """Take a further measurement.

        Args:
            measured: what a backend measured, its joints, feet and IMU at one time (see
                `aligned.py`); its base is left aside.
            seconds: since the measurement before [s].

        Returns:
            The estimate, `base`; it holds until the next call.
        """
        base = self.base
        self._place_feet(measured)
        imu, contacts, turn = measured.imu, measured.contacts, self._rotation
        levelled = imu is not None and _read(imu.orientation, base.orientation, turn)
        self.standing = advance(
            self._feet,
            base.position,
            turn,
            not levelled,
            self._no_contacts if contacts is None else support(contacts.touching, contacts.force),
            self._lying,
            max(seconds, 0.0),
            self._motion,
        )
        if not levelled:
            base.orientation[:] = quaternion_from_rotation(turn)
        base.linear_velocity[:] = self._motion[3:] @ turn
        if imu is not None and np.isfinite(imu.angular_velocity).all():
            base.angular_velocity[:] = imu.angular_velocity
        else:
            base.angular_velocity[:] = self._motion[:3] @ turn
        self._way.add(base.position, turn, self.standing)
        spread = 0.0
        if self.standing:
            spread = disagreement(
                self._feet.points @ turn.T, self._feet.drift, self.weights, self._motion
            )
            self._way.wandered += CORRELATION * seconds * spread**2
        self._state_error(levelled, spread, imu)
        return base

    def _compile(self, measured: Measured) -> None:
        """Compile or load now what the first measurements would otherwise have to wait for."""
        count = len(self._feet.radius)
        measured.contacts = FootContacts(np.ones(count, dtype=np.bool_), np.zeros((count, 3)))
        for _ in range(3):
            self.update(measured, 0.01)

    def _place_feet(self, measured: Measured) -> None:
        """Forward kinematics of every foot whose joints were measured."""
        feet = self._feet
        joints = np.where(measured.valid, measured.position, np.nan)
        self._tips.forward(joints, feet.turns, feet.points, feet.usable)
        if self._offset:
            feet.points[:] += np.einsum('fij,fj->fi', feet.turns, self._centre)

    def _state_error(self, levelled: bool, spread: float, imu: ImuSample | None) -> None:
        """Write the standard deviations.

        Args:
            levelled: whether the IMU told the orientation.
            spread: of the base's velocity by its feet [m/s].
            imu: what it stated.
        """
        turn, rate = (0.0, 0.0) if imu is None else imu.deviations[:2]
        drift, way = self._drift, self._way
        pose, twist = self.base.pose_deviation, self.base.twist_deviation
        pose[:2] = (
            drift.start
            + drift.per_metre * way.metres
            + drift.per_radian * way.radians
            + drift.rolling * way.unsupported
        )
        pose[:2] = math.hypot(pose[0], math.sqrt(way.wandered))
        pose[2] = drift.height
        pose[3:5] = math.hypot(drift.tilt, turn) if levelled else drift.level
        pose[5] = math.hypot(drift.imu_yaw, turn)
        if not levelled:
            pose[5] = (
                drift.start_yaw
                + drift.yaw_per_metre * way.metres
                + drift.yaw_per_radian * way.radians
            )
        # An orientation that trembles moves the base to and fro above its feet.
        trembling = turn * self.base.position[2] / SMOOTHING
        twist[:3] = math.hypot(drift.velocity, spread, trembling)
        twist[3:] = math.hypot(drift.rate, rate)


class _Way:
    """Counts how far a base travels and turns.

    Attributes:
        metres: travelled on its feet [m].
        radians: turned on its feet about the vertical [rad].
        unsupported: turned about any axis while no foot stands [rad].
        wandered: variance of x and y each by what its feet disagree on [m^2].
    """

    def __init__(self) -> None:
        self.metres = self.radians = self.unsupported = self.wandered = 0.0
        self._place, self._yaw = np.zeros(2), math.nan
        self._turn = np.eye(3)

    def add(self, position: Array, turn: Array, standing: bool) -> None:
        """Count from the last measurement to this one."""
        yaw = math.atan2(turn[1, 0], turn[0, 0])
        if math.isnan(self._yaw):
            self._place[:], self._yaw, self._turn[:] = position[:2], yaw, turn
            return
        if not standing:
            cosine = 0.5 * (float(np.vdot(self._turn, turn)) - 1.0)
            angle = math.acos(min(1.0, max(-1.0, cosine)))
            if angle > SHORTEST_TURN:
                self.unsupported += angle
                self._turn[:] = turn
            self._yaw = yaw
            return
        self._turn[:] = turn
        way = math.hypot(position[0] - self._place[0], position[1] - self._place[1])
        if way > SHORTEST_WAY:
            self.metres += way
            self._place[:] = position[:2]
        angle = abs(math.remainder(yaw - self._yaw, math.tau))
        if angle > SHORTEST_TURN:
            self.radians += angle
            self._yaw = yaw


def _read(measured: Array, quaternion: Array, rotation: Array) -> bool:
    """Write a measured orientation as unit quaternion x, y, z, w (4,) and rotation (3, 3).

    Returns:
        False, and nothing is written, if it is no unit quaternion.
    """
    x, y, z, w = measured.tolist()
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not abs(length - 1.0) <= UNIT:
        return False
    x, y, z, w = x / length, y / length, z / length, w / length
    quaternion[:] = x, y, z, w
    rotation[0] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
    rotation[1] = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)
    rotation[2] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)
    return True
