"""A robot that may not be driven as it is: refused at the start, with what to do."""

import math

import numpy as np
import pytest
from hardware_rig import HardwareRig, wiring_text

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_control.fault import RefusalError
from softshell_description.load import load_robot
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.config import load_hardware
from softshell_kinematics.errors import ProblemsError, SoftshellError

FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


@pytest.fixture
def arm(tmp_path):
    """Makes arms on emulated servos; all are closed after the test."""
    made = []

    def make(family='ax'):
        robot = load_robot('arm')
        path = tmp_path / f'{family}.yaml'
        path.write_text(wiring_text(robot, family))
        made.append(HardwareRig(robot, path))
        return made[-1]

    yield make
    for each in made:
        each.close()


@FAMILIES
def test_a_joint_outside_its_limits_is_named_and_nothing_is_driven(arm, family, record):
    """28: with where it is and where it may be; moved back by hand, it is driven."""
    record('28', 'a joint outside its limits', family)
    rig = arm(family)
    shaft = rig.emulated.servos['elbow'].shaft
    right, shaft.angle = shaft.angle, -2.61
    rig.run(5)
    with pytest.raises(RefusalError, match=r'elbow is at 2\.6.* move it there by hand'):
        rig.core.activate()
    assert not any(servo.torque for servo in rig.emulated.servos.values())
    assert rig.core.mode is BridgeMode.INACTIVE
    assert [reason.code for reason in rig.core.status().reasons] == [ReasonCode.LIMITS]
    shaft.angle = right
    rig.run(5)
    rig.core.activate()
    assert rig.core.mode is BridgeMode.HOLDING


@pytest.mark.parametrize('turns', [1, -1, 2])
def test_a_servo_that_counts_whole_turns_is_told_what_to_do(arm, turns):
    """No hand could move the joint to where it is already."""
    rig = arm('x')
    rig.emulated.servos['elbow'].shaft.angle += turns * math.tau
    rig.run(5)
    with pytest.raises(RefusalError, match=r'elbow is at .* its servo counts whole turns; switch'):
        rig.core.activate()


def start(robot, path, change):
    """Start a bridge on emulated servos of a wiring, after something was changed about them."""
    config = load_hardware(robot, path)
    with EmulatedRobot(robot, config, physics=False) as emulated:
        found = config.at({name: port.path for name, port in emulated.ports.items()})
        changed = change(emulated, found) or found
        backend = HardwareBackend(robot, changed, 0.02)
        try:
            backend.reset()
        finally:
            backend.close()


@FAMILIES
def test_wrong_models_and_missing_servos_are_all_listed(tmp_path, family, record):
    """29: what was found, and what was expected; nothing is driven."""
    record('29', 'wrong models, missing servos', family)
    robot = load_robot('arm')
    path = tmp_path / 'wiring.yaml'
    path.write_text(wiring_text(robot, family))
    other = {'ax': 18, 'x': 1120}[family]

    def change(emulated, config):
        emulated.servos['elbow'].set('model_number', other)
        emulated.servos['wrist'].faults.dead = True

    name = {'ax': 'AX-18A', 'x': 'XM540-W270'}[family]
    expected = {'ax': 'AX-12A', 'x': 'XM430-W210'}[family]
    with pytest.raises(ProblemsError) as caught:
        start(robot, path, change)
    assert f'servo 2 (elbow) is {name}; expected {expected}' in str(caught.value)
    assert f'servo 3 (wrist) does not answer; expected {expected}' in str(caught.value)


def test_no_servo_at_all_is_one_line_with_what_to_look_for(tmp_path):
    """29: as with a wrong baud rate, or without a supply."""
    robot = load_robot('arm')
    path = tmp_path / 'wiring.yaml'
    path.write_text(wiring_text(robot, 'ax'))

    def change(emulated, config):
        for servo in emulated.servos.values():
            servo.faults.dead = True

    with pytest.raises(ProblemsError, match='none of 3 servos answers; are they supplied'):
        start(robot, path, change)


def test_a_missing_calibration_is_refused_by_name(tmp_path, record):
    """30: the joints without an offset, and the command that measures them."""
    record('30', 'calibration missing, or of another robot')
    robot = load_robot('arm')
    path = tmp_path / 'wiring.yaml'
    path.write_text(wiring_text(robot, 'ax').replace('offset: 0.0', 'offset: null', 1))
    config = load_hardware(robot, path)
    assert config.uncalibrated == ('shoulder',)
    with EmulatedRobot(robot, config, physics=False) as emulated:
        spec = config.buses['body'].model_copy(update={'port': emulated.ports['body'].path})
        config.buses['body'] = spec
        backend = HardwareBackend(robot, config, 0.02)
        backend.reset()
        with pytest.raises(RefusalError, match='not calibrated: shoulder; run') as caught:
            backend.activate()
        assert caught.value.code is ReasonCode.CALIBRATION
        backend.close()


def test_the_wiring_of_another_robot_is_refused(tmp_path):
    """30: by its name, with its line."""
    path = tmp_path / 'wiring.yaml'
    path.write_text(wiring_text(load_robot('quadruped'), 'x'))
    with pytest.raises(ProblemsError, match=r"line 1: robot: is 'quadruped'; expected 'arm'"):
        load_hardware(load_robot('arm'), path)


@FAMILIES
def test_a_restart_after_a_fault_jumps_to_nowhere(arm, family, record):
    """31: the joints were moved by hand meanwhile, and are held where they are now."""
    record('31', 'restart, moved by hand meanwhile', family)
    rig = arm(family)
    rig.core.activate()
    rig.run(5)
    rig.emulated.inject('elbow', 'dead', True)
    rig.run(40)
    assert rig.core.mode is BridgeMode.FAULT
    with pytest.raises(SoftshellError, match=r'not confirmed by servo 2 \(elbow\)'):
        rig.core.deactivate()  # the others give way
    rig.emulated.inject('elbow', 'dead', False)
    moved = {}
    for name, servo in rig.emulated.servos.items():
        servo.set('torque_enable', 0)
        servo.shaft.angle += 0.4 if name != 'wrist' else -0.4
        moved[name] = servo.shaft.angle
    rig.run(30)
    rig.core.clear_fault()
    rig.core.activate()
    rig.run(30)
    assert rig.core.mode is BridgeMode.HOLDING, rig.reasons
    now = [servo.shaft.angle for servo in rig.emulated.servos.values()]
    assert np.abs(np.array(now) - np.array(list(moved.values()))).max() < 0.02
