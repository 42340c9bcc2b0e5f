"""Rules of the e-Manual that an emulated servo follows, beyond reading and writing."""

import math

import pytest

from softshell_hardware.bus.families import AX, FAMILIES, X
from softshell_hardware.bus.wire import BROADCAST, Instruction, Packet
from softshell_hardware.emulator.answers import answers_to
from softshell_hardware.emulator.refusal import Refusal
from softshell_hardware.emulator.servo import Servo


def write(servo, name, value):
    """Write a register as an instruction does; what it refuses."""
    register = servo.family.registers[name]
    return servo.write(register.address, register.encode(value))


@pytest.mark.parametrize('offset', [100, -300])
def test_goals_and_positions_have_the_same_homing_offset(offset):
    """The goal that is the present position moves nothing; the next one so much as it differs."""
    servo = Servo(X, 1)
    write(servo, 'homing_offset', offset)
    assert servo.get('present_position') == X.centre + offset
    write(servo, 'torque_enable', 1)
    servo.step(1.0)
    assert servo.shaft.angle == 0.0
    write(servo, 'goal_position', X.centre + offset + 20)
    servo.step(1.0)
    assert servo.shaft.angle == pytest.approx(20 * X.tick)


@pytest.mark.parametrize('turns', [1, -2])
def test_an_x_forgets_whole_turns_when_its_torque_comes(turns):
    """In position mode: its shaft stays where it is, and goals are within this turn."""
    servo = Servo(X, 1)
    servo.shaft.angle = turns * math.tau + 0.3
    shown = X.centre + round(0.3 / X.tick)
    assert servo.get('present_position') == shown + 4096 * turns
    write(servo, 'torque_enable', 1)
    assert servo.get('present_position') == servo.get('goal_position') == shown
    servo.step(1.0)
    assert servo.shaft.angle == pytest.approx(turns * math.tau + 0.3, abs=X.tick)
    assert write(servo, 'goal_position', X.centre) is None
    servo.step(1.0)
    assert servo.shaft.angle == pytest.approx(turns * math.tau, abs=1e-9)


def test_a_servo_that_answers_only_pings_is_silent_to_questions_to_many():
    """And so are those after it in a sync read, which wait for it; a bulk read does the same."""
    servos = {number: Servo(X, number) for number in (1, 2, 3)}
    servos[2].set('status_return', 0)
    sync = bytes([132, 0, 4, 0, 1, 2, 3])
    bulk = b''.join(bytes([number, 132, 0, 4, 0]) for number in (1, 2, 3))
    for instruction, content in ((Instruction.SYNC_READ, sync), (Instruction.BULK_READ, bulk)):
        packet = Packet(2, BROADCAST, instruction, content)
        assert [servo.id for servo, _ in answers_to(packet, servos)] == [1]


def test_a_locked_ax_keeps_what_it_has_and_its_lock():
    """What is not kept without power can be changed as ever."""
    servo = Servo(AX, 1)
    assert write(servo, 'lock', 1) is None
    assert write(servo, 'return_delay', 0) is Refusal.ACCESS
    assert write(servo, 'lock', 0) is Refusal.ACCESS
    assert write(servo, 'lock', 1) is None
    assert write(servo, 'goal_position', 300) is None


@pytest.mark.parametrize(
    ('family', 'number', 'turns_a_minute'),
    [(AX, 12, 59), (AX, 18, 97), (X, 1030, 75.57), (X, 1020, 45.8), (X, 1120, 29.31)],
)
def test_a_shaft_turns_as_fast_as_its_model(family, number, turns_a_minute):
    """Without load at 12 V, or by the velocity limit as shipped where that is lower."""
    servo = Servo(family, 1, number)
    write(servo, 'torque_enable', 1)
    write(servo, 'goal_position', family.goal_range[1])
    servo.step(0.01)
    assert servo.shaft.angle / 0.01 == pytest.approx(turns_a_minute * math.tau / 60.0, rel=2e-3)


def test_an_xl430_bears_less_than_an_xm430():
    """Limits as shipped, and what may be written, by the control table of each."""
    small, large = Servo(X, 1, 1060), Servo(X, 2, 1020)
    assert (small.get('lowest_voltage'), small.get('highest_voltage')) == (60, 140)
    assert write(small, 'lowest_voltage', 70) is None
    assert write(small, 'highest_voltage', 150) is Refusal.RANGE
    assert (large.get('lowest_voltage'), large.get('highest_voltage')) == (95, 160)
    assert write(large, 'lowest_voltage', 70) is Refusal.RANGE


def test_no_profile_is_faster_than_the_velocity_limit():
    """330 units of an XM430-W210 are taken, and 331 are not."""
    servo = Servo(FAMILIES['x'], 1)
    assert write(servo, 'profile_velocity', 330) is None
    assert write(servo, 'profile_velocity', 331) is Refusal.RANGE
