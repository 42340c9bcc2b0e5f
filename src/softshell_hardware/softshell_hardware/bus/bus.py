"""The host's side of a servo bus: typed answers instead of return codes, over `dynamixel-sdk`.

One thread uses a bus. Nothing here raises because a servo is silent: that is an answer.
"""

import contextlib
import fcntl
import termios
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

import dynamixel_sdk as sdk

from softshell_hardware.bus.families import Family, Register
from softshell_hardware.bus.port import Port, open_hint
from softshell_hardware.bus.wire import most_together
from softshell_kinematics.errors import SoftshellError

#: Address and size of a read whose answer shows that no late answer of the servo is left to come:
#: an answer does not say which question it belongs to, and no other one has this size.
PROBE = 0, 5


class Failure(Enum):
    """Why there is no value."""

    SILENT = 'no answer'
    DAMAGED = 'a damaged answer'
    EMPTY = 'an answer without what was asked for'
    UNSENT = 'the question could not be sent'
    REFUSED = 'a refusal'


@dataclass(frozen=True)
class Answer:
    """What a servo answered.

    Attributes:
        values: by register; empty if there is a failure.
        error: what the servo says is wrong: bits of AX, number and alert of X.
        failure: why there are no values; None if there are.
    """

    values: Mapping[str, int]
    error: int = 0
    failure: Failure | None = None


class PortError(SoftshellError):
    """A port that cannot be used, or that has gone."""


class RateError(PortError):
    """A baud rate that a port does not support."""


