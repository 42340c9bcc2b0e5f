"""Fits the feet of a walking robot to the ground under them, between its plan and its motors."""

import numpy as np

from softshell_control.backend import Measured
from softshell_control.channel import Limits
from softshell_control.estimates.imu_link import imu_of_base
from softshell_control.footing.law import Soles, adapt, rest
from softshell_control.footing.touch import Touch
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.loops.tip_shifts import TipShifts
from softshell_kinematics.model.from_urdf import chain_from_urdf

#: A correction that a leg misses by more than this is cut to what the leg reaches [m].
SHORT = 5e-4
#: A planned foot is surely in the air above this part of its swing's height, and this height [m].
ALOFT, SURELY = 0.7, 0.01


class Footing:
    """Corrects commands of legs, so that feet stand on the ground that is there.

    Args:
        robot: with legs.
        limits: of its channels.

    Attributes:
        offset: (channels,) to be added to what is planned [rad] or [m]; renewed in place.
        rate: (channels,) its change [rad/s] or [m/s].
        soles: what is remembered of each foot.

    Raises:
        SoftshellError: the robot has no legs.
    """

    def __init__(self, robot: RobotModel, limits: Limits) -> None:
        if robot.legs is None:
            raise SoftshellError(f'robot {robot.name!r} has no legs to be fitted to the ground')
        self._robot = robot
        chains = [chain_from_urdf(robot.urdf, robot.base.link, foot) for foot in robot.legs.feet]
        own = [robot.own_joints(name) for name in robot.legs.chains]
        count, n = len(limits.channels), len(chains)
        lower, upper = limits.lower + limits.margin, limits.upper - limits.margin
        self._shifts = TipShifts(chains, limits.names, own, lower, upper)
        self._touch = Touch(robot, chains, own)
        self.soles = Soles.standing(n)
        self.offset, self.rate = np.zeros(count), np.zeros(count)
        self._before = np.zeros(count)
        self._turns, self._feet = np.zeros((n, 3, 3)), np.zeros((n, 3))
        self._known = np.zeros(n, dtype=np.bool_)
        self._normal = np.array([0.0, 0.0, 1.0])
        self._reached = np.zeros((n, 3))
        self._up = np.zeros(3)
        self._compile(lower)

    @property
    def at_rest(self) -> bool:
        """Whether nothing is corrected."""
        return not (self.soles.shift.any() or self.soles.speed.any() or self.soles.aside.any())

    def reset(self) -> None:
        """Correct nothing from now on."""
        self.soles = Soles.standing(len(self._feet))
        self.offset[:] = self.rate[:] = 0.0

    def update(self, planned: Array, measured: Measured, adapts: bool, seconds: float) -> None:
        """Renew the offset for one control period.

        Args:
            planned: (channels,) wanted at its end.
            measured: at its begin.
            adapts: whether the robot walks or stands on its feet; if not, the offset goes back to
                0.
            seconds: duration of the period [s].
        """
        self._before[:] = self.offset
        self._shifts.forward(planned, self._turns, self._feet, self._known)
        if not self._known.all():
            self.rate[:] = 0.0
            return
        if adapts:
            touch, up = self._touch, self._vertical(measured)
            aloft = self.soles.height > ALOFT * np.maximum(self.soles.highest, SURELY)
            touch.look(measured, self._normal, aloft, seconds)
            felt = (touch.touching, touch.carried, touch.held)
            adapt(self.soles, self._feet, felt, up, seconds, self._normal)
        else:
            rest(self.soles, seconds)
        wanted = self.soles.shift[:, None] * self._normal + self.soles.aside
        self._shifts.solve(planned, wanted, self.offset, self._reached)
        reached = self._reached @ self._normal
        short = np.abs(self.soles.shift - reached) > SHORT
        if short.any():
            self.soles.shift[short] = reached[short]
            self.soles.speed[short] = 0.0
        if self.at_rest:
            self.offset[:] = 0.0
        self.rate[:] = (self.offset - self._before) / seconds

    def _compile(self, planned: Array) -> None:
        """Compile or load now what the first walk would otherwise have to wait for."""
        names = JointMap.of(self._robot).names
        measured = Measured.zero(len(names), len(planned))
        for adapts in (True, False):
            self.update(planned, measured, adapts, 0.01)
        self.reset()

    def _vertical(self, measured: Measured) -> Array:
        """(3,) the vertical in the base; zeros where no IMU tells it."""
        imu = measured.imu
        if imu is not None and imu.link:
            imu = imu_of_base(self._robot, imu)
        if imu is None or not np.isfinite(imu.orientation).all():
            self._up[:] = 0.0
            return self._up
        x, y, z, w = imu.orientation.tolist()
        self._up[:] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        return self._up
