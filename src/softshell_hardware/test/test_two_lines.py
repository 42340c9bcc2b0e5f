"""A robot on two lines: what happens to one is not the end of the other."""

import time

import pytest
from hardware_rig import HardwareRig, wiring_text

import softshell_hardware.enlist as enlisting
from softshell_common.bridge_mode import BridgeMode
from softshell_control.backend import StopPolicy
from softshell_description.load import load_robot


def torques(rig):
    return [servo.torque for servo in rig.emulated.servos.values()]


@pytest.fixture
def parted(tmp_path):
    """An arm whose wrist is on a bus of its own; a stop lets go."""
    robot = load_robot('arm')
    text = wiring_text(robot, 'ax').replace(
        '{body: {family: ax}}', '{body: {family: ax}, hand: {family: ax, port: /dev/ttyUSB1}}'
    )
    for name in robot.joint_names:
        bus = 'hand' if name == 'wrist' else 'body'
        text = text.replace(f'{name}: {{', f'{name}: {{bus: {bus}, ')
    path = tmp_path / 'arm.yaml'
    path.write_text(f'{text}\non_host_death: relax\nbeats: 2\n')
    made = HardwareRig('arm', path, policy=StopPolicy.RELAX)
    yield made
    made.close()


def test_of_two_lines_the_one_that_lives_gives_way(parted):
    """At once; the other one is named, and gives way when it is back."""
    parted.core.activate()
    parted.run(3)
    parted.emulated.inject('hand', 'unplugged', True)
    parted.run(3)
    assert parted.core.mode is BridgeMode.FAULT
    assert any('not confirmed by servo 3 (wrist)' in reason for reason in parted.reasons)
    assert torques(parted) == [False, False, True]
    parted.emulated.inject('hand', 'unplugged', False)
    parted.run(60)
    assert not any(torques(parted))


def test_no_guardian_waits_while_other_lines_are_switched_on(parted, monkeypatch):
    """However long that takes: the robot holds afterwards."""
    said = enlisting.said

    def slow(bus, servo, register, value):
        if servo == 3:
            time.sleep(0.1)
        return said(bus, servo, register, value)

    monkeypatch.setattr(enlisting, 'said', slow)
    parted.core.activate()
    assert parted.core.mode is BridgeMode.HOLDING
    assert all(torques(parted))


def test_while_one_port_is_gone_the_other_line_is_still_read(parted):
    """Its joints are measured, and its motors watched."""
    parted.core.activate()
    parted.run(3)
    parted.emulated.inject('hand', 'unplugged', True)
    parted.run(3)
    for name in ('shoulder', 'elbow'):
        parted.emulated.servos[name].temperature = 61.0
    parted.run(20)
    measured = parted.core.measured
    assert measured.valid.tolist() == [True, True, False]
    assert measured.age[:2].max() < 0.1
    assert any('warm: shoulder 61 °C, elbow 61 °C' in reason for reason in parted.reasons)