class ServoBus:
    """A serial port with servos of one family; it is closed until `open`, or used in a `with`.

    Args:
        path: of the device.
        family: of all servos on it.
        baud: bits per second.
        latency: the adapter's latency timer [s].
        slack: what the host itself may take until it looks for an answer [s].

    Attributes:
        gone: why it could not be opened, or has gone since; empty: neither.
        on_gone: called when it has gone.
        interrupted: whether all questions and orders are refused, so that who has many ends soon.
    """

    def __init__(
        self,
        path: str,
        family: Family,
        baud: int = 1_000_000,
        latency: float = 0.001,
        slack: float = 0.004,
    ) -> None:
        self.path, self.family, self.baud, self.latency = path, family, baud, latency
        self.gone = ''
        self.on_gone: Callable[[], None] = lambda: None
        self.interrupted = False
        self._patience = 2.0 * latency + slack
        self._packets: Any = sdk.PacketHandler(float(family.protocol))
        self._port: Any = None
        # Ids of servos that may still send the answer to an earlier question or order.
        self._late: set[int] = set()

    @property
    def is_open(self) -> bool:
        """Whether the port is open."""
        return self._port is not None

    def open(self) -> Self:
        """Open the port, unless it is open.

        Raises:
            PortError: the device is not there, may not be opened, or another process has it.
        """
        if self._port is None:
            try:
                self._port = self._opened()
            except PortError as error:
                self.gone = str(error)
                raise
            self.gone = ''
        return self

    def _opened(self) -> Port:
        port, path = Port(self.path, self._patience), self.path
        try:
            if not port.setBaudRate(self.baud):
                raise RateError(f'port {path}: baud rate {self.baud} is not supported')
            # In a container the device is another file, which has locks of its own.
            fcntl.ioctl(port.ser.fileno(), termios.TIOCEXCL)
        except ValueError as error:  # of pyserial, for a rate that the adapter refuses
            raise RateError(f'port {path}: baud rate {self.baud}: {error}') from None
        except OSError as error:
            raise PortError(f'port {path}: {open_hint(error, path)}') from None
        except termios.error as error:  # is no OSError, although it too is about the port
            raise PortError(f'port {path}: {error.args[-1]}') from None
        return port

    @property
    def descriptor(self) -> int:
        """File descriptor of the port.

        Raises:
            PortError: it is not open.
        """
        return int(self._checked(lambda port: port.ser.fileno()))

    def close(self) -> None:
        """Close the port."""
        port, self._port = self._port, None
        if port is not None:
            with contextlib.suppress(OSError, TypeError, termios.error):  # of one that has gone
                port.empty()
            with contextlib.suppress(OSError):
                fcntl.flock(port.ser.fileno(), fcntl.LOCK_UN)  # a guardian may have it as well
                fcntl.ioctl(port.ser.fileno(), termios.TIOCNXCL)
            with contextlib.suppress(OSError):
                port.closePort()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, servo: int, registers: Sequence[str]) -> Answer:
        """The `registers` of one `servo`, by its id: one question over all between them."""
        first, span = self._span(registers)
        return self._after_late(servo, lambda: self._ask(servo, registers, first, span))

    def _after_late(self, servo: int, exchange: Callable[[], Answer]) -> Answer:
        """Carry out an exchange; with a servo that was silent at the last one, after `PROBE`."""
        if servo in self._late:
            answer = self._ask(servo, (), *PROBE)
            if answer.failure is not None:
                return answer
            self._late.clear()  # a line keeps the order of what was said on it
        answer = exchange()
        if answer.failure is Failure.SILENT:
            self._late.add(servo)
        return answer

    def _ask(self, servo: int, registers: Sequence[str], first: int, span: int) -> Answer:
        self._forget()
        sent = self._checked(self._packets.readTx, servo, first, span)
        if sent != sdk.COMM_SUCCESS:
            return Answer({}, failure=Failure.UNSENT)
        return self._answer(servo, registers, first, span)

    def read_all(self, servos: Sequence[int], registers: Sequence[str]) -> dict[int, Answer]:
        """The `registers` of `servos`, by id: one question if the family knows it, else one each.

        Of X, those after the first that is silent are silent as well: ask few together, such as
        those of a leg.
        """
        if not self.family.syncs:
            return {servo: self.read(servo, registers) for servo in servos}
        first, span = self._span(registers)
        self._forget()
        sent = self._checked(
            self._packets.syncReadTx, first, span, list(servos), len(servos), False
        )
        if sent != sdk.COMM_SUCCESS:
            return dict.fromkeys(servos, Answer({}, failure=Failure.UNSENT))
        answers = dict.fromkeys(servos, Answer({}, failure=Failure.SILENT))
        for servo in servos:
            # 11 bytes around the content of each answer that is still to come.
            self._port.setPacketTimeout((11 + span) * len(servos))
            answers[servo] = self._answer(servo, registers, first, span)
            if answers[servo].failure is Failure.SILENT:
                break
        return answers

    def write(self, servo: int, register: str, value: int) -> Answer:
        """Write a raw `value` into a `register` of one `servo`, which tells whether it took it."""
        return self._after_late(servo, lambda: self._tell(servo, register, value))

    def _tell(self, servo: int, register: str, value: int) -> Answer:
        entry = self.family.registers[register]
        self._forget()
        sent = self._checked(
            self._packets.writeTxOnly, servo, entry.address, entry.size, list(entry.encode(value))
        )
        return self._obeyed(servo, register, sent)

    def write_all(self, registers: Sequence[str], values: Mapping[int, Sequence[int]]) -> bool:
        """Write neighbouring registers of several servos, which nobody answers.

        All go into one packet, unless it would be too long.

        Args:
            registers: in the order of their addresses, without a gap.
            values: one for each register, by servo.

        Returns:
            Whether all was sent.
        """
        self._refuse_interrupted()
        entries = [self.family.registers[name] for name in registers]
        address, size = entries[0].address, sum(entry.size for entry in entries)
        rows = []
        for servo, row in values.items():
            content = (entry.encode(value) for entry, value in zip(entries, row, strict=True))
            rows.append(bytes([servo]) + b''.join(content))
        most = most_together(self.family.protocol, size)
        for begin in range(0, len(rows), most):
            part = list(b''.join(rows[begin : begin + most]))
            write = self._packets.syncWriteTxOnly
            if self._checked(write, address, size, part, len(part)) != sdk.COMM_SUCCESS:
                return False
        return True

    def reboot(self, servo: int) -> Answer:
        """Restart a servo, which loses its torque and its goal.

        Raises:
            SoftshellError: its family knows no such instruction.
        """
        if not self.family.reboots:
            raise SoftshellError(f'servos of family {self.family.name!r} do not reboot')
        # Id, length and instruction; the SDK fills in header and checksum.
        packet = [0] * 10
        packet[4], packet[5], packet[7] = servo, 3, sdk.INST_REBOOT
        self._forget()
        return self._obeyed(servo, '', self._checked(self._packets.txPacket, packet))

    def _obeyed(self, servo: int, register: str, sent: int) -> Answer:
        """The answer to an instruction, as a failure if it was not carried out."""
        if sent != sdk.COMM_SUCCESS:
            return Answer({}, failure=Failure.UNSENT)
        self._port.setPacketTimeout(11)
        answer = self._answer(servo, (), 0, 0)
        if answer.failure is None and self.family.misheard(answer.error):
            return Answer({}, answer.error, Failure.DAMAGED)
        if answer.failure is None and self.family.refuses(answer.error, register):
            return Answer({}, answer.error, Failure.REFUSED)
        return answer

    def _span(self, registers: Iterable[str]) -> tuple[int, int]:
        """The first address of registers, and the bytes to the end of the last."""
        entries = [self.family.registers[name] for name in registers]
        first = min(entry.address for entry in entries)
        return first, max(entry.end for entry in entries) - first

    def _forget(self) -> None:
        """Drop what has come too late: it would be taken for the answer to the next question."""
        self._refuse_interrupted()
        self._checked(lambda port: port.clearPort())

    def _answer(self, servo: int, registers: Iterable[str], first: int, span: int) -> Answer:
        """Wait for the answer of a servo with so many bytes; those of other servos are dropped.

        The SDK itself takes any answer of the servo, also one that is late and has other content.
        """
        while True:
            packet, result = self._checked(self._packets.rxPacket, *self._plain)
            self._port.note(result != sdk.COMM_RX_TIMEOUT)
            if result == sdk.COMM_RX_TIMEOUT:
                return Answer({}, failure=Failure.SILENT)
            if result != sdk.COMM_SUCCESS:
                return Answer({}, failure=Failure.DAMAGED)
            found, error, content = self._parts(packet)
            if found != servo:
                continue
            if len(content) == span:
                values = {name: self._value(name, first, content) for name in registers}
                return Answer(values, error)
            if not content:
                return Answer({}, error, Failure.EMPTY)

    @property
    def _plain(self) -> tuple[bool, ...]:
        """Further arguments of the SDK's `rxPacket`; in protocol 2: this is no fast read."""
        return () if self.family.protocol == 1 else (False,)

    def _parts(self, packet: Sequence[int]) -> tuple[int, int, bytes]:
        """Id, error and content of an answer, without what stuffing has left behind."""
        if self.family.protocol == 1:
            return packet[2], packet[4], bytes(packet[5 : 3 + packet[3]])
        length = packet[5] + 256 * packet[6]
        return packet[4], packet[8], bytes(packet[9 : 5 + length])

    def _value(self, name: str, first: int, content: bytes) -> int:
        entry: Register = self.family.registers[name]
        return entry.decode(content[entry.address - first : entry.end - first])

    def _refuse_interrupted(self) -> None:
        """Refuse to begin an exchange; one that has begun is brought to its end.

        Raises:
            PortError: all are refused.
        """
        if self.interrupted:
            why = 'interrupted by a stop, or by the end of the program'
            raise PortError(f'port {self.path}: {why}')

    def _checked(self, function: Any, *arguments: Any) -> Any:
        """Call the SDK with the port; one that has gone is one error, whatever it raises.

        Raises:
            PortError: the port has gone, or is not open.
        """
        if self._port is None:
            raise PortError(self.gone or f'port {self.path} is not open')
        try:
            return function(self._port, *arguments)
        except (OSError, TypeError, termios.error) as error:
            # pyserial lets all of these through, depending on what it was about to do.
            self.gone = f'port {self.path} has gone: {error}'
            with contextlib.suppress(OSError, termios.error):
                # Linux would wait up to 30 s for what is left when the port is closed.
                self._port.ser.reset_output_buffer()
            self.close()
            self.on_gone()
            raise PortError(self.gone) from None
