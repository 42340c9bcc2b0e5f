"""The bus that emulated servos answer on, and the time that its bytes would take."""

from collections.abc import Iterable

from softshell_hardware.bus.wire import BITS, Decoder, Instruction, status
from softshell_hardware.emulator.answers import answers_to
from softshell_hardware.emulator.faults import LineFaults
from softshell_hardware.emulator.servo import Servo
from softshell_kinematics.errors import SoftshellError

#: How far the baud rates of both sides may differ, as a part of the rate.
TOLERANCE = 0.03


class EmulatedBus:
    """Servos on one line: bytes in, bytes out, and the time that they would take.

    Time is the bus's own: it is counted, not waited for.

    Args:
        servos: on the line, each with an id of its own in its protocol.
        baud: bits per second, to which all servos are set at the beginning.
        latency: how long the adapter keeps an answer back [s]: its latency timer.

    Raises:
        SoftshellError: there is no servo, two have one id, or baud or latency is out of range.

    Attributes:
        servos: as given.
        baud, latency: as given.
        busy: time that all bytes so far have taken, with delays and the adapter's latency [s].
        packets: intact instructions so far.
        goals: how many of them wrote to several servos at once.
        damaged: instructions so far whose checksum was wrong.
        faults: what is wrong with the line.
    """

    def __init__(
        self, servos: Iterable[Servo], baud: int = 1_000_000, latency: float = 0.001
    ) -> None:
        self.servos = tuple(servos)
        if not self.servos:
            raise SoftshellError('a bus without servos; expected one or more')
        places = [(servo.family.protocol, servo.id) for servo in self.servos]
        for protocol, each in places:
            if places.count((protocol, each)) > 1:
                raise SoftshellError(f'servo id {each} occurs twice in protocol {protocol}')
        if not baud > 0 or not latency >= 0.0:
            raise SoftshellError(
                f'baud rate {baud}, latency {latency} s; expected more than 0, and 0 or more'
            )
        for servo in self.servos:
            codes = [code for code, rate in servo.family.bauds.items() if rate == baud]
            if codes:
                servo.set('baud_rate', codes[0])
        self.baud, self.latency = baud, latency
        self.busy = 0.0
        self.packets = self.goals = self.damaged = 0
        self.faults = LineFaults()
        self._decoder = Decoder()

    def exchange(self, data: bytes, baud: int | None = None) -> bytes:
        """Take bytes of the host; returns what the servos answer, in the order of the line.

        Args:
            data: the bytes.
            baud: at which they come, and which servos at another rate do not hear; None: that of
                the line.
        """
        self.busy += self._on_wire(data)
        result = bytearray()
        for packet in self._decoder.feed(self.faults.damaged(data)):
            self.packets += packet.intact
            self.goals += packet.intact and packet.instruction == Instruction.SYNC_WRITE
            self.damaged += not packet.intact
            answers = answers_to(packet, self._of(packet.protocol, baud or self.baud))
            for servo, answer in answers:
                delay = servo.get('return_delay') * servo.family.delay_unit
                self.busy += delay + self._on_wire(answer)
                if servo.faults.twin:
                    answer = collided(answer)
                result += foreign(answer) if self.faults.foreign else answer
            self.busy += self.latency + self.faults.late if answers else 0.0
        return b'' if self.faults.silent else self.faults.damaged(bytes(result))

    def gap(self) -> None:
        """A silence on the line, after which servos wait for a new header."""
        self._decoder.gap()

    def step(self, seconds: float) -> None:
        """Let time pass for all servos."""
        for servo in self.servos:
            servo.step(seconds)

    def _of(self, protocol: int, baud: int) -> dict[int, Servo]:
        """The servos of a protocol that hear a baud rate, by the id that each has now."""
        return {
            servo.id: servo
            for servo in self.servos
            if servo.family.protocol == protocol
            and not servo.faults.dead
            and abs(servo.baud - baud) <= TOLERANCE * baud
        }

    def _on_wire(self, data: bytes) -> float:
        return len(data) * BITS / self.baud


def collided(answer: bytes) -> bytes:
    """An answer and another servo's at the same time: the line is low where one of them is.

    The other one's content is the same but for the lowest bit of each byte.
    """
    error, content, servo, protocol = _parts(answer)
    other = status(protocol, servo, error, bytes(byte ^ 1 for byte in content))
    return bytes(one & two for one, two in zip(answer, other, strict=False))


def foreign(answer: bytes) -> bytes:
    """The same answer from a servo of the next id."""
    error, content, servo, protocol = _parts(answer)
    return status(protocol, (servo + 1) % 253, error, content)


def _parts(answer: bytes) -> tuple[int, bytes, int, int]:
    """Error, content, id and protocol of an answer."""
    (packet,) = Decoder().feed(answer)
    error, content = packet.instruction, packet.parameters
    if packet.protocol == 2:
        error, content = content[0], content[1:]
    return error, content, packet.id, packet.protocol
