"""What servos tell of a robot, as arrays of joints."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import Answer, ServoBus
from softshell_hardware.driving.reader import Station
from softshell_hardware.guard.health import Health
from softshell_hardware.wiring.units import Motor, Tendon, Wiring
from softshell_kinematics.arrays import Array

#: A joint that moves faster than so many times its motor can has not moved: its reading jumped.
JUMP = 1.2
#: What a reading may be off in addition [rad].
SLACK = 0.1


class Readings:
    """What was read last of every servo.

    Args:
        robot: the robot.
        motors: its servos: those of the joints come first.
        stations: likewise.
        health: takes temperatures and voltages.
        clock: [ns].

    Attributes:
        position, velocity, effort: (joints,) [rad], [rad/s], [N m].
        tension: (channels,) of the other channels, [N] or [N m]; NaN: never read.
        known: (motors,) whether each has been read, and still answers.
        fresh: (joints,) whether each was read since whoever asks set this to False.
        driven: whether joints move by commands alone: what no motion explains is left out then.
        jumped: what was left out, for people; empty: nothing.
    """

    def __init__(
        self,
        robot: RobotModel,
        motors: Sequence[Motor],
        stations: Sequence[Station],
        health: Health,
        clock: Callable[[], int],
    ) -> None:
        self._robot, self._motors, self._stations = robot, motors, stations
        self._health, self._clock = health, clock
        count = len(robot.joints)
        self.position, self.velocity, self.effort = (np.zeros(count) for _ in range(3))
        self.tension = np.full(len(robot.channels), np.nan)
        self.known = np.zeros(len(motors), dtype=np.bool_)
        self.fresh = np.zeros(count, dtype=np.bool_)
        self.driven = False
        self.jumped = ''

    @property
    def age(self) -> Array:
        """(joints,) how long ago each was read [s]; infinite: never."""
        now, joints = self._clock(), self._stations[: len(self.position)]
        return np.array(
            [np.inf if each.read is None else (now - each.read) * 1e-9 for each in joints]
        )

    def take(self, station: Station, bus: ServoBus, answer: Answer) -> None:
        """Take a reading of one servo."""
        values: Mapping[str, Any] = answer.values
        place, motor = station.place, self._motors[station.place]
        voltage = values['present_voltage'] * bus.family.voltage_unit
        self._health.note(place, float(values['present_temperature']), voltage)
        if isinstance(motor, Tendon):
            self.tension[place - len(self.position)] = motor.value(values['present_current'])
        elif isinstance(motor, Wiring):
            self._take_joint(station, motor, values)

    def _take_joint(self, station: Station, motor: Wiring, values: Mapping[str, Any]) -> None:
        place, position = station.place, motor.position(values['present_position'])
        if self._jumps(station, position):
            return
        self.position[place] = position
        speed = 'present_speed' if motor.family.protocol == 1 else 'present_velocity'
        self.velocity[place] = motor.velocity(values[speed])
        self.effort[place] = motor.torque(values)
        self.fresh[place] = True

    def _jumps(self, station: Station, position: float) -> bool:
        """Whether no motion explains a reading, which then tells nothing but that."""
        if not self.driven or station.before is None or station.read is None:
            return False
        passed = (station.read - station.before) * 1e-9
        most = JUMP * self._robot.joints[station.place].velocity * passed + SLACK
        moved = abs(position - float(self.position[station.place]))
        if moved > most and not self.jumped:
            self.jumped = (
                f'{station.label} shows {position:.3f} rad, {moved:.3f} rad from {passed:.3f} s '
                'ago: no motion is as fast as that'
            )
        return moved > most
