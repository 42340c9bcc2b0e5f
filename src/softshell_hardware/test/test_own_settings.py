"""Servos that somebody has used for something else are found before they are driven."""

import hardware_rig
import pytest
from hardware_rig import HardwareRig, wiring_text

from softshell_description.load import load_robot
from softshell_hardware.bus.bus import Answer, Failure, ServoBus
from softshell_hardware.bus.families import X
from softshell_hardware.driving.own_settings import setting_problems, settings_of
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.wiring.config import load_hardware
from softshell_hardware.wiring.units import Tendon
from softshell_kinematics.errors import ProblemsError

#: Family, registers of the servo of the elbow, and what is said.
CASES = (
    ('ax', {'lowest_position': 0, 'highest_position': 0}, 'turns endlessly, without positions'),
    (
        'ax',
        {'highest_position': 600},
        r'has angle limits of \S+ and \S+ rad; expected at least \S+ to \S+ rad',
    ),
    (
        'x',
        {'lowest_position': 2000},
        r'has angle limits of \S+ and \S+ rad; expected at least \S+ to \S+ rad',
    ),
    ('x', {'drive_mode': 4}, 'takes speeds as times; expected a drive mode without bit 2'),
    ('ax', {'status_return': 1}, 'status return level is 1; expected 2'),
    ('x', {'status_return': 1}, 'status return level is 1; expected 2'),
)


@pytest.mark.parametrize(('family', 'registers', 'said'), CASES)
def test_a_servo_that_would_not_do_as_it_is_told_is_named(
    monkeypatch, tmp_path, family, registers, said
):
    """At the start, beside all else that is wrong; nothing is switched on."""

    class Used(EmulatedRobot):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            for name, value in registers.items():
                self.servos['elbow'].set(name, value)
            self.servos['wrist'].faults.dead = True

    monkeypatch.setattr(hardware_rig, 'EmulatedRobot', Used)
    path = tmp_path / 'arm.yaml'
    path.write_text(wiring_text(load_robot('arm'), family))
    with pytest.raises(ProblemsError, match=rf'servo 2 \(elbow\) {said}') as error:
        HardwareRig('arm', path)
    assert 'servo 3 (wrist) does not answer' in str(error.value)


def test_a_setting_that_cannot_be_read_does_not_count_as_right(monkeypatch, tmp_path):
    """It is asked for again and again, and then named."""
    read = ServoBus.read

    def without(bus, servo, registers, *more):
        lost = servo == 2 and list(registers) == ['drive_mode']
        return Answer({}, failure=Failure.DAMAGED) if lost else read(bus, servo, registers, *more)

    monkeypatch.setattr(ServoBus, 'read', without)
    path = tmp_path / 'arm.yaml'
    path.write_text(wiring_text(load_robot('arm'), 'x'))
    with pytest.raises(ProblemsError, match=r'servo 2 \(elbow\) does not tell its drive_mode'):
        HardwareRig('arm', path)


@pytest.mark.parametrize(('limit', 'problems'), [(1193, 0), (167, 0), (166, 1)])
def test_a_tendon_whose_servo_is_limited_to_less_is_named(limit, problems):
    """80 N on a spool of 1 cm need 0.8 N m: 0.449 A at 1.78 N m/A, 167 units."""
    tendon = Tendon('t', 'b', X, 1, '', 1, 1.78, 0.01)
    assert 'current_limit' in settings_of(tendon)
    told = list(setting_problems(tendon, {'current_limit': limit}, (0.0, 80.0)))
    assert len(told) == problems
    assert all(f'has a current limit of {limit}; expected 167 or more' in each for each in told)


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_limits_of_the_servo_may_be_those_of_the_joint(tmp_path, family):
    """To half a tick; a joint that is not calibrated has none yet."""
    robot = load_robot('arm')
    path = tmp_path / 'arm.yaml'
    path.write_text(wiring_text(robot, family))
    for motor in load_hardware(robot, path).joints:
        joint = robot.joints[robot.index(motor.name)]
        ends = sorted((motor.ticks(joint.lower), motor.ticks(joint.upper)))
        values = dict(zip(('lowest_position', 'highest_position'), ends, strict=True))
        needed = (joint.lower, joint.upper)
        assert list(setting_problems(motor, values, needed)) == []
        values['lowest_position'] += 1
        assert len(list(setting_problems(motor, values, needed))) == 1
