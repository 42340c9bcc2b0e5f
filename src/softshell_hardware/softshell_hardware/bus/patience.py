"""Reads and writes that are repeated until they succeed, where there is time for that."""

from collections.abc import Sequence

from softshell_hardware.bus.bus import Answer, Failure, ServoBus

#: Tries until a read or write counts as failed.
TRIES = 10


def asked(bus: ServoBus, servo: int, registers: Sequence[str], tries: int = TRIES) -> Answer:
    """Read registers, at most so many times; the answer of the last try."""
    for _ in range(tries):
        answer = bus.read(servo, registers)
        if answer.failure is None:
            break
    return answer


def said(bus: ServoBus, servo: int, register: str, value: int, tries: int = TRIES) -> Answer:
    """Write a register until that is confirmed or refused, at most so many times."""
    for _ in range(tries):
        answer = bus.write(servo, register, value)
        if answer.failure in (None, Failure.REFUSED):
            break
    return answer
