"""What stops the servos of a bus when this program dies: watchdogs of their own, or a guardian."""

import math
from collections.abc import Sequence

from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.guard.heartbeat import Heartbeat
from softshell_hardware.wiring.form import HardwareForm
from softshell_hardware.wiring.units import Motor, Wiring

#: Tries with a servo that must not be left half done, while other servos wait.
FEW = 3


class Watch:
    """Watchdogs and guardian of the servos of one bus.

    Both expect a message in every control period.

    Args:
        bus: which they are on.
        motors: the servos.
        groups: ids of those that can be read together.
        form: the wiring of the robot.
        period: the control period [s].

    Attributes:
        waiting: servos whose watchdog is still to be set.
    """

    def __init__(
        self,
        bus: ServoBus,
        motors: Sequence[Motor],
        groups: Sequence[Sequence[int]],
        form: HardwareForm,
        period: float,
    ) -> None:
        self._bus, self._motors, self._groups = bus, motors, groups
        self._form, self._period = form, period
        self._units = max(math.ceil(form.watchdog / bus.family.watchdog_unit - 1e-9), 1)
        self.waiting: list[Motor] = []
        # Ids of servos that their watchdog has stopped, and that have an old goal.
        self._stopped: set[int] = set()
        self._heartbeat: Heartbeat | None = None
        # A guardian that has taken over, and still switches its servos off.
        self._leaving: Heartbeat | None = None
        bus.on_gone = self.dismiss

    @property
    def took_over(self) -> bool:
        """Whether the guardian has switched the servos off."""
        return self._heartbeat is not None and self._heartbeat.took_over

    @property
    def lapse(self) -> str:
        """Why the guardian has ended, for people; empty: it runs. Asking sends it a beat."""
        if self._heartbeat is None or self._heartbeat.beat():
            return ''
        if self.took_over:
            patience = self._form.beats * self._period
            return f'its guardian heard nothing for {patience:.2f} s and let the servos give way'
        return 'its guardian has ended by itself'

    @property
    def wants_guardian(self) -> bool:
        """Whether there is to be a guardian, and is none."""
        return self._form.on_host_death == 'relax' and self._heartbeat is None

    def want(self) -> None:
        """Note that the watchdog of every servo that has one is to be set."""
        self.waiting = list(self._motors) if self._bus.family.watches else []

    def arm(self, motor: Motor) -> bool:
        """Set the watchdog of a servo, with one try; whether the servo confirmed it.

        A servo that its watchdog has stopped stays where it is.

        Raises:
            PortError: the port has gone.
        """
        # A servo that does not confirm is asked again after all others.
        self.waiting = [*(each for each in self.waiting if each is not motor), motor]
        if not self._release(motor):
            return False
        if said(self._bus, motor.id, 'bus_watchdog', self._units, 1).failure is not None:
            return False
        self.waiting.pop()
        return True

    def arm_all(self) -> list[str]:
        """Set the watchdogs of all servos, which are off; a line for each that did not confirm.

        Raises:
            PortError: the port has gone.
        """
        self._stopped.clear()
        if not self._bus.family.watches:
            return []
        # All at once, and again after all have confirmed it: the first may have run out by then.
        rows = {motor.id: (self._units,) for motor in self._motors}
        self._bus.write_all(['bus_watchdog'], rows)
        values = {
            servo: answer.values.get('bus_watchdog')
            for group in self._groups
            for servo, answer in self._bus.read_all(list(group), ['bus_watchdog']).items()
        }
        problems = []
        for motor in self._motors:
            if values.get(motor.id) != self._units:
                answer = said(self._bus, motor.id, 'bus_watchdog', self._units)
                if answer.failure is not None:
                    text = f'{answer.failure.value} when bus_watchdog was written'
                    problems.append(f'{motor.label}: {text}')
        self._bus.write_all(['bus_watchdog'], rows)
        return problems

    def begin_beats(self) -> None:
        """Start a guardian, if the wiring has `on_host_death: relax`.

        Raises:
            SoftshellError: it cannot be started.
            PortError: the port has gone.
        """
        self.end()
        if self._form.on_host_death == 'relax':
            patience = self._form.beats * self._period
            self._heartbeat = Heartbeat(self._bus.descriptor, self._bus.family, patience)

    def beat(self) -> None:
        """Let the guardian know that this program lives."""
        if self._heartbeat is not None:
            self._heartbeat.beat()

    def dismiss(self) -> None:
        """Tell the guardian to end, without waiting for it; set no further watchdogs."""
        self.waiting = []
        if self._heartbeat is not None:
            self._heartbeat.dismiss()

    def pause(self) -> None:
        """End the guardian and switch watchdogs off; servos that they stopped stay in place.

        Raises:
            PortError: the port has gone.
        """
        self.dismiss()
        for motor in self._motors if self._bus.family.watches else ():
            self._release(motor)

    def end(self, busy: bool = True) -> None:
        """Tell the guardian to end, and wait until it has ended.

        Args:
            busy: whether the control loop runs: it does not wait for a guardian that has taken
                over, which takes a while.
        """
        self.dismiss()
        heartbeat, self._heartbeat = self._heartbeat, None
        if heartbeat is not None and busy and heartbeat.took_over:
            heartbeat, self._leaving = None, heartbeat
        if self._leaving is not None and not busy:
            self._leaving.end()
            self._leaving = None
        if heartbeat is not None:
            heartbeat.end()

    def _release(self, motor: Motor) -> bool:
        """Switch off the watchdog of a servo; one that it has stopped stays where it is.

        A servo that does not answer at once is left as it is; one that was stopped is asked a few
        times. Returns whether the watchdog is off.
        """
        state = self._bus.read(motor.id, ['bus_watchdog'])
        if state.failure is not None:
            return False
        if state.values['bus_watchdog'] < 0:
            self._stopped.add(motor.id)
        if motor.id not in self._stopped:
            return said(self._bus, motor.id, 'bus_watchdog', 0, 1).failure is None
        # Goals are refused until the watchdog is 0; from then on the servo goes to its old goal.
        register, goal = 'goal_current', 0
        if isinstance(motor, Wiring):
            present = asked(self._bus, motor.id, ['present_position'], FEW)
            if present.failure is not None:
                return False
            register, goal = 'goal_position', present.values['present_position']
        for _ in range(FEW):
            self._bus.write(motor.id, 'bus_watchdog', 0)
            if self._bus.write(motor.id, register, goal).failure is None:
                self._stopped.discard(motor.id)
                return True
        return False
