"""The host's side of the bus: values or a reason, never a guess."""

import fcntl
import os
import pty
import select
import struct
import termios
import threading
import time
import tty

import dynamixel_sdk as sdk
import pytest
from servo_line import FAMILIES

from softshell_hardware.bus.bus import Answer, Failure, PortError, ServoBus
from softshell_hardware.bus.families import AX, X
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.bus.wire import status
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.faults import inject
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.servo import Servo
from softshell_kinematics.errors import SoftshellError

MOTION = {
    AX.name: ('present_position', 'present_speed', 'present_load'),
    X.name: ('present_current', 'present_velocity', 'present_position'),
}
#: Asks a terminal whether it is exclusive. Source: Linux, asm-generic/ioctls.h.
TIOCGEXCL = 0x80045440
#: Long enough for any machine [s]; where silence is expected, short.
PATIENT, BRIEF = 10.0, 0.05


@pytest.fixture
def bus(line):
    """Makes a bus of three emulated servos, as (host, line)."""
    made = []

    def make(family, slack=PATIENT):
        emulated = line(family)
        emulated.port.closePort()
        made.append(ServoBus(emulated.emulated.path, family, slack=slack).open())
        return made[-1], emulated

    yield make
    for each in made:
        each.close()


def is_exclusive(descriptor):
    """Whether a terminal refuses to be opened again, other than by root."""
    return bool(struct.unpack('i', fcntl.ioctl(descriptor, TIOCGEXCL, bytes(4)))[0])


def model_of(host, servo):
    """The model number of a servo; None if it does not answer."""
    return host.read(servo, ['model_number']).values.get('model_number')


@FAMILIES
def test_models_are_read(bus, family):
    """The model, and nothing for an id that nobody has."""
    host, _ = bus(family)
    assert model_of(host, 2) == next(iter(family.models))
    host._port.patience = BRIEF
    assert model_of(host, 9) is None


@FAMILIES
def test_values_of_all_servos_are_read_at_once(bus, family):
    """Signed where they are, each servo's own."""
    host, line = bus(family)
    line.servos[7].shaft.angle = -0.3
    line.bus.step(0.0)
    found = host.read_all([1, 2, 7], MOTION[family.name])
    assert [answer.failure for answer in found.values()] == [None] * 3
    places = [answer.values['present_position'] for answer in found.values()]
    assert places == [family.centre, family.centre, family.centre - round(0.3 / family.tick)]


@FAMILIES
def test_goals_of_all_servos_go_out_together(bus, family):
    """Nobody answers; what a servo does not take, it says when it is asked alone."""
    host, line = bus(family)
    assert host.write_all(['goal_position'], {1: [10], 7: [20]})
    assert host.read(7, ['goal_position']).values == {'goal_position': 20}
    assert line.servos[1].get('goal_position') == 10
    assert host.write(2, 'goal_position', 30) == Answer({})
    assert host.write(2, 'present_position', 30).error != 0


@pytest.mark.parametrize(('family', 'packets'), [(AX, [27, 27, 6]), (X, [8] * 7 + [4])])
def test_any_number_of_servos_get_their_goals(family, packets, monkeypatch):
    """In packets that AX have room for, 143 bytes: 8, and 5 for each goal; of X 14, and 9."""
    servos, sizes = {servo: Servo(family, servo) for servo in range(60)}, []
    around, each = {AX.name: (8, 5), X.name: (14, 9)}[family.name]
    with EmulatedPort(EmulatedBus(servos.values())) as port:
        host = ServoBus(port.path, family, slack=PATIENT).open()
        write = host._port.writePort
        monkeypatch.setattr(host._port, 'writePort', lambda p: sizes.append(len(p)) or write(p))
        assert host.write_all(family.goal, {servo: (servo, servo) for servo in servos})
        assert sizes == [around + each * count for count in packets]
        assert host.read(59, ['goal_position']).values == {'goal_position': 59}
        host.close()
    assert [servo.get('goal_position') for servo in servos.values()] == [*range(60)]


@FAMILIES
def test_nobody_waits_until_the_adapter_has_sent_all(bus, family, monkeypatch):
    """As the SDK before 4.0.5 does before each packet: on an adapter that hangs, for ever."""
    host, _ = bus(family)
    monkeypatch.setattr(sdk.PortHandler, 'clearPort', lambda port: port.ser.flush())
    monkeypatch.setattr(termios, 'tcdrain', lambda descriptor: pytest.fail('waits for ever'))
    assert host.write_all(['goal_position'], {1: [10], 7: [20]})
    assert host.read(7, ['goal_position']).values == {'goal_position': 20}
    assert host.write(2, 'goal_position', 30) == Answer({})


