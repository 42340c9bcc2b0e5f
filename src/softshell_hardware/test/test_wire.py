"""The bytes of both protocols: examples of their maker, and whatever else comes along a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_hardware.bus.families import AX, X
from softshell_hardware.bus.wire import Decoder, Packet, checksum, crc, status, stuffed, unstuffed
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.servo import Servo

#: The examples of the protocols' pages: pings, reads and writes, as printed there.
PING_1 = bytes.fromhex('FF FF 01 02 01 FB')
READ_1 = bytes.fromhex('FF FF 01 04 02 2B 01 CC')
PING_2 = bytes.fromhex('FF FF FD 00 01 03 00 01 19 4E')
READ_2 = bytes.fromhex('FF FF FD 00 01 07 00 02 84 00 04 00 1D 15')
WRITE_2 = bytes.fromhex('FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89')
ANSWER_2 = bytes.fromhex('FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0')


@pytest.mark.parametrize(
    ('data', 'packet'),
    [
        (PING_1, Packet(1, 1, 1, b'')),
        (READ_1, Packet(1, 1, 2, b'\x2b\x01')),
        (PING_2, Packet(2, 1, 1, b'')),
        (READ_2, Packet(2, 1, 2, b'\x84\x00\x04\x00')),
        (WRITE_2, Packet(2, 1, 3, b'\x74\x00\x00\x02\x00\x00')),
    ],
)
def test_the_examples_of_the_manual_are_understood(data, packet):
    """Whole, and byte by byte."""
    assert list(Decoder().feed(data)) == [packet]
    decoder = Decoder()
    assert [found for byte in data for found in decoder.feed(bytes([byte]))] == [packet]


def test_an_answer_is_as_in_the_manual():
    """The answer to a read of a present position of 166."""
    assert status(2, 1, 0, (166).to_bytes(4, 'little')) == ANSWER_2


@given(st.binary(max_size=40))
def test_what_is_stuffed_has_no_header_and_comes_back(content):
    """Nothing in a packet of protocol 2.0 looks like the beginning of another."""
    assert b'\xff\xff\xfd\x00' not in stuffed(content)
    assert unstuffed(stuffed(content)) == content


def packet_1(servo, instruction, parameters):
    body = bytes([servo, len(parameters) + 2, instruction, *parameters])
    return b'\xff\xff' + body + bytes([checksum(body)])


def packet_2(servo, instruction, parameters):
    content = stuffed(bytes([instruction, *parameters]))
    packet = b'\xff\xff\xfd\x00' + bytes([servo])
    packet += (len(content) + 2).to_bytes(2, 'little') + content
    return packet + crc(packet).to_bytes(2, 'little')


@given(
    st.lists(
        st.tuples(
            st.sampled_from([1, 2]), st.integers(0, 252), st.integers(1, 200),
            st.binary(max_size=30), st.binary(max_size=5).filter(lambda noise: 0xFF not in noise),
        ),
        max_size=5,
    ),
    st.integers(1, 50),
)  # fmt: skip
def test_packets_are_found_between_noise_however_they_are_cut(rows, size):
    """Both protocols on one line, in pieces of any size."""
    line, expected = b'', []
    for protocol, servo, instruction, parameters, noise in rows:
        make = packet_1 if protocol == 1 else packet_2
        line += noise + make(servo, instruction, parameters)
        expected.append(Packet(protocol, servo, instruction, parameters))
    decoder = Decoder()
    found = [each for i in range(0, len(line), size) for each in decoder.feed(line[i : i + size])]
    assert found == expected


@given(st.binary(max_size=300), st.sampled_from([AX, X]))
def test_nothing_on_the_line_is_too_much_for_the_servos(noise, family):
    """Whatever comes, nobody fails, and an intact question afterwards is answered.

    What noise began may have to be filled up first: a header in it promises up to 1024 bytes.
    """
    bus = EmulatedBus([Servo(family, 3)])
    bus.exchange(noise)
    bus.exchange(bytes(2200))
    ask = packet_1(3, 1, b'') if family is AX else packet_2(3, 1, b'')
    assert bus.exchange(ask).startswith(b'\xff\xff')


@given(
    st.sampled_from([AX, X]),
    st.sampled_from([1, 2, 3, 4, 5, 6, 8, 0x10, 0x82, 0x83, 0x92, 0x93, 0x77]),
    st.sampled_from([3, 0xFE]),
    st.binary(max_size=20),
)
def test_registers_stay_within_their_ranges_whatever_is_written(family, instruction, to, content):
    """Any instruction with any parameters: no exception, and no value that is not allowed."""
    servo = Servo(family, 3)
    bus = EmulatedBus([servo])
    bus.exchange((packet_1 if family is AX else packet_2)(to, instruction, content))
    bus.step(0.01)
    for name, register in family.registers.items():
        if register.access.value != 'read':
            assert register.lowest <= servo.get(name) <= register.highest


@pytest.mark.parametrize(('count', 'taken'), [(27, True), (28, False)])
def test_an_ax_drops_a_packet_of_more_than_143_bytes(count, taken):
    """As its manual says: 8 bytes, and 5 for the goal and speed of each of 27 servos."""
    servos = [Servo(AX, servo) for servo in range(count)]
    rows = b''.join(bytes([servo, 10, 0, 20, 0]) for servo in range(count))
    packet = packet_1(0xFE, 0x83, bytes([30, 4]) + rows)
    assert (len(packet) <= 143) is taken
    EmulatedBus(servos).exchange(packet)
    assert {servo.get('goal_position') == 10 for servo in servos} == {taken}
