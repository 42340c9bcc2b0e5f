"""Servos are found wherever they are, and what is not as expected is told."""

import pytest

import softshell_hardware.bus.bus as bus
from softshell_description.load import load_robot
from softshell_hardware.bus.adapter import latency_timer, latency_warning
from softshell_hardware.bus.bus import PortError, ServoBus
from softshell_hardware.bus.families import AX, FAMILIES, X
from softshell_hardware.bus.finder import Finder
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.faults import inject
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.servo import Servo
from softshell_hardware.search.roster import compare
from softshell_hardware.search.scan import Sweep, scan, set_return_delay, sweeps
from softshell_hardware.wiring.config import load_hardware
from softshell_hardware.wiring.form import BusSpec
from softshell_kinematics.errors import SoftshellError

#: Long enough for an answer on a busy machine, short enough to wait for it in vain [s].
SLACK = 0.1


@pytest.fixture
def port(monkeypatch):
    """Function: a port with these servos, which is closed after the test."""
    monkeypatch.setattr(
        'softshell_hardware.bus.port.BRIEF', SLACK
    )  # also on a line that is silent
    opened = []

    def make(*servos, baud=1_000_000):
        opened.append(EmulatedPort(EmulatedBus(servos, baud)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def at(servo, baud):
    """The servo, set to a baud rate."""
    (code,) = [code for code, rate in servo.family.bauds.items() if rate == baud]
    servo.set('baud_rate', code)


def names(rows):
    return {row.id: (row.name, row.wrong, row.notes) for row in rows}


def test_servos_of_both_families_are_found_at_any_baud_rate(port):
    """Each at its own rate and id only, with model, firmware and what it is set to."""
    servos = Servo(AX, 17, 18), Servo(AX, 3), Servo(X, 9), Servo(X, 200, 1060)
    found = port(*servos)
    for servo, baud in zip(servos, (400_000, 9600, 1_000_000, 4_500_000), strict=True):
        at(servo, baud)
    plan = [
        Sweep(family, baud, range(20) if family is AX else ())
        for family, baud in ((AX, 9600), (AX, 400_000), (X, 1_000_000), (X, 4_500_000))
    ]
    parts = []
    result = scan(found.path, plan, 0.0, SLACK, lambda completed, what: parts.append(completed))
    assert [(each.family, each.baud, each.id, each.model) for each in result] == [
        (AX, 9600, 3, 'AX-12A'),
        (AX, 400_000, 17, 'AX-18A'),
        (X, 1_000_000, 9, 'XM430-W210'),
        (X, 4_500_000, 200, 'XL430-W250'),
    ]
    assert all(each.values['return_delay'] == 250 for each in result)
    assert all(each.values['status_return'] == 2 for each in result)
    assert [each.values['firmware'] for each in result] == [24, 24, 45, 45]
    assert not any(each.damaged for each in result)
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_the_searches_of_a_port_cover_everything_and_begin_where_servos_should_be():
    """All rates of both families; ids 0 to 253 of protocol 1, in a hurry those expected."""
    spec = BusSpec(family='x', baud=2_000_000)
    plan = sweeps(spec, [4, 5])
    assert (plan[0].family, plan[0].baud, plan[0].ids) == (X, 2_000_000, [4, 5])
    assert {(sweep.family.name, sweep.baud) for sweep in plan} == {
        (family.name, baud) for family in FAMILIES.values() for baud in family.bauds.values()
    }
    assert all(list(s.ids) == list(range(254)) for s in plan if s.family is AX)
    assert [s.ids for s in sweeps(None, [4], [57_600], quick=True)] == [[1, 4], []]
    assert sweeps(None, [], [9600])[0].seconds(0.006) > 254 * 0.012
    with pytest.raises(SoftshellError, match='baud rate 12345; expected one of 9600, 19200,'):
        sweeps(spec, [], [12345])


def test_what_was_found_is_held_against_the_wiring(port):
    """Missing, unexpected, of another model, at another rate, slow to answer, or mute."""
    config = load_hardware(load_robot('arm'))
    shoulder, elbow, extra = Servo(AX, 1, 12), Servo(AX, 2, 18), Servo(AX, 9)
    elbow.set('return_delay', 0)
    line = port(shoulder, elbow, extra)
    at(elbow, 500_000)
    extra.set('status_return', 0)
    plan = sweeps(config.buses['body'], [1, 2, 3, 9], [500_000, 1_000_000], quick=True)
    plan = [sweep for sweep in plan if sweep.family is AX]
    rows = names(compare(config, 'body', scan(line.path, plan, 0.0, SLACK)))
    slow = 'return delay is 250 (500 µs); expected 0'
    assert rows == {
        1: ('shoulder', ('is AX-12A; expected AX-18A', slow), ()),
        2: ('elbow', ('baud rate is 500000; expected 1000000',), ()),
        3: ('wrist', ('missing; expected AX-12A at 1000000 baud',), ()),
        9: ('', ('unexpected',), ()),
    }


def test_a_rate_that_the_adapter_refuses_ends_no_search(port, monkeypatch):
    """Servos at others are found; if it refuses all, that is the error."""
    line = port(Servo(AX, 1, 12))
    plan = [Sweep(AX, baud, [1]) for baud in (500_000, 1_000_000)]
    opened = bus.Port.setBaudRate

    def picky(self, baud):
        if baud in refused:
            raise ValueError(f'Invalid baud rate: {baud}')  # as pyserial does
        return opened(self, baud)

    monkeypatch.setattr(bus.Port, 'setBaudRate', picky)
    refused = {500_000}
    assert [found.id for found in scan(line.path, plan, 0.0, SLACK)] == [1]
    refused = {500_000, 1_000_000}
    with pytest.raises(PortError, match='baud rate 1000000: Invalid baud rate'):
        scan(line.path, plan, 0.0, SLACK)


def test_a_servo_that_answers_too_little_is_told(port):
    """Only pings; no writes; in a mode without positions, which the bridge changes."""
    config = load_hardware(load_robot('quadruped'))
    servos = {motor.id: Servo(X, motor.id) for motor in config.joints}
    for servo in servos.values():
        servo.set('return_delay', 0)
    servos[11].set('status_return', 0)
    servos[12].set('status_return', 1)
    servos[13].set('operating_mode', 1)
    line = port(*servos.values())
    rows = names(compare(config, 'body', scan(line.path, [Sweep(X, 1_000_000, ())], 0.0, SLACK)))
    assert len(rows) == 12
    assert {id_: row[1:] for id_, row in rows.items() if row[1] or row[2]} == {
        11: (('answers pings only; expected status return level 2',), ()),
        12: (('status return level is 1; expected 2',), ()),
        13: ((), ('operating mode is 1; the bridge will set 3',)),
    }


@pytest.mark.parametrize('family', [AX, X], ids=['ax', 'x'])
def test_two_servos_with_one_id_are_suspected(port, family):
    """What they answer together is damaged; the others on the line are not suspected."""
    twin = Servo(family, 4)
    line = port(twin, Servo(family, 5))
    inject(twin.faults, 'twin', True)
    found = scan(line.path, [Sweep(family, 1_000_000, [4, 5, 6])], 0.0, SLACK)
    assert {each.id: each.damaged for each in found} == {4: True, 5: False}
    (row, _) = compare(load_hardware(load_robot('arm')), 'body', found)[-2:]
    assert row.wrong[-1].endswith('is there another servo with this id?')


def test_the_same_id_at_two_rates_is_two_servos(port):
    """One is the joint's, the other one is nobody's."""
    right, wrong = Servo(AX, 1, 18), Servo(AX, 2)
    line = port(right, wrong)
    at(wrong, 57_600)
    wrong.set('id', 1)
    plan = [Sweep(AX, 57_600, [1]), Sweep(AX, 1_000_000, [1])]
    rows = compare(load_hardware(load_robot('arm')), 'body', scan(line.path, plan, 0.0, SLACK))
    assert [(row.name, row.found and row.found.baud) for row in rows if row.id == 1] == [
        ('shoulder', 1_000_000),
        ('', 57_600),
    ]


@pytest.mark.parametrize('family', [AX, X], ids=['ax', 'x'])
def test_the_return_delay_is_set_with_the_torque_off(port, family):
    """It is refused while the torque is on, so this goes off first."""
    servo = Servo(family, 4)
    servo.set('torque_enable', 1)
    line = port(servo)
    bus = Finder(line.path, family, slack=SLACK).open()
    assert set_return_delay(bus, 4) == ''
    assert (servo.get('return_delay'), servo.get('torque_enable')) == (0, 0)
    assert set_return_delay(bus, 5) == 'servo 5: no answer after its return delay was written'
    bus.close()


def test_a_port_that_is_in_use_is_said_to_be(port):
    """By the error that the bridge has, before anything is searched."""
    line = port(Servo(AX, 1))
    holder = ServoBus(line.path, AX).open()
    with pytest.raises(PortError, match='another process uses it'):
        scan(line.path, sweeps(None, []), 0.0, SLACK)
    holder.close()


def test_an_adapter_that_is_slow_is_told_with_what_to_do(tmp_path):
    """Its timer is what the system shows, also of a link to the port; without one: nothing."""
    (tmp_path / 'ttyUSB7').mkdir()
    (tmp_path / 'ttyUSB7' / 'latency_timer').write_text('16\n')
    (tmp_path / 'servos').symlink_to('/dev/ttyUSB7')
    for port in ('/dev/ttyUSB7', str(tmp_path / 'servos')):
        assert latency_timer(port, tmp_path) == 0.016
        text = latency_warning(port, 0.001, tmp_path)
        assert f'port {port}: the latency timer of its adapter is 16 ms; ex' in text
        assert 'setserial /dev/ttyUSB7 low_latency' in text
        assert latency_warning(port, 0.016, tmp_path) == ''
    assert latency_timer('/dev/ttyUSB8', tmp_path) is None
    assert latency_warning('/dev/ttyUSB8', 0.001, tmp_path) == ''
