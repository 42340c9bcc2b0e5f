"""How servos follow an instruction, and what they answer."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from softshell_hardware.bus.wire import BROADCAST, Instruction, Packet, status
from softshell_hardware.emulator.refusal import Refusal
from softshell_hardware.emulator.servo import Servo

#: Answers of a servo, in the order in which they come.
Answers = list[tuple[Servo, bytes]]

#: Error of an answer: bits of protocol 1.0, numbers of protocol 2.0.
ERRORS: tuple[dict[Refusal, int], ...] = (
    {},
    {
        Refusal.RANGE: 0x08,
        Refusal.LENGTH: 0x08,
        Refusal.ACCESS: 0x08,
        Refusal.INSTRUCTION: 0x40,
    },
    {
        Refusal.RANGE: 0x04,
        Refusal.LENGTH: 0x05,
        Refusal.ACCESS: 0x07,
        Refusal.INSTRUCTION: 0x02,
    },
)
CHECKSUM_ERROR = (0, 0x10, 0x03)
ALERT = 0x80
#: Status return levels: besides pings, reads are answered, or all instructions.
READS, ALL = 1, 2


def answers_to(packet: Packet, servos: Mapping[int, Servo]) -> Answers:
    """Let servos follow an instruction; returns their answers.

    Args:
        packet: the instruction.
        servos: those of its protocol, by id.
    """
    if not packet.intact:
        servo = servos.get(packet.id)
        if servo is None or servo.get('status_return') < ALL:
            return []
        return [(servo, _status(servo, CHECKSUM_ERROR[packet.protocol]))]
    if packet.id == BROADCAST:
        return _broadcast(packet, servos)
    servo = servos.get(packet.id)
    if servo is None:
        return []
    # A servo answers with the id that it had when it was asked.
    identity = servo.id
    result, content = _single(servo, packet)
    level = servo.get('status_return')
    asked = packet.instruction
    if asked != Instruction.PING and level < (READS if asked == Instruction.READ else ALL):
        return []
    error = ERRORS[packet.protocol][result] if result else 0
    return [(servo, _status(servo, error, content, identity))]


def _status(servo: Servo, error: int, content: bytes = b'', servo_id: int | None = None) -> bytes:
    """The bytes of an answer; its error also tells what is wrong with the servo itself."""
    if servo.family.protocol == 1:
        error |= int(servo.trouble)
    elif servo.trouble:
        error |= ALERT
    return status(
        servo.family.protocol, servo.id if servo_id is None else servo_id, error, content
    )


def _single(servo: Servo, packet: Packet) -> tuple[Refusal | None, bytes]:
    """Follow an instruction for one servo; returns why it is refused, and the content."""
    wide = 2 if packet.protocol == 2 else 1
    data = packet.parameters
    match packet.instruction:
        case Instruction.PING:
            model = servo.get('model_number').to_bytes(2, 'little')
            return None, model + bytes([servo.get('firmware')]) if wide == 2 else b''
        case Instruction.READ if len(data) == 2 * wide:
            address, size = _numbers(data, wide)
            found = servo.read(address, size)
            return (found, b'') if isinstance(found, Refusal) else (None, found)
        case Instruction.WRITE if len(data) > wide:
            return servo.write(_number(data, wide), data[wide:]), b''
        case Instruction.REG_WRITE if len(data) > wide:
            return servo.register_write(_number(data, wide), data[wide:]), b''
        case Instruction.ACTION:
            servo.action()
            return None, b''
        case Instruction.REBOOT if servo.family.reboots:
            servo.reboot()
            return None, b''
        case Instruction.READ | Instruction.WRITE | Instruction.REG_WRITE:
            return Refusal.LENGTH, b''
    return Refusal.INSTRUCTION, b''


def _broadcast(packet: Packet, servos: Mapping[int, Servo]) -> Answers:
    """Follow an instruction for several servos; few kinds of them are answered."""
    data = packet.parameters
    match packet.instruction:
        case Instruction.PING if packet.protocol == 2:
            return [
                (servos[each], _status(servos[each], 0, _single(servos[each], packet)[1]))
                for each in sorted(servos)
            ]
        case Instruction.SYNC_WRITE:
            for servo, address, part in _writes(packet, servos):
                servo.write(address, part)
        case Instruction.SYNC_READ if packet.protocol == 2 and len(data) > 4:
            address, size = _numbers(data[:4], 2)
            return [
                (servos[each], _read(servos[each], address, size))
                for each in _until_one_is_missing(data[4:], servos)
            ]
        case Instruction.BULK_READ if packet.protocol == 2:
            parts = [data[i : i + 5] for i in range(0, len(data) - 4, 5)]
            there = len(list(_until_one_is_missing([part[0] for part in parts], servos)))
            return [
                (servos[part[0]], _read(servos[part[0]], *_numbers(part[1:], 2)))
                for part in parts[:there]
            ]
        case Instruction.BULK_WRITE if packet.protocol == 2:
            while len(data) > 5:
                address, size = _numbers(data[1:5], 2)
                if data[0] in servos:
                    servos[data[0]].write(address, data[5 : 5 + size])
                data = data[5 + size :]
        case Instruction.WRITE | Instruction.REG_WRITE | Instruction.ACTION | Instruction.REBOOT:
            for servo in servos.values():
                _single(servo, packet)
    return []


def _until_one_is_missing(asked: Iterable[int], servos: Mapping[int, Servo]) -> Iterator[int]:
    """The ids that answer: each waits for the answer of the one before it."""
    return takewhile(
        lambda each: each in servos and servos[each].get('status_return') >= READS, asked
    )


def _writes(packet: Packet, servos: Mapping[int, Servo]) -> Iterator[tuple[Servo, int, bytes]]:
    """What a sync write has for each servo on the line: address and bytes."""
    wide = 2 if packet.protocol == 2 else 1
    data = packet.parameters
    if len(data) < 2 * wide:
        return
    address, size = _numbers(data[: 2 * wide], wide)
    rows = data[2 * wide :]
    for i in range(0, len(rows) - size, size + 1):
        if rows[i] in servos:
            yield servos[rows[i]], address, rows[i + 1 : i + 1 + size]


def _read(servo: Servo, address: int, size: int) -> bytes:
    """The answer to a read of several servos."""
    found = servo.read(address, size)
    if isinstance(found, Refusal):
        return _status(servo, ERRORS[servo.family.protocol][found])
    return _status(servo, 0, found)


def _number(data: bytes, wide: int) -> int:
    return int.from_bytes(data[:wide], 'little')


def _numbers(data: bytes, wide: int) -> tuple[int, int]:
    return _number(data, wide), _number(data[wide:], wide)
