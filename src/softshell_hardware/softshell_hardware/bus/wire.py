"""The bytes on a servo bus, as a servo reads and answers them: Dynamixel protocols 1.0 and 2.0.

Protocol 1.0: FF FF, id, length, instruction, parameters, checksum, the inverted sum of all after
the header. Protocol 2.0: FF FF FD 00, id, length of two bytes, instruction, parameters, in which
FF FF FD is followed by another FD, and CRC-16 (polynomial 8005) over everything. An answer has
the same form, with the error instead of the instruction, or behind the instruction 55.

Source: ROBOTIS e-Manual, "Protocol 1.0" and "Protocol 2.0"; RX-64 user's manual, section 3-5-7.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

#: Bits on the wire for each byte: start, eight, stop.
BITS = 10
BROADCAST = 0xFE
#: Longest packet that a servo takes, by protocol [bytes]; in 1.0 its receive buffer holds no more.
LONGEST = {1: 143, 2: 1024}
#: Longest packet that is sent to several servos, by protocol [bytes]: in 2.0 that of eight goals,
#: since a damaged packet is lost as a whole.
LONGEST_SYNC = {1: LONGEST[1], 2: 86}
#: Bytes of such a packet beside those for each servo, by protocol.
AROUND_SYNC = {1: 8, 2: 14}
HEADER = b'\xff\xff'
HEADER_2 = b'\xff\xff\xfd\x00'
STATUS_2 = 0x55


class Instruction(IntEnum):
    """What a servo can be asked, in both protocols or in 2.0."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    REBOOT = 0x08
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    BULK_READ = 0x92
    BULK_WRITE = 0x93


@dataclass(frozen=True)
class Packet:
    """An instruction as it arrived.

    Attributes:
        protocol: 1 or 2.
        id: of the servo that it is for, or BROADCAST.
        instruction: its code; one that is not of `Instruction` is possible.
        parameters: without stuffing.
        intact: whether the checksum is right; if not, nothing else is certain.
    """

    protocol: int
    id: int
    instruction: int
    parameters: bytes
    intact: bool = True


class Decoder:
    """Finds packets in a stream of bytes; what is between them is dropped."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Take further bytes; yields the packets that they complete."""
        self._buffer += data
        while (size := self._first()) is not None:
            packet = bytes(self._buffer[:size])
            found = _packet_2(packet) if packet.startswith(HEADER_2) else _packet_1(packet)
            # A damaged one may have swallowed the beginning of the next.
            del self._buffer[: size if found.intact else len(HEADER)]
            yield found

    def gap(self) -> None:
        """A silence on the line: a packet that is not whole by now will never be."""
        self._buffer.clear()

    def _first(self) -> int | None:
        """Bring a packet to the front of the buffer; its size, None if more bytes are needed."""
        buffer = self._buffer
        while True:
            start = buffer.find(HEADER)
            if start < 0:
                # The last byte may be the first of a header.
                del buffer[: -1 if buffer.endswith(b'\xff') else len(buffer)]
                return None
            del buffer[:start]
            if buffer.startswith(b'\xff\xff\xff'):
                del buffer[:1]
                continue
            second = buffer.startswith(HEADER_2[: len(buffer)]) and len(buffer) > len(HEADER)
            if len(buffer) < (7 if second else 4):
                return None
            length = buffer[5] + 256 * buffer[6] if second else buffer[3]
            size = length + (7 if second else 4)
            if length >= (3 if second else 2) and size <= LONGEST[2 if second else 1]:
                return size if len(buffer) >= size else None
            del buffer[: len(HEADER)]


def status(protocol: int, servo: int, error: int, parameters: bytes = b'') -> bytes:
    """An answer.

    Args:
        protocol: 1 or 2.
        servo: the id of who answers.
        error: bits of protocol 1.0; number, and alert in bit 7, of protocol 2.0.
        parameters: what is answered.
    """
    if protocol == 1:
        return instruction(1, servo, error, parameters)
    return instruction(2, servo, STATUS_2, bytes([error, *parameters]))


def instruction(protocol: int, servo: int, code: int, parameters: bytes = b'') -> bytes:
    """A question.

    Args:
        protocol: 1 or 2.
        servo: the id of whom it is for, or BROADCAST.
        code: of the instruction.
        parameters: without stuffing.
    """
    if protocol == 1:
        body = bytes([servo, len(parameters) + 2, code, *parameters])
        return HEADER + body + bytes([checksum(body)])
    content = stuffed(bytes([code, *parameters]))
    packet = HEADER_2 + bytes([servo]) + (len(content) + 2).to_bytes(2, 'little') + content
    return packet + crc(packet).to_bytes(2, 'little')


def most_together(protocol: int, size: int) -> int:
    """To how many servos one packet can write, if each gets so many bytes."""
    return (LONGEST_SYNC[protocol] - AROUND_SYNC[protocol]) // (1 + size)


def checksum(body: bytes) -> int:
    """Checksum of protocol 1.0 over everything between header and checksum."""
    return ~sum(body) & 0xFF


def crc(data: bytes) -> int:
    """CRC-16 of protocol 2.0: polynomial 8005, from 0, highest bit first."""
    result = 0
    for byte in data:
        result = (result << 8 & 0xFFFF) ^ _CRC[(result >> 8) ^ byte]
    return result


def stuffed(content: bytes) -> bytes:
    """Contents of a packet of protocol 2.0 as they go over the wire."""
    return content.replace(HEADER_2[:3], HEADER_2[:3] + b'\xfd')


def unstuffed(content: bytes) -> bytes:
    """Contents of a packet of protocol 2.0 as they were meant."""
    return content.replace(HEADER_2[:3] + b'\xfd', HEADER_2[:3])


def _packet_1(packet: bytes) -> Packet:
    body = packet[2:-1]
    return Packet(1, packet[2], packet[4], packet[5:-1], checksum(body) == packet[-1])


def _packet_2(packet: bytes) -> Packet:
    intact = crc(packet[:-2]) == int.from_bytes(packet[-2:], 'little')
    content = unstuffed(packet[7:-2])
    return Packet(2, packet[4], content[0], content[1:], intact)


def _crc_of(byte: int) -> int:
    result = byte << 8
    for _ in range(8):
        result = (result << 1) ^ (0x8005 if result & 0x8000 else 0)
    return result & 0xFFFF


_CRC = tuple(_crc_of(byte) for byte in range(256))
