"""Questions and orders that must arrive, where nothing is in a hurry."""

from collections.abc import Sequence

from softshell_hardware.bus import Answer, Failure, ServoBus

#: How often one is said before it counts as not heard.
TRIES = 10


def asked(bus: ServoBus, servo: int, registers: Sequence[str], tries: int = TRIES) -> Answer:
    """Read registers until they are told, a few times at most."""
    for _ in range(tries):
        answer = bus.read(servo, registers)
        if answer.failure is None:
            break
    return answer


def said(bus: ServoBus, servo: int, register: str, value: int, tries: int = TRIES) -> Answer:
    """Write a register until it is confirmed, a few times at most."""
    for _ in range(tries):
        answer = bus.write(servo, register, value)
        if answer.failure in (None, Failure.REFUSED):
            break
    return answer
