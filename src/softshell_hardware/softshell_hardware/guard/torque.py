"""Whether the servos of a bus have their torque, and how it is switched off for certain."""

import contextlib
from collections.abc import Collection, Sequence

from softshell_hardware.bus.bus import PortError, ServoBus
from softshell_hardware.bus.patience import TRIES, asked
from softshell_hardware.wiring.units import Motor


class Torque:
    """The torque of the servos of one bus.

    Args:
        bus: which they are on.
        motors: the servos.

    Attributes:
        stiff: whether any servo may have its torque.
        owing: servos whose torque is to be off, and that have not confirmed it yet.
    """

    def __init__(self, bus: ServoBus, motors: Sequence[Motor]) -> None:
        self._bus, self._motors = bus, motors
        self.stiff = False
        self.owing: list[Motor] = []

    def begin(self) -> None:
        """Note that the torque of all servos is about to be switched on."""
        self.stiff, self.owing = True, []

    def look(self, answering: bool) -> None:
        """See whether servos hold because another program has left them so.

        Args:
            answering: whether all servos answer: one that then does not tell counts as holding.

        Raises:
            PortError: the port has gone.
        """
        self.stiff = self.stiff or any(self._has(motor, answering) for motor in self._motors)

    def may_have(self, motor: Motor) -> bool:
        """Whether a servo says that it has its torque; one that does not tell has it.

        Unless it has confirmed that it is off, while others are still in `owing`.

        Raises:
            PortError: the port has gone.
        """
        return self._has(motor, not self.owing or motor in self.owing)

    def _has(self, motor: Motor, untold: bool) -> bool:
        """Whether a servo says that it has its torque; `untold` if it does not tell."""
        answer = asked(self._bus, motor.id, ['torque_enable'])
        return untold if answer.failure is not None else bool(answer.values['torque_enable'])

    def give_way(self) -> None:
        """Switch all torque off, if the port is open; `confirm` asks whether it is."""
        self.owing = list(self._motors) if self._bus.is_open or self.stiff else []
        with contextlib.suppress(PortError):
            self.tell()

    def tell(self) -> None:
        """Switch off the torque of the servos in `owing`, in one packet that is not answered.

        Raises:
            PortError: the port has gone.
        """
        if self.owing:
            self._bus.write_all(['torque_enable', 'led'], {each.id: (0, 0) for each in self.owing})

    def confirm(self) -> list[Motor]:
        """Have servos confirm that their torque is off; those that do not."""
        with contextlib.suppress(PortError):
            for count in range(TRIES if self.owing else 0):
                before = len(self.owing)
                self.owing = [motor for motor in self.owing if not self._is_off(motor)]
                if count and len(self.owing) == len(self._motors) == before:
                    break  # no servo answers at all
        self.stiff = bool(self.owing)
        return self.owing

    def confirm_one(self, heard: Collection[int]) -> bool:
        """Have one servo in `owing` that answers confirm; whether there was one.

        Args:
            heard: ids of the servos that answer.

        Raises:
            PortError: the port has gone.
        """
        motor = next((motor for motor in self.owing if motor.id in heard), None)
        if motor is None:
            return False
        # A servo that does not confirm it is asked again after all others.
        left = [each for each in self.owing if each is not motor]
        self.owing = left if self._is_off(motor) else [*left, motor]
        self.stiff = bool(self.owing)
        return True

    def _is_off(self, motor: Motor) -> bool:
        return self._bus.write(motor.id, 'torque_enable', 0).failure is None
