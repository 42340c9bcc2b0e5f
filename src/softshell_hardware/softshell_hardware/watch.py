"""What stops the servos of a bus when this program dies: watchdogs of their own, or a guardian."""

from collections.abc import Sequence

from softshell_hardware.bus import ServoBus
from softshell_hardware.heartbeat import Heartbeat
from softshell_hardware.patience import asked, said
from softshell_hardware.wiring import Motor, Wiring
from softshell_hardware.wiring_form import HardwareForm

#: How often one is asked that must not be left halfway, while others wait.
FEW = 3
#: Unit of the servos' watchdogs [s].
UNIT = 0.02


class Watch:
    """Over the servos of one bus; both expect a word in every control period.

    Args:
        bus: which they are on.
        motors: them.
        groups: ids of those that can be read together.
        form: the wiring of the robot.
        period: the control period [s].

    Attributes:
        waiting: servos that are to stop by themselves, and were not told so yet.
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
        self._units = max(round(form.watchdog / UNIT), 1)
        self.waiting: list[Motor] = []
        # Ids of those that have stopped by themselves, and have an old goal.
        self._stopped: set[int] = set()
        self._heartbeat: Heartbeat | None = None
        # One that has taken over, and is busy with its servos.
        self._leaving: Heartbeat | None = None
        bus.on_gone = self.dismiss

    @property
    def took_over(self) -> bool:
        """Whether the guardian has switched the servos off."""
        return self._heartbeat is not None and self._heartbeat.took_over

    @property
    def lapse(self) -> str:
        """Why the guardian has gone, for people; empty: it has not, and gets a beat."""
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
        """Note that every servo that can is to stop by itself."""
        self.waiting = list(self._motors) if self._bus.family.watches else []

    def arm(self, motor: Motor) -> bool:
        """Let a servo stop by itself when nobody speaks to it; whether it took notice, asked once.

        One that has stopped so stays where it is.

        Raises:
            PortError: the port has gone.
        """
        # Whoever takes no notice is asked again after all others.
        self.waiting = [*(each for each in self.waiting if each is not motor), motor]
        if not self._release(motor):
            return False
        if said(self._bus, motor.id, 'bus_watchdog', self._units, 1).failure is not None:
            return False
        self.waiting.pop()
        return True

    def arm_all(self) -> list[str]:
        """Let all servos stop by themselves, whose watchdogs are off; who took no notice.

        Raises:
            PortError: the port has gone.
        """
        self._stopped.clear()
        if not self._bus.family.watches:
            return []
        # At once, and once more when all have confirmed it: the first would wait for too long.
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
        """Let a guardian stop the servos when this program dies, if that is wanted.

        Raises:
            SoftshellError: there is none.
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
        """Send the guardian home, without waiting for it; no servo is to be told to stop."""
        self.waiting = []
        if self._heartbeat is not None:
            self._heartbeat.dismiss()

    def pause(self) -> None:
        """Expect no word for a while; servos that have stopped by themselves stay where they are.

        Raises:
            PortError: the port has gone.
        """
        self.dismiss()
        for motor in self._motors if self._bus.family.watches else ():
            self._release(motor)

    def end(self, busy: bool = True) -> None:
        """Send the guardian home, and wait until it has gone.

        Args:
            busy: whether the control loop runs meanwhile, which a guardian that has taken over
                would keep waiting.
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

        Whoever does not answer at once is left as it is; who was stopped is asked a few times.
        """
        state = self._bus.read(motor.id, ['bus_watchdog'])
        if state.failure is not None:
            return False
        if state.values['bus_watchdog'] < 0:
            self._stopped.add(motor.id)
        if motor.id not in self._stopped:
            return said(self._bus, motor.id, 'bus_watchdog', 0, 1).failure is None
        # Goals are refused until the 0 is there, and from then on the old one counts.
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
