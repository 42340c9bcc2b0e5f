"""Whether the servos of a bus have their torque, and that they give it up."""

import contextlib
from collections.abc import Collection, Sequence

from softshell_hardware.bus import PortError, ServoBus
from softshell_hardware.patience import TRIES
from softshell_hardware.wiring import Motor


class Torque:
    """The torque of the servos of one bus.

    Args:
        bus: which they are on.
        motors: them.

    Attributes:
        stiff: whether a servo may have its torque.
        owing: those that were to give way and have not confirmed it.
    """

    def __init__(self, bus: ServoBus, motors: Sequence[Motor]) -> None:
        self._bus, self._motors = bus, motors
        self.stiff = False
        self.owing: list[Motor] = []

    def begin(self) -> None:
        """Note that all are about to get it."""
        self.stiff, self.owing = True, []

    def look(self) -> None:
        """Find servos that hold because another program has left them so.

        Raises:
            PortError: the port has gone.
        """
        self.stiff = self.stiff or any(map(self.has, self._motors))

    def has(self, motor: Motor) -> bool:
        """Whether a servo says that it has its torque.

        Raises:
            PortError: the port has gone.
        """
        return bool(self._bus.read(motor.id, ['torque_enable']).values.get('torque_enable'))

    def give_way(self) -> None:
        """Tell all servos to give way, as far as the port is there; `confirm` asks them."""
        self.owing = list(self._motors) if self._bus.is_open or self.stiff else []
        with contextlib.suppress(PortError):
            self.tell()

    def tell(self) -> None:
        """Tell those that owe it to give way; nobody answers that.

        Raises:
            PortError: the port has gone.
        """
        if self.owing:
            self._bus.write_all(['torque_enable', 'led'], {each.id: (0, 0) for each in self.owing})

    def confirm(self) -> list[Motor]:
        """Have it confirmed that servos gave way; those that did not."""
        with contextlib.suppress(PortError):
            for count in range(TRIES if self.owing else 0):
                before = len(self.owing)
                self.owing = [motor for motor in self.owing if not self._is_off(motor)]
                if count and len(self.owing) == len(self._motors) == before:
                    break  # nobody is there at all
        self.stiff = bool(self.owing)
        return self.owing

    def confirm_one(self, heard: Collection[int]) -> bool:
        """Have it confirmed by one that owes it and answers; whether there was one.

        Args:
            heard: ids of those that answer.

        Raises:
            PortError: the port has gone.
        """
        motor = next((motor for motor in self.owing if motor.id in heard), None)
        if motor is None:
            return False
        # Whoever does not confirm it is asked again after all others.
        left = [each for each in self.owing if each is not motor]
        self.owing = left if self._is_off(motor) else [*left, motor]
        self.stiff = bool(self.owing)
        return True

    def _is_off(self, motor: Motor) -> bool:
        return self._bus.write(motor.id, 'torque_enable', 0).failure is None
