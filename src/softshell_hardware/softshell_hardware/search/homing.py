"""Where a robot's joints are while somebody moves them by hand."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import Answer, ServoBus
from softshell_hardware.bus.families import FAMILIES
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.units import Wiring
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Readings that a position is the mean of, and the time between two [s].
READINGS, PAUSE = 10, 0.03
#: A joint whose readings lie further apart moves [rad].
STILL = 0.012


@dataclass(frozen=True)
class Position:
    """Where a servo is, or why that is not known.

    Attributes:
        ticks: position of the servo, the mean of its readings; None: not known.
        problem: why it is not known, or may not be used; empty: no problem.
    """

    ticks: float | None
    problem: str = ''


class Homing:
    """The servos of some joints, without torque.

    Args:
        robot: the robot.
        config: its wiring.
        joints: names of the joints; empty: all.
        pause: waits between two readings [s].

    Attributes:
        robot, config: as given.
        wirings: by joint, in the order of the robot's joints.

    Raises:
        UnknownNameError: there is no such joint.
        PortError: a port cannot be opened.
    """

    def __init__(
        self,
        robot: RobotModel,
        config: HardwareConfig,
        joints: Sequence[str] = (),
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.robot, self.config, self._pause = robot, config, pause
        for name in joints:
            if name not in robot.joint_names:
                raise UnknownNameError('joint', name, robot.joint_names)
        self.wirings: Mapping[str, Wiring] = {
            each.name: each for each in config.joints if not joints or each.name in joints
        }
        self._buses: dict[str, ServoBus] = {}
        try:
            for name in dict.fromkeys(each.bus for each in self.wirings.values()):
                spec = config.buses[name]
                family = FAMILIES[spec.family]
                bus = ServoBus(spec.port, family, spec.baud, spec.latency, spec.slack)
                self._buses[name] = bus.open()
        except SoftshellError:
            self.close()
            raise

    def close(self) -> None:
        """Close the ports."""
        for bus in self._buses.values():
            bus.close()

    def __enter__(self) -> 'Homing':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def relax(self) -> list[str]:
        """Switch the torque off; returns a line for each servo that did not confirm it."""
        problems = []
        for motor in self.wirings.values():
            answer = said(self._buses[motor.bus], motor.id, 'torque_enable', 0)
            if answer.failure is not None:
                problems.append(f'{motor.label}: {answer.failure.value}')
        return problems

    def look(self) -> dict[str, Position]:
        """One reading of each joint."""
        return {name: self._position([self._read(each)], each) for name, each in self._each()}

    def measure(self, joints: Sequence[str] = ()) -> dict[str, Position]:
        """The mean of several readings of each joint, which has to be at rest.

        Args:
            joints: names of the joints; empty: all.
        """
        measured = {name: each for name, each in self._each() if not joints or name in joints}
        readings: dict[str, list[Answer]] = {name: [] for name in measured}
        for count in range(READINGS):
            if count:
                self._pause(PAUSE)
            for name, motor in measured.items():
                if not readings[name] or readings[name][-1].failure is None:
                    readings[name].append(self._read(motor))
        return {name: self._position(readings[name], motor) for name, motor in measured.items()}

    def _each(self) -> Sequence[tuple[str, Wiring]]:
        return tuple(self.wirings.items())

    def _read(self, motor: Wiring) -> Answer:
        return asked(self._buses[motor.bus], motor.id, ['present_position'])

    def _position(self, answers: Sequence[Answer], motor: Wiring) -> Position:
        failed = [answer.failure for answer in answers if answer.failure is not None]
        if failed:
            return Position(None, f'{motor.label}: {failed[0].value}')
        ticks = [answer.values['present_position'] for answer in answers]
        mean, span = sum(ticks) / len(ticks), max(ticks) - min(ticks)
        low, high = motor.family.goal_range
        if mean % (math.tau / motor.family.tick) != mean:
            return Position(
                mean,
                f'{motor.label} is at {mean:.0f}, a whole turn or more from its range of {low} to '
                f'{high}: it counts whole turns; switch its power off and on',
            )
        if span * motor.family.tick > STILL:
            width = span * motor.family.tick
            return Position(mean, f'{motor.label} moves: by {width:.3f} rad within its readings')
        if not low < mean < high:
            return Position(
                mean,
                f'{motor.label} is at {mean:.0f}, the end of its range or beyond; expected it '
                f'between {low} and {high}: mount its horn turned',
            )
        return Position(mean)
