"""What stops the servos of a bus when this program dies: watchdogs of their own, or a guardian."""

import contextlib
from collections.abc import Sequence

from softshell_hardware.bus import PortError, ServoBus
from softshell_hardware.heartbeat import Heartbeat
from softshell_hardware.patience import asked, said
from softshell_hardware.wiring import Motor, Wiring
from softshell_hardware.wiring_form import HardwareForm

#: Unit of the servos' watchdogs [s].
UNIT = 0.02


class Watch:
    """Over the servos of one bus; both expect a word in every control period.

    Args:
        bus: which they are on.
        motors: them.
        form: the wiring of the robot.
        period: the control period [s].

    Attributes:
        waiting: servos that are to stop by themselves, and were not told so yet.
    """

    def __init__(
        self, bus: ServoBus, motors: Sequence[Motor], form: HardwareForm, period: float
    ) -> None:
        self._bus, self._motors, self._form, self._period = bus, motors, form, period
        self.waiting: list[Motor] = []
        self._heartbeat: Heartbeat | None = None

    @property
    def patience(self) -> float:
        """Without a beat for so long, the guardian lets the servos give way [s]."""
        return self._form.beats * self._period

    @property
    def is_over(self) -> bool:
        """Whether the guardian has switched the servos off; if not, it gets a beat."""
        return self._heartbeat is not None and not self._heartbeat.beat()

    def want(self) -> None:
        """Note that every servo that can is to stop by itself."""
        self.waiting = list(self._motors) if self._bus.family.watches else []

    def arm(self, motor: Motor) -> str:
        """Let a servo stop by itself when nobody speaks to it; why it took no notice, or empty.

        One that has stopped so stays where it is: its goal is an old one.

        Raises:
            PortError: the port has gone.
        """
        # Whoever takes no notice is asked again after all others.
        self.waiting = [*(each for each in self.waiting if each is not motor), motor]
        state = asked(self._bus, motor.id, ['bus_watchdog'])
        stopped = state.values.get('bus_watchdog', 0) < 0
        answers = [state, said(self._bus, motor.id, 'bus_watchdog', 0)]
        if stopped and isinstance(motor, Wiring):
            present = asked(self._bus, motor.id, ['present_position'])
            goal = present.values.get('present_position', 0)
            answers += [present]
            if present.failure is None:
                answers += [said(self._bus, motor.id, 'goal_position', goal)]
        units = max(round(self._form.watchdog / UNIT), 1)
        answers += [said(self._bus, motor.id, 'bus_watchdog', units)]
        for answer in answers:
            if answer.failure is not None:
                return f'{motor.label}: {answer.failure.value} when bus_watchdog was written'
        self.waiting.pop()
        return ''

    def arm_all(self) -> list[str]:
        """Let all servos stop by themselves; who took no notice.

        Raises:
            PortError: the port has gone.
        """
        self.want()
        return [problem for motor in tuple(self.waiting) if (problem := self.arm(motor))]

    def begin_beats(self) -> None:
        """Let a guardian stop the servos when this program dies, if that is wanted.

        Raises:
            SoftshellError: there is none.
            PortError: the port has gone.
        """
        self._end_beats()
        if self._form.on_host_death == 'relax':
            self._heartbeat = Heartbeat(self._bus.descriptor, self._bus.family, self.patience)

    def beat(self) -> None:
        """Let the guardian know that this program lives."""
        if self._heartbeat is not None:
            self._heartbeat.beat()

    def end(self) -> None:
        """Expect no word any more."""
        self.waiting = []
        if self._bus.is_open and self._bus.family.watches:
            with contextlib.suppress(PortError):
                off = {motor.id: (0,) for motor in self._motors}
                self._bus.write_all(['bus_watchdog'], off)
        self._end_beats()

    def _end_beats(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.end()
            self._heartbeat = None