@FAMILIES
@pytest.mark.parametrize('waiting', [[0], [3, 1, 0]])
def test_it_is_closed_as_soon_as_all_has_left(bus, family, waiting, monkeypatch):
    """And not after the time in which that may hang. A pseudo-terminal itself queues nothing."""
    host, _ = bus(family, slack=1e6)
    assert host.write_all(['goal_position'], {1: [10], 7: [20]})
    serial, left = type(host._port.ser), [*waiting]
    monkeypatch.setattr(serial, 'out_waiting', property(lambda _: left.pop(0)))
    monkeypatch.setattr(serial, 'reset_output_buffer', lambda _: pytest.fail('dropped'))
    host.close()
    assert not left


@FAMILIES
def test_what_an_adapter_that_hangs_has_not_sent_is_dropped(bus, family, monkeypatch):
    """Closing would wait for it. Here a byte never leaves, until the buffer is emptied."""
    host, _ = bus(family, slack=BRIEF)
    dropped = []
    serial = type(host._port.ser)
    monkeypatch.setattr(serial, 'out_waiting', property(lambda _: 0 if dropped else 1))
    monkeypatch.setattr(serial, 'reset_output_buffer', lambda _: dropped.append(True))
    host.close()
    assert dropped == [True]


def test_of_x_whoever_comes_after_a_silent_one_is_silent(bus):
    """And of AX only the one: each is asked by itself."""
    for family, silent in ((X, [2, 7]), (AX, [2])):
        host, line = bus(family, slack=40.0 * BRIEF)  # the others do answer
        inject(line.servos[2].faults, 'dead', True)
        found = host.read_all([1, 2, 7], MOTION[family.name])
        assert found[1].failure is None
        assert [servo for servo in found if found[servo].failure is Failure.SILENT] == silent
        inject(line.servos[2].faults, 'dead', False)
        assert asked(host, 2, ['present_position'], 1000).failure is None


@FAMILIES
def test_what_is_damaged_is_a_reason_and_no_value(bus, family):
    """Whatever arrives, an answer has either values that are true or a failure."""
    host, line = bus(family, slack=BRIEF)
    inject(line.bus.faults, 'damage', 0.1)
    answers = [host.read(1, MOTION[family.name]) for _ in range(40)]
    good = [answer for answer in answers if answer.failure is None]
    assert all(answer.values['present_position'] == family.centre for answer in good)
    assert {answer.failure for answer in answers} & {Failure.SILENT, Failure.DAMAGED}
    inject(line.bus.faults, 'damage', 0.0)
    host._port.patience = PATIENT
    # After a silence it does not wait for long, and the machine may be busy.
    asked(host, 1, ['present_position'], 1000)
    assert host.read(1, MOTION[family.name]).failure is None


@FAMILIES
def test_a_late_answer_is_not_taken_for_that_to_the_next_question(bus, family, monkeypatch):
    """It has the size of what is asked next, and another meaning."""
    host, line = bus(family, slack=0.0)
    line.servos[2].set('goal_position', 700)
    exchange, left = line.bus.exchange, [3]

    def late(data, baud=None):
        answer = exchange(data, baud)
        if left[0] and answer:
            left[0] -= 1
            time.sleep(0.1)
        return answer

    monkeypatch.setattr(line.bus, 'exchange', late)
    answer = host.read(2, ['present_position'])
    assert answer.failure is Failure.SILENT
    answers = [asked(host, 2, ['goal_position'], 1000) for _ in range(5)]
    assert [answer.values for answer in answers] == [{'goal_position': 700}] * 5
    assert left == [0]


@FAMILIES
def test_a_late_acknowledgement_is_not_taken_for_that_of_the_next_order(bus, family, monkeypatch):
    """The next order itself is lost: it counts as obeyed only once it was."""
    host, line = bus(family, slack=0.0)
    exchange, heard = line.bus.exchange, []
    place = {AX.name: 5, X.name: 8}[family.name]

    def late(data, baud=None):
        is_led = data[place] == family.registers['led'].address
        heard.append(is_led)
        if is_led and heard.count(True) == 1:
            return b''
        answer = exchange(data, baud)
        if len(heard) == 1:
            time.sleep(0.1)
        return answer

    monkeypatch.setattr(line.bus, 'exchange', late)
    assert host.write(2, 'goal_position', 700).failure is Failure.SILENT
    host._port.patience = 0.3
    answer = said(host, 2, 'led', 1, 1000)
    assert answer == Answer({})
    assert line.servos[2].get('led') == 1
    assert line.servos[2].get('goal_position') == 700
    assert heard.count(True) > 1


def test_a_servo_is_restarted_if_its_family_can_be(bus):
    """X can; of AX one is told so."""
    host, line = bus(X)
    line.servos[1].set('torque_enable', 1)
    assert host.reboot(1) == Answer({})
    assert not line.servos[1].torque
    with pytest.raises(SoftshellError, match="family 'ax' do not reboot"):
        bus(AX)[0].reboot(1)


