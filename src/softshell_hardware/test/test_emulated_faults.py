"""What goes wrong on a real bus, as the SDK sees it."""

import dynamixel_sdk as sdk
import pytest
from servo_line import FAMILIES

from softshell_hardware.bus.families import X
from softshell_hardware.emulator.faults import LineFaults, ServoFaults, inject
from softshell_kinematics.errors import SoftshellError


def ask(found, servo, name='present_position', patience=20.0):
    """Value, result and error of one read; None if no value came.

    The SDK's functions for one value fail where an answer has only an error, as that to a question
    with a wrong checksum does.
    """
    address, size = found.of(name)
    found.port.patience = patience
    data, result, error = found.packets.readTxRx(found.port, servo, address, size)
    whole = result == sdk.COMM_SUCCESS and len(data) == size
    return int.from_bytes(bytes(data), 'little') if whole else None, result, error


@FAMILIES
def test_one_dead_servo_is_silent_and_the_others_are_not(line, family):
    """And it comes back where it was."""
    found = line(family)
    inject(found.servos[2].faults, 'dead', True)
    assert ask(found, 2, patience=0.1)[1] == sdk.COMM_RX_TIMEOUT
    assert ask(found, 1)[1] == sdk.COMM_SUCCESS
    inject(found.servos[2].faults, 'dead', False)
    assert ask(found, 2)[:2] == (family.centre, sdk.COMM_SUCCESS)


def test_one_dead_servo_spoils_what_is_read_of_all(line):
    """As with the real SDK: a sync read fails as a whole, so it is asked leg by leg."""
    found = line(X)
    inject(found.servos[2].faults, 'dead', True)
    address, size = found.of('present_position')
    found.port.patience = 0.1
    group = sdk.GroupSyncRead(found.port, found.packets, address, size)
    for servo in found.servos:
        group.addParam(servo)
    assert group.txRxPacket() == sdk.COMM_RX_TIMEOUT


@FAMILIES
def test_a_silent_line_times_out(line, family):
    """Nobody answers, though all have heard."""
    found = line(family)
    inject(found.bus.faults, 'silent', True)
    assert ask(found, 1, patience=0.1)[1] == sdk.COMM_RX_TIMEOUT
    assert found.bus.packets == 1


@FAMILIES
def test_changed_bytes_are_never_taken_for_values(line, family):
    """A tenth of all bytes: some answers get through, and those are right."""
    found = line(family)
    inject(found.bus.faults, 'damage', 0.1)
    results = [ask(found, 1, patience=0.05) for _ in range(60)]
    good = [value for value, _, error in results if value is not None and not error]
    assert len(good) < 60
    assert set(good) == {family.centre}
    assert found.bus.damaged > 0


@FAMILIES
def test_an_answer_of_a_wrong_id_is_no_answer(line, family):
    """The SDK waits for the right one until its time is over."""
    found = line(family)
    inject(found.bus.faults, 'foreign', True)
    assert ask(found, 1, patience=0.1)[1] != sdk.COMM_SUCCESS


@FAMILIES
def test_a_late_answer_is_an_answer_in_time_or_none(line, family):
    """A latency timer of 16 ms is waited for, a tenth of a second is not."""
    found = line(family)
    inject(found.bus.faults, 'late', 0.016)
    before = found.bus.busy
    assert ask(found, 1)[1] == sdk.COMM_SUCCESS
    assert found.bus.busy - before > 0.016
    inject(found.bus.faults, 'late', 1.0)
    assert ask(found, 1, patience=0.1)[1] == sdk.COMM_RX_TIMEOUT


@FAMILIES
def test_an_encoder_sticks_and_jumps(line, family):
    """What it shows is then not where the shaft is."""
    found = line(family)
    servo = found.servos[1]
    servo.set('torque_enable', 1)
    inject(servo.faults, 'stuck', True)
    servo.set('goal_position', family.centre + 50)
    found.bus.step(1.0)
    assert ask(found, 1)[0] == family.centre
    assert servo.shaft.angle == pytest.approx(50 * family.tick)
    inject(servo.faults, 'stuck', False)
    inject(servo.faults, 'offset', 0.5)
    found.bus.step(0.01)
    assert ask(found, 1)[0] == family.centre + round((50 * family.tick + 0.5) / family.tick)


@FAMILIES
def test_a_blocked_shaft_stays_and_pushes(line, family):
    """Its load is all that it may give, towards its goal."""
    found = line(family)
    servo = found.servos[1]
    servo.set('torque_enable', 1)
    servo.set('goal_position', family.centre - 50)
    inject(servo.faults, 'blocked', True)
    found.bus.step(0.5)
    assert servo.shaft.angle == 0.0
    assert servo.shaft.load == -next(iter(family.models.values())).stall_torque


@FAMILIES
def test_heat_and_a_weak_supply_are_told_and_switch_the_torque_off(line, family):
    """By the error of AX' answers, by the alert of X'."""
    found = line(family)
    servo = found.servos[1]
    servo.set('torque_enable', 1)
    inject(servo.faults, 'heating', 10.0)
    for _ in range(100):
        found.bus.step(0.1)
    assert ask(found, 1, 'present_temperature')[0] >= 100
    assert ask(found, 1)[2] == {1: 4, 2: 0x80}[family.protocol]
    assert ask(found, 1, 'torque_enable')[0] == 0
    inject(found.servos[2].faults, 'sag', 8.0)
    found.bus.step(0.1)
    assert ask(found, 2, 'present_voltage')[0] == 40
    assert ask(found, 2)[2] == {1: 1, 2: 0x80}[family.protocol]


@pytest.mark.parametrize('faults', [ServoFaults(), LineFaults()])
def test_faults_that_are_none_are_refused_by_name(faults):
    """Names, kinds of values, and numbers that are none."""
    with pytest.raises(SoftshellError, match="unknown fault 'ded'"):
        inject(faults, 'ded', True)
    name, number = ('dead', 'heating') if isinstance(faults, ServoFaults) else ('silent', 'late')
    with pytest.raises(SoftshellError, match=f"fault '{name}' is 1; expected True or False"):
        inject(faults, name, 1)
    for name, wrong in (('sag', 1e308), ('offset', -1e308), ('heating', 1e308)):
        with pytest.raises(SoftshellError, match=f"fault '{name}' is .*; expected .* to 1000"):
            inject(ServoFaults(), name, wrong)
    for wrong in (float('nan'), True, '3'):
        with pytest.raises(SoftshellError, match=f"fault '{number}' is .*; expected a finite"):
            inject(faults, number, wrong)
