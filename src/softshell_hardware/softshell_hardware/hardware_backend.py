"""Servos on serial buses as a backend of the bridge."""

import contextlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend, ImuSample, Measured, StopPolicy
from softshell_control.fault import FaultError, RefusalError
from softshell_control.gate import Command
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_description.robots import DEFAULT_ROBOT
from softshell_hardware.bus.bus import PortError
from softshell_hardware.driving.crew import Crew
from softshell_hardware.guard.health import Health
from softshell_hardware.wiring.config import HardwareConfig
from softshell_kinematics.errors import ProblemsError, SoftshellError

#: Control periods that the watchdogs of servos wait for at least.
PERIODS = 3


class HardwareBackend(Backend):
    """Moves a robot by servos.

    A servo is read when its turn comes, so that what is measured of each joint has an age. While
    the joints are driven, whatever is wrong with bus or servos raises FaultError once; the bridge
    then stops. Afterwards they are still read, as far as they answer.

    Args:
        robot: the robot.
        config: its wiring.
        period: the control period [s].
        policy: what the joints do when the program ends.
        clock: for ages and deadlines [ns].
        hurried: whether reading ends when the time of a control period is over; if not, as many
            servos are read as its bytes leave time for, however long that takes.

    Raises:
        SoftshellError: watchdogs wait for less than `PERIODS` control periods, or a control
            period is too short for the bytes of a bus.
    """

    name = 'hardware'
    owns_time = False

    def __init__(
        self,
        robot: RobotModel,
        config: HardwareConfig,
        period: float,
        policy: StopPolicy = StopPolicy.HOLD,
        clock: Callable[[], int] = time.monotonic_ns,
        hurried: bool = True,
    ) -> None:
        _refuse_haste(config, period)
        self.robot, self.config = robot, config
        self.imu: Callable[[], ImuSample | None] = lambda: None
        self._policy, self._period, self._hurried = policy, period, hurried
        self._map = JointMap.of(robot)
        self._clock = clock
        self._joints = len(robot.joints)
        channels = self._joints + len(robot.channels)
        self.measured = Measured.zero(len(self._map.names), channels)
        self.measured.valid[:] = False
        self.measured.channels[:] = np.nan
        self.measured.derating = np.ones(channels)
        self.measured.temperature = np.full(len(self._map.names), np.nan)
        self.health = Health((*robot.joint_names, *robot.channels), config.protection)
        self.crew = Crew(robot, config, period, self.health, clock)
        self._driven = self._beginning = False
        self._now: int | None = None
        self._began = 0
        self._speed = 1.0

    def reset(self) -> Measured:
        """Find every servo anew.

        Raises:
            SoftshellError: every port and servo that is not as expected.
        """
        self._driven = self.crew.driven = False
        with self.crew.at_leisure():
            self.crew.muster(anew=True)
            self.crew.read_everything()
        return self._measure()

    def activate(self) -> Measured:
        """Let the servos hold where they are.

        Raises:
            RefusalError: a joint is not calibrated, not measured or outside its limits; the text
                names all.
            SoftshellError: a servo does not obey; the text names all.
        """
        if self.config.uncalibrated:
            names, robot = ', '.join(self.config.uncalibrated), self.config.form.robot
            own = '' if robot == DEFAULT_ROBOT else f' robot:={robot}'
            text = f'not calibrated: {names}; run ./softshell calibrate{own}'
            raise RefusalError(ReasonCode.CALIBRATION, text)
        with self.crew.at_leisure():
            self.crew.muster()
            self.crew.read_everything()
            self._refuse_outside()
            self.health.check()
            self.health.begin()
            self.crew.enlist()
        self._driven = self._beginning = True
        self._now = None
        return self._measure()

    def step(self, now: int, command: Command | None) -> Measured:
        """Send goals, and read the servos whose turn it is.

        Raises:
            FaultError: once, if the joints are driven: the port has gone, a servo is missing,
                restarted, overloaded, too hot, or does not follow; time has jumped.
        """
        began = self._clock()
        stamp, self._now = self._now, now
        if self._beginning:
            # `now` was read before the servos were switched on, which takes a while.
            self._beginning, self._now = False, None
        try:
            self._refuse_stall(stamp, now, began)
            if self._driven and command is not None:
                self.crew.command(command, self._pace)
            self.crew.read(self._deadline(began))
        except PortError as error:
            if self._driven:
                raise FaultError(ReasonCode.BUS, str(error)) from None
        if not self.crew.is_open:
            return self._aged()
        measured = self._measure()
        # Servos were read after `now`; ages are of this moment.
        measured.stamp = now + self._clock() - began
        if self._driven:
            self.crew.check(0.0 if stamp is None else (now - stamp) * 1e-9)
        return measured

    def wait(self) -> None:
        """Read servos all the same: they, and the guardian, take silence for the host's death."""
        with contextlib.suppress(PortError):  # the next step finds that it has gone
            self.crew.read(self._deadline(self._clock()))

    def stop(self, policy: StopPolicy) -> None:
        """Let the servos keep their goals, or give way.

        Raises:
            SoftshellError: servos did not confirm that they give way, or that they stay where they
                are blocked; the text names them.
        """
        self._driven = False
        self.health.begin()
        if policy is StopPolicy.RELAX:
            self.crew.relax()
        else:
            self.crew.hold(self.health.tracking_error)

    def apply(self, parameters: Any) -> None:
        """Take `speed` and `tracking_error` among the bridge's parameters."""
        self._speed = parameters.speed
        self.health.tracking_error = (
            parameters.tracking_error or self.config.protection.tracking_error
        )

    def warnings(self) -> Sequence[Reason]:
        """Warnings: what is wrong, and no fault."""
        return [*self.health.warnings(), *self.crew.warnings()]

    def diagnostics(self) -> Mapping[str, str]:
        """Figures of the buses: read cycle, oldest value, failed readings."""
        return self.crew.diagnostics()

    def reboot(self, name: str) -> str:
        """Restart the servo of a joint or channel, which clears what it shut down for.

        Args:
            name: of the joint or channel.

        Raises:
            SoftshellError: joints are driven, there is no such joint or channel, its family does
                not know how, or it does not answer.
        """
        if self._driven:
            raise SoftshellError('the joints are driven; expected ~/deactivate first')
        return self.crew.reboot(name)

    def interrupt(self) -> None:
        """Let what another thread does, such as an activation, end soon with an error.

        No exchange with a servo is begun until `resume` or `close`.
        """
        self.crew.interrupt(True)

    def resume(self) -> None:
        """Let exchanges with servos be begun again."""
        self.crew.interrupt(False)

    def close(self) -> None:
        """Switch the torque off if the policy says so, and close the ports.

        Raises:
            SoftshellError: servos did not confirm that they give way; the text names them.
        """
        try:
            self.resume()
            if self._policy is StopPolicy.RELAX:
                self.crew.relax()
        finally:
            self.crew.close()

    def _deadline(self, began: int) -> int | None:
        return began + round(0.8e9 * self._period) if self._hurried else None

    def _aged(self) -> Measured:
        """What was measured last, with its age and old stamp; nothing of it is known any more."""
        self._tell_known()
        return self.measured

    @property
    def _pace(self) -> float:
        """Part of its speed that the robot may have."""
        return min(self.health.pace, self._speed)

    def _refuse_stall(self, before: int | None, now: int, began: int) -> None:
        """Refuse to go on after the control loop stood still, or its clock was set.

        Args:
            before: the time at the end of the last period [ns]; None: there was none.
            now: the time at the end of this one [ns].
            began: when it began, by the clock of the servos [ns], which nobody sets.

        Raises:
            FaultError: the last period is too long ago, or the clock went back, or ahead.
        """
        truly, self._began = (began - self._began) * 1e-9, began
        if not self._driven or before is None:
            return
        passed, most = (now - before) * 1e-9, self.config.protection.stall
        if passed < 0.0:
            raise FaultError(ReasonCode.CLOCK, f'the clock went back by {-passed:.3f} s')
        if passed > most >= truly:
            raise FaultError(ReasonCode.CLOCK, f'the clock went ahead by {passed - truly:.3f} s')
        if passed > most:
            raise FaultError(
                ReasonCode.STALL,
                f'the control loop was still for {passed:.2f} s; expected at most {most:g} s',
            )

    def _refuse_outside(self) -> None:
        """Refuse to hold a joint that is outside its limits.

        Raises:
            RefusalError: names every joint that is outside its limits, or was not measured.
        """
        problems, code = [], ReasonCode.NOT_MEASURED
        position, known = self.crew.readings.position, self.crew.readings.known[: self._joints]
        for joint, at, found in zip(self.robot.joints, position.tolist(), known, strict=True):
            tick = self.config.joints[self.robot.index(joint.name)].family.tick
            if not found:
                problems.append(f'{joint.name} is not measured: {self.crew.why(joint.name)}')
            elif not joint.lower - tick <= at <= joint.upper + tick:
                code = ReasonCode.LIMITS
                way_back = _way_back(at, joint.lower - tick, joint.upper + tick)
                problems.append(
                    f'{joint.name} is at {at:.3f} rad; expected {joint.lower:.3f} to '
                    f'{joint.upper:.3f} rad: {way_back}'
                )
        if problems:
            raise RefusalError(code, str(ProblemsError('joints that cannot be held', problems)))

    def _measure(self) -> Measured:
        measured, readings, count = self.measured, self.crew.readings, self._joints
        self._map.positions(readings.position, measured.position)
        self._map.rates(readings.velocity, measured.velocity)
        measured.effort[:] = 0.0
        measured.effort[:count] = readings.effort
        self._tell_known()
        assert measured.derating is not None
        measured.derating[:] = self._pace
        measured.imu = self.imu()
        return measured

    def _tell_known(self) -> None:
        """Tell what is known, and how old it is; of a servo that no longer answers nothing is."""
        measured, readings = self.measured, self.crew.readings
        known, source, driven = readings.known, self._map.source, self._map.driven
        measured.valid[:driven] = known[source]
        measured.age[:driven] = readings.age[source]
        assert measured.temperature is not None
        temperature = np.where(known, self.health.temperature, np.nan)
        measured.temperature[:driven] = temperature[source]
        voltage = self.health.voltage[known & np.isfinite(self.health.voltage)]
        measured.voltage = float(voltage.min()) if len(voltage) else None
        channels = np.concatenate((readings.position, readings.tension))
        measured.channels[:] = np.where(known, channels, np.nan)


def _refuse_haste(config: HardwareConfig, period: float) -> None:
    """Refuse watchdogs that wait for less than `PERIODS` control periods.

    Raises:
        SoftshellError: they do.
    """
    watches = any(motor.family.watches for motor in config.motors)
    if watches and config.form.watchdog < PERIODS * period - 1e-9:
        raise SoftshellError(
            f'{config.path}: watchdog is {config.form.watchdog:g} s; expected at least '
            f'{PERIODS * period:g} s, {PERIODS} control periods'
        )


def _way_back(at: float, lower: float, upper: float) -> str:
    """What to do about a joint that is outside its limits [rad].

    A servo that counts whole turns may have been moved by one; it forgets them without power.
    """
    turns = math.ceil((lower - at) / math.tau)
    if turns and at + turns * math.tau <= upper:
        return 'its servo counts whole turns; switch its power off and on'
    return 'move it there by hand'