def test_a_port_that_cannot_be_opened_says_why(bus, tmp_path):
    """Not there; in use; no serial port at all; a baud rate that is none."""
    with pytest.raises(PortError, match='no such device; is the adapter plugged in'):
        ServoBus(str(tmp_path / 'ttyUSB0'), X).open()
    host, _ = bus(X)
    settings = termios.tcgetattr(host.descriptor)  # all who have the port share them
    with pytest.raises(PortError, match='another process uses it'):
        ServoBus(host.path, X, baud=57600).open()
    assert termios.tcgetattr(host.descriptor) == settings
    assert is_exclusive(host.descriptor)
    with pytest.raises(PortError, match='baud rate 12345 is not supported'):
        ServoBus(host.path, X, baud=12345).open()
    plain = tmp_path / 'file'
    plain.touch()
    with pytest.raises(PortError, match=f'port {plain}: '):
        ServoBus(str(plain), X).open()


def test_an_emulated_port_is_free_again_when_its_host_has_died(bus):
    """Its other end keeps the terminal open, and with it what the host has left behind."""
    host, _ = bus(X)
    assert model_of(host, 1) is not None
    end = time.monotonic() + PATIENT
    while is_exclusive(host.descriptor):
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.skipif(os.getuid() == 0, reason='root may open everything')
def test_a_port_without_permission_says_what_to_do(tmp_path):
    """The group of serial ports."""
    path = tmp_path / 'port'
    path.touch(mode=0)
    with pytest.raises(PortError, match='usermod -aG dialout'):
        ServoBus(str(path), X).open()


@FAMILIES
def test_a_port_that_goes_is_one_error(line, family):
    """An adapter that is pulled out."""
    emulated = line(family)
    emulated.port.closePort()
    host = ServoBus(emulated.emulated.path, family, slack=BRIEF).open()
    emulated.emulated.close()
    emulated.emulated.close = lambda: None
    with pytest.raises(PortError, match='has gone'):
        host.read(1, ['present_position'])
    host.close()


@FAMILIES
@pytest.mark.parametrize('noise', ['ones', 'packets'])
def test_a_line_that_is_never_silent_is_a_failure(family, noise):
    """Bytes without an end, or whole answers of another servo: a question ends all the same."""
    packet = status(family.protocol, 9, 0, bytes(4))
    babble = 4096 * b'\xff' if noise == 'ones' else packet * (4096 // len(packet))
    master, slave = pty.openpty()
    tty.setraw(slave)
    ended = threading.Event()

    def speak():
        while not ended.is_set():
            if select.select([], [master], [], 0.01)[1]:
                os.write(master, babble)

    speaker = threading.Thread(target=speak, daemon=True)
    os.set_blocking(master, False)
    speaker.start()
    try:
        with ServoBus(os.ttyname(slave), family, slack=BRIEF).open() as host:
            failure = host.read(1, ['present_position']).failure
            ended.set()
    finally:
        ended.set()
        speaker.join()
    assert failure in (Failure.SILENT, Failure.DAMAGED)
    for end in (master, slave):
        os.close(end)


def test_a_port_that_takes_nothing_is_one_error():
    """It is full, and nobody reads: a moment later it counts as gone, and is not waited for.

    What it has not sent is dropped: Linux would wait for it when a serial port is closed.
    """
    master, slave = pty.openpty()
    tty.setraw(slave)
    host, sent = ServoBus(os.ttyname(slave), AX).open(), []

    def fill():
        for _ in range(10_000):
            assert host.write_all(['goal_position'], dict.fromkeys(range(30), (512,)))
            sent.append(8 + 30 * 3)

    with pytest.raises(PortError, match=r'has gone: it has taken nothing for 0\.05 s'):
        fill()
    assert not host.is_open
    arrived = 0
    while select.select([master], [], [], 0.1)[0]:
        arrived += len(os.read(master, 4096))
    assert 0 < arrived < sum(sent)
    for descriptor in (master, slave):
        os.close(descriptor)


@FAMILIES
def test_a_late_answer_of_other_size_is_no_answer(bus, family):
    """What is left of an earlier question is dropped, neither taken for a model nor an error."""
    host, line = bus(family, slack=BRIEF)
    for _ in range(2):
        inject(line.bus.faults, 'late', 12.0 * BRIEF)
        assert host.read(1, ['present_position', 'present_temperature']).failure is Failure.SILENT
        inject(line.bus.faults, 'late', 0.0)
        assert model_of(host, 1) in (None, next(iter(family.models)))
        assert model_of(host, 1) in (None, next(iter(family.models)))
    found = (model_of(host, 1) for _ in range(1000))
    assert next(filter(None, found)) == next(iter(family.models))
