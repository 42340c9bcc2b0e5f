"""The controller that rolls a ball: feeds the rolling law from the IMU and takes references."""

import math
from collections.abc import Mapping

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import ImuSample, Measured
from softshell_control.ball.cage import cage_of
from softshell_control.ball.heading import wrapped
from softshell_control.ball.rolling_law import Aim, RollingLaw
from softshell_control.ball.rolling_settings import Settings
from softshell_control.channel import Limits
from softshell_control.controller import Controller, Reference
from softshell_control.estimates.imu_link import imu_of_base
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Period of the law [s], as near as whole control periods come.
PERIOD = 0.01
#: Joints no further than this from where the cage is closed are there [rad].
CLOSED = 0.1
#: Period in which forward is learnt while no run is active [s], and the weight of each sample.
WATCH, LEARNT = 0.05, 0.1
#: An IMU whose last sample is older counts as lost [s].
LOST = 0.2
#: A ball rolls on at its speed for about so long after it begins to brake [s].
BRAKING = 0.6
#: Longest time that it may take to come to rest, and to get upright [s].
STOPPING, RIGHTING = 20.0, 40.0

REFERENCES = {
    'speed': Reference(0.9, 0.0, 0.9, 'm/s', 'speed above which it is not pushed on; 0: rest'),
    'direction': Reference(0.0, -3.1416, 3.1416, 'rad', 'to roll in, from forward to the left'),
    'turn': Reference(0.0, -3.0, 3.0, 'rad/s', 'rate at which forward turns, to the left'),
    'distance': Reference(0.0, 0.0, 1000.0, 'm', 'after which it comes to rest; 0: no limit'),
    'duration': Reference(0.0, 0.0, 3600.0, 's', 'after which it comes to rest; 0: no limit'),
    'timeout': Reference(0.0, 0.0, 60.0, 's', 'without references: comes to rest; 0: no limit'),
    'upright': Reference(0.0, 0.0, 1.0, '1', 'more than 0: roll until the base is upright'),
}


