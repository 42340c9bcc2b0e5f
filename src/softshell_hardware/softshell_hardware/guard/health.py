"""What readings of the motors mean: warnings, slowing down, and faults. Without any bus."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_hardware.wiring.form import Protection
from softshell_kinematics.arrays import Array

#: Part of the largest tracking error from which on there is a warning.
NOTED = 0.5
#: Part of its speed that the robot still has when a motor is at its stop temperature.
SLOWEST = 0.25


class Health:
    """Watches the motors of a robot.

    Args:
        names: of the motors, for people.
        protection: what may not happen to them.

    Attributes:
        temperature: (motors,) as last read [°C]; NaN: never.
        voltage: (motors,) of the supply at each [V]; NaN: never.
        tracking_error: a joint so far from its command [rad] for too long is a fault.
    """

    def __init__(self, names: Sequence[str], protection: Protection) -> None:
        self._names, self._limits = tuple(names), protection
        self.temperature, self.voltage = (np.full(len(names), np.nan) for _ in range(2))
        self._warm, self._hot = (np.zeros(len(names), dtype=np.bool_) for _ in range(2))
        # For how long each was off its command by more than the limit, and than `NOTED` of it [s].
        self._off_track, self._behind = (np.zeros(len(names)) for _ in range(2))
        self._error = np.zeros(len(names))
        self.tracking_error = protection.tracking_error

    def begin(self) -> None:
        """Forget for how long joints were away from their commands."""
        self._off_track[:] = self._behind[:] = 0.0

    def note(self, motor: int, temperature: float, voltage: float) -> None:
        """Take a reading of one motor."""
        self.temperature[motor], self.voltage[motor] = temperature, voltage
        begins = temperature >= self._limits.warn_temperature
        goes_on = temperature > self._limits.warn_temperature - self._limits.hysteresis
        self._warm[motor] = begins or (self._warm[motor] and goes_on)
        begins = temperature >= self._limits.stop_temperature
        goes_on = temperature > self._limits.stop_temperature - self._limits.hysteresis
        self._hot[motor] = begins or (self._hot[motor] and goes_on)

    @property
    def pace(self) -> float:
        """Part of its speed that the robot may have, by its hottest motor: 1 to `SLOWEST`."""
        known = self.temperature[np.isfinite(self.temperature)]
        begin, end = self._limits.derate_temperature, self._limits.stop_temperature
        if not len(known) or known.max() <= begin:
            return 1.0
        part = min((float(known.max()) - begin) / max(end - begin, 1e-9), 1.0)
        return 1.0 - part * (1.0 - SLOWEST)

    def warnings(self) -> list[Reason]:
        """Warnings: motors that are warm, joints that lag; no faults yet."""
        found = []
        if self._warm.any():
            warm = ', '.join(
                f'{self._names[i]} {self.temperature[i]:.0f} °C'
                for i in np.flatnonzero(self._warm)
            )
            slower = (
                '' if self.pace == 1.0 else f'; the robot goes at {self.pace:.0%} of its speed'
            )
            found.append(Reason(ReasonCode.TEMPERATURE, f'warm: {warm}{slower}'))
        late = np.flatnonzero(self._behind > self._limits.tracking_time)
        if len(late):
            behind = ', '.join(f'{self._names[i]} {self._error[i]:.3f} rad' for i in late)
            found.append(Reason(ReasonCode.TRACKING, f'off its command: {behind}'))
        return found

    def check(self) -> None:
        """Raise a fault for motors that are too hot, or whose supply is out of range.

        Raises:
            FaultError: temperature or voltage is out of range; the text names all motors.
        """
        limits = self._limits
        hot = np.flatnonzero(self._hot)
        if len(hot):
            words = ', '.join(f'{self._names[i]} {self.temperature[i]:.0f} °C' for i in hot)
            raise FaultError(
                ReasonCode.TEMPERATURE,
                f'too hot: {words}; expected less than {limits.stop_temperature:g} °C, and after '
                f'that at most {limits.stop_temperature - limits.hysteresis:g} °C',
            )
        with np.errstate(invalid='ignore'):
            wrong = (self.voltage < limits.lowest_voltage) | (
                self.voltage > limits.highest_voltage
            )
        if wrong.any():
            words = ', '.join(
                f'{self._names[i]} {self.voltage[i]:.1f} V' for i in np.flatnonzero(wrong)
            )
            raise FaultError(
                ReasonCode.VOLTAGE,
                f'supply out of range: {words}; expected {limits.lowest_voltage:g} to '
                f'{limits.highest_voltage:g} V',
            )

    def track(self, wanted: Array, found: Array, fresh: NDArray[np.bool_], seconds: float) -> None:
        """Watch whether joints follow their commands.

        Args:
            wanted: (joints,) where each was to be when it was read [rad]; joints come first among
                the motors.
            found: (joints,) where it was.
            fresh: (joints,) whether it was read since the last call.
            seconds: since the last call.

        Raises:
            FaultError: a joint was too far from its command for too long.
        """
        count = len(wanted)
        error = np.abs(wanted - found)
        off, behind = self._off_track[:count], self._behind[:count]
        off += seconds
        behind += seconds
        off[fresh & (error <= self.tracking_error)] = 0.0
        behind[fresh & (error <= NOTED * self.tracking_error)] = 0.0
        self._error[:count][fresh] = error[fresh]
        late = np.flatnonzero(fresh & (off > self._limits.tracking_time))
        if len(late):
            worst = int(late[np.argmax(error[late])])
            raise FaultError(
                ReasonCode.TRACKING,
                f'{self._names[worst]} is {error[worst]:.3f} rad off its command for '
                f'{off[worst]:.2f} s; expected at most {self.tracking_error:g} rad: is it '
                'blocked, or its encoder stuck?',
            )