class RollingController(Controller):
    """Rolls a closed cage.

    Closing a cage turns the base. So forward is where the base's x axis pointed last while the
    cage was open: while the joints that several chains share rested away from their positions in
    the closed cage. From then on the IMU keeps it. For a robot that is a ball from the start,
    forward is where the x axis points at first.

    Args:
        robot: with a cage.
        limits: of its channels.
        period: the control period [s].

    Attributes:
        law: decides where the joints are wanted.
        heading: direction in which the ball rolls, in the IMU's level frame [rad].

    Raises:
        SoftshellError: it has no cage.
    """

    references = REFERENCES

    def __init__(self, robot: RobotModel, limits: Limits, period: float) -> None:
        self._robot, self._joints = robot, limits.joints
        tick = max(1, round(PERIOD / period)) * period
        slowest = float(limits.rate[: self._joints].min())
        settings = Settings(
            period=tick,
            speed=min(Settings.speed, slowest),
            acceleration=float(limits.acceleration[: self._joints].min()),
        )
        cage = cage_of(robot)
        self.law = RollingLaw(cage, settings)
        self._folding = np.array([robot.index(name) for name in robot.shared or robot.joint_names])
        self._closed = cage.closed[self._folding]
        self._tick = round(tick * NANOSECONDS)
        self._told = {name: entry.default for name, entry in REFERENCES.items()}
        self._forward: float | None = None
        self.heading = self._way = 0.0
        self._aim, self._finishing = Aim.STOP, False
        self._started = self._due = self._heard = self._since = 0
        self._problem: Reason | None = None

    def begin(self, now: int, measured: Measured, value: Array) -> None:
        """Begin to roll.

        Args:
            now, measured: as of `Controller.begin`.
            value: (channels,) [rad] or [m] where they are, as of `Controller.begin`.

        Raises:
            SoftshellError: no IMU that is fixed to the base is measured, or none that tells rates.
        """
        imu = self._imu(measured)
        if imu is None:
            raise SoftshellError(
                'rolling needs an IMU that is fixed to the base, and none is measured: expected '
                'a driver that publishes it to the bridge, with angular velocities'
            )
        if self._forward is None:
            self._forward = _yaw(imu)
        self.law.reset(value[: self._joints])
        self._told = {name: entry.default for name, entry in REFERENCES.items()}
        self._started = self._due = self._heard = self._since = now
        self._way, self._problem = 0.0, None
        self._aim, self._finishing = Aim.ROLL, False

    def instruct(self, now: int, references: Mapping[str, float]) -> None:
        """Take references; after `finish` they are ignored."""
        if self._finishing:
            return
        self._told |= references
        self._heard = now
        aim = Aim.ROLL if self._told['speed'] > 0.0 else Aim.STOP
        self._take(Aim.RIGHT if self._told['upright'] > 0.0 else aim, now)

    def finish(self) -> None:
        """Brake."""
        self._finishing = True
        self._take(Aim.STOP, self._due)

    def update(self, now: int, end: int, measured: Measured, value: Array, rate: Array) -> None:
        """Write what the law wants of the joints; arguments as of `Controller.update`."""
        if now >= self._due:
            self._due = now + self._tick
            self._decide(now, measured)
        self.law.move((end - now) / NANOSECONDS, measured.channels[: self._joints])
        value[: self._joints] = self.law.goals
        rate[: self._joints] = self.law.rates

    def watch(self, now: int, measured: Measured, value: Array, rate: Array) -> None:
        """Learn where forward is while the cage is open; arguments as of `Controller.watch`."""
        pause = round(WATCH * NANOSECONDS)
        # Only after the clock went back is it due later than one pause from now.
        if 0 < self._due - now <= pause:
            return
        self._due = now + pause
        folding = self._folding
        if rate[folding].any() or np.abs(value[folding] - self._closed).max() <= CLOSED:
            return
        imu = self._imu(measured)
        if imu is None or imu.age > LOST:
            return
        if self._forward is None:
            self._forward = _yaw(imu)
        self._forward += LEARNT * wrapped(_yaw(imu) - self._forward)

    def forget(self) -> None:
        """Forget where forward is."""
        self._forward = None

    @property
    def done(self) -> bool:
        """Whether the ball rests."""
        return self._aim is not Aim.ROLL and self.law.rests

    @property
    def problem(self) -> Reason | None:
        """Set if the IMU is silent, or the ball does not come to rest or upright in time."""
        return self._problem

    def _take(self, aim: Aim, now: int) -> None:
        if aim is not self._aim:
            self._aim, self._since = aim, now

    def _decide(self, now: int, measured: Measured) -> None:
        imu = self._imu(measured)
        if imu is None or imu.age > LOST:
            text = 'the IMU has fallen silent; a ball cannot be rolled without it'
            self._problem = Reason(ReasonCode.NOT_MEASURED, text)
            return
        told, period = self._told, self._tick / NANOSECONDS
        if self._aim is Aim.ROLL and self._forward is not None:
            self._forward += told['turn'] * period
            self.heading = self._forward + told['direction']
            self.law.cruise = told['speed']
            if self._is_there(now):
                self._take(Aim.STOP, now)
        self.law.decide(
            now / NANOSECONDS, imu.orientation, imu.angular_velocity, self._aim, self.heading
        )
        along = np.array([np.cos(self.heading), np.sin(self.heading)])
        self._way += float(self.law.velocity @ along) * period
        longest = {Aim.STOP: STOPPING, Aim.RIGHT: RIGHTING}.get(self._aim, np.inf)
        if now - self._since > longest * NANOSECONDS:
            text = f'the ball did not {self._aim.value} in {longest:g} s'
            self._problem = Reason(ReasonCode.TOLERANCE, text)

    def _is_there(self, now: int) -> bool:
        """Whether a rolling ball is to brake: distance, duration or timeout is reached."""
        told = self._told
        ahead = self._way + BRAKING * float(np.linalg.norm(self.law.velocity))
        return bool(
            0.0 < told['distance'] <= ahead
            or 0.0 < told['duration'] * NANOSECONDS <= now - self._started
            or 0.0 < told['timeout'] * NANOSECONDS < now - self._heard
        )

    def _imu(self, measured: Measured) -> ImuSample | None:
        """What the IMU shows at the base; None unless it tells rates, and is fixed to it."""
        imu = measured.imu
        if imu is None or not np.isfinite(imu.angular_velocity).all():
            return None
        return imu_of_base(self._robot, imu) if imu.link else imu


def _yaw(imu: ImuSample) -> float:
    """Where the base's x axis points, in the IMU's level frame [rad]."""
    x, y, z, w = imu.orientation.tolist()
    return math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
