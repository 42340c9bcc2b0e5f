"""Whatever breaks while joints are driven: a fault of its kind, nothing jumps, and a way out."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hardware_rig import HardwareRig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_control.fault import FaultError
from softshell_hardware.bus.bus import ServoBus
from softshell_kinematics.errors import SoftshellError

#: Fault, where, its value, the code that it leads to, and words of its reason.
SERVO_FAULTS = (
    ('dead', True, ReasonCode.STALE, 'readings in vain of servo 2 (elbow)'),
    ('twin', True, ReasonCode.STALE, 'readings in vain of servo 2 (elbow)'),
    ('overload', True, ReasonCode.OVERLOAD, 'servo 2 (elbow) says: it is overloaded'),
    ('restart', True, ReasonCode.SERVO, 'servo 2 (elbow) was restarted'),
    ('heating', 40.0, ReasonCode.TEMPERATURE, 'too hot: elbow'),
    ('sag', 3.5, ReasonCode.VOLTAGE, 'supply'),
    ('offset', 1.5, ReasonCode.SERVO, 'no motion is as fast as that'),
    ('blocked', True, ReasonCode.TRACKING, 'elbow is'),
    ('stuck', True, ReasonCode.TRACKING, 'elbow is'),
)
LINE_FAULTS = (
    ('silent', True, ReasonCode.BUS, 'nobody answered for'),
    ('damage', 0.2, ReasonCode.BUS, ''),
    ('foreign', True, ReasonCode.BUS, 'nobody answered for'),
    ('unplugged', True, ReasonCode.BUS, 'has gone'),
)
#: Periods in which every one of them is found, and its way out is gone.
LONG = 250


def run_to_fault(rig, most=LONG):
    """Ticks until the bridge is in a fault; no joint leaves its limits meanwhile."""
    for tick in range(1, most):
        rig.run()
        assert_within_limits(rig)
        if rig.core.mode is BridgeMode.FAULT:
            return tick
    raise AssertionError(f'no fault within {most} periods: {rig.reasons}')


def assert_within_limits(rig):
    """The commanded joints are within their limits, and so is what the servos were told."""
    joints = rig.limits.joints
    value = rig.core.command.value[:joints]
    assert (value >= rig.limits.lower[:joints]).all()
    assert (value <= rig.limits.upper[:joints]).all()
    for wiring in rig.config.joints:
        goal = rig.emulated.servos[wiring.name].get('goal_position')
        low, high = (rig.robot.joints[rig.robot.index(wiring.name)].lower,
                     rig.robot.joints[rig.robot.index(wiring.name)].upper)  # fmt: skip
        tick = wiring.family.tick
        assert low - tick <= wiring.position(goal) <= high + tick


@pytest.mark.parametrize('family', ['ax', 'x'])
@pytest.mark.parametrize(('fault', 'value', 'code', 'words'), SERVO_FAULTS)
def test_a_fault_of_one_servo_stops_the_robot_and_is_named(
    moving, family, fault, value, code, words
):
    """The bridge says which servo it is and what is wrong; goals end; the others hold."""
    rig = moving(family)
    rig.emulated.inject('elbow', fault, value)
    run_to_fault(rig)
    reasons = rig.core.status().reasons
    assert reasons[0].code is code
    assert words in reasons[0].text
    assert rig.core.status().goal.state.name == 'STOPPED'
    before = {n: s.shaft.angle for n, s in rig.emulated.servos.items() if n != 'elbow'}
    rig.run(40)
    for name, angle in before.items():
        assert rig.emulated.servos[name].torque
        assert abs(rig.emulated.servos[name].shaft.angle - angle) < 0.12


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_an_overload_is_named_whichever_reading_shows_it_first(moving, family, monkeypatch):
    """Also the one of its state, where a lost torque alone says nothing of the cause."""
    rig = moving(family)
    for line in rig.backend.crew.lines:
        monkeypatch.setattr(line.reader, 'turn', lambda count, deadline: None)
    rig.emulated.inject('elbow', 'overload', True)
    run_to_fault(rig, 4)
    assert rig.core.status().reasons[0].code is ReasonCode.OVERLOAD


@pytest.mark.parametrize('family', ['ax', 'x'])
@pytest.mark.parametrize(('fault', 'value', 'code', 'words'), LINE_FAULTS)
def test_a_fault_of_the_line_stops_the_robot_and_ends_with_it(
    moving, family, fault, value, code, words
):
    """Once the line is right again, there is a way out of the fault, and nothing jumps."""
    rig = moving(family)
    rig.emulated.inject('body', fault, value)
    run_to_fault(rig)
    reasons = rig.core.status().reasons
    assert reasons[0].code in (code, ReasonCode.STALE)
    assert words in reasons[0].text
    rig.emulated.inject('body', fault, type(value)(0))
    rig.run(60)  # an adapter that was away is tried now and then
    rig.core.clear_fault()
    places = [servo.shaft.angle for servo in rig.emulated.servos.values()]
    rig.core.activate()
    rig.run(20)
    assert rig.core.mode is BridgeMode.HOLDING, rig.reasons
    moved = [
        abs(s.shaft.angle - a) for s, a in zip(rig.emulated.servos.values(), places, strict=True)
    ]
    assert max(moved) < 0.02


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_late_answers_are_no_answers_of_others(moving, family):
    """Those that come when the next servo has been asked already are dropped, or stop the robot.

    A late answer of the very servo that is asked again is taken: it is a little older than told.
    """
    rig = moving(family)
    rig.emulated.inject('body', 'late', 0.03)
    for _ in range(60):
        rig.run()
        assert_within_limits(rig)
        error = np.abs(rig.core.channels - rig.core.command.value)
        assert (error[np.isfinite(error)] < 0.3).all()


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_one_percent_of_damaged_bytes_is_survived(moving, family):
    """Answers that are damaged are asked again; the joints go on, and the loss is counted."""
    rig = moving(family)
    rig.emulated.inject('body', 'damage', 0.01)
    rig.run(150)
    assert rig.core.mode is BridgeMode.EXECUTING, rig.reasons
    assert int(rig.backend.diagnostics()['body: in vain']) > 0


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_what_a_stale_joint_shows_is_neither_zero_nor_fresh(moving, family):
    """Its last value stays in the diagnostics with its age; on the wire it is not measured."""
    rig = moving(family)
    last = rig.core.channels[1]
    rig.emulated.inject('elbow', 'dead', True)
    run_to_fault(rig)
    rig.run(20)
    assert np.isnan(rig.core.channels[1])
    assert rig.core.measured.age[1] > 0.3
    told = rig.backend.diagnostics()['stale servo 2 (elbow)']
    assert abs(float(told.split()[0]) - last) < 0.3
    assert told.endswith('ms old')


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_what_a_servo_told_before_it_fell_silent_is_no_measurement(moving, family):
    """Its temperature is not known, the voltage is that of the others; that it was warm stays."""
    rig = moving(family)
    rig.emulated.inject('elbow', 'sag', 1.0)
    rig.emulated.servos['elbow'].temperature = 62.0
    rig.run(10)
    assert rig.core.measured.voltage == pytest.approx(11.0)
    rig.emulated.inject('elbow', 'dead', True)
    run_to_fault(rig)
    assert np.isnan(rig.core.measured.temperature).tolist() == [False, True, False]
    assert rig.core.measured.voltage == pytest.approx(12.0)
    assert any('warm: elbow 62 °C' in reason for reason in rig.reasons)
    rig.emulated.inject('body', 'unplugged', True)
    rig.run(3)
    assert np.isnan(rig.core.measured.temperature).all()
    assert rig.core.measured.voltage is None


def test_the_tension_of_a_tendon_whose_servo_fell_silent_is_not_known():
    """The others are; with the port, those of all have gone."""
    rig = HardwareRig('hand')
    try:
        rig.run(10)
        assert np.isfinite(rig.core.channels).all()
        silent = list(rig.robot.channels)[1]
        rig.emulated.inject(silent, 'dead', True)
        rig.run(20)
        assert np.isnan(rig.core.channels).tolist() == [
            name == silent for name in rig.robot.channels
        ]
        rig.emulated.inject('fingers', 'unplugged', True)
        rig.run(3)
        assert np.isnan(rig.core.channels).all()
    finally:
        rig.close()


def test_times_of_readings_are_those_at_which_they_came(moving, monkeypatch):
    """Servos are read one after the other, after the step began; each is 2 ms from the last."""
    moving = moving('ax')
    backend, took, read = moving.backend, 2_000_000, ServoBus.read

    def slow(bus, servo, registers):
        answer = read(bus, servo, registers)
        moving.now += took
        came.append(moving.now)
        return answer

    came = []
    monkeypatch.setattr(ServoBus, 'read', slow)
    begun = moving.now
    measured = backend.step(begun, moving.core.command)
    assert measured.stamp == moving.now > begun
    times = measured.stamp - np.rint(1e9 * measured.age).astype(int)
    assert len({*times}) == 3
    assert {*times} <= {*came}


def test_heat_is_told_then_slows_the_robot_then_stops_it(moving):
    """Warning at 60 °C, slower from 65 °C on, fault at 70 °C; a cooler motor is fast again."""
    rig = moving('x')
    servo = rig.emulated.servos['elbow']
    seen = {}
    for heat in (59.0, 62.0, 68.0, 55.0):
        servo.temperature = heat
        rig.run(10)
        told = [r for r in rig.core.status().reasons if r.code is ReasonCode.TEMPERATURE]
        seen[heat] = (bool(told), rig.backend.health.pace)
    assert seen == {
        59.0: (False, 1.0),
        62.0: (True, 1.0),
        68.0: (True, pytest.approx(1.0 - 0.75 * 3.0 / 5.0)),
        55.0: (False, 1.0),
    }
    servo.temperature = 71.0
    run_to_fault(rig)
    servo.temperature = 69.0
    rig.run(10)
    rig.core.clear_fault()
    with pytest.raises(FaultError, match=r'too hot: elbow 69 °C; .* after that at most 67 °C'):
        rig.core.activate()
    servo.temperature = 66.0
    rig.run(10)
    rig.core.clear_fault()
    rig.core.activate()


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_a_joint_that_is_held_off_is_told_before_it_is_a_fault(moving, family):
    """By more than half of what it may be off, for too long; no more once it is there."""
    rig = moving(family)
    rig.run(250)
    rig.emulated.inject('elbow', 'blocked', True)
    rig.offer({'elbow': rig.core.command.value[rig.robot.index('elbow')] - 0.3}, duration=0.5)
    rig.run(80)
    told = [str(r) for r in rig.core.status().reasons if r.code is ReasonCode.TRACKING]
    assert rig.core.driven
    assert len(told) == 1
    assert re.search(r'off its command: elbow 0\.(29|30)\d rad$', told[0])
    rig.emulated.inject('elbow', 'blocked', False)
    rig.run(60)
    assert not [r for r in rig.core.status().reasons if r.code is ReasonCode.TRACKING]


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_a_blocked_joint_stays_where_it_is_by_the_limit_of_the_bridge(moving, family):
    """That is stricter than the wiring here; the servo does not push on after the fault."""
    rig = moving(family)
    rig.backend.apply(SimpleNamespace(speed=1.0, tracking_error=0.1))
    rig.emulated.inject('elbow', 'blocked', True)
    run_to_fault(rig)
    assert rig.core.status().reasons[0].code is ReasonCode.TRACKING
    (wiring,) = (joint for joint in rig.config.joints if joint.name == 'elbow')
    place = rig.robot.index('elbow')
    off = abs(rig.core.command.value[place] - rig.core.measured.position[place])
    assert 0.1 < off < rig.config.protection.tracking_error
    rig.run(5)
    goal = wiring.position(rig.emulated.servos['elbow'].get('goal_position'))
    assert abs(goal - rig.core.measured.position[place]) < 0.02


def test_an_overloaded_servo_of_x_needs_a_restart(moving):
    """Activation says so; the others hold on. Of AX clearing the fault is enough."""
    rig = moving('x')
    rig.emulated.inject('elbow', 'overload', True)
    run_to_fault(rig)
    rig.core.clear_fault()
    with pytest.raises(SoftshellError, match=r'overloaded.*reboot'):
        rig.core.activate()
    rig.run(60)
    assert [name for name, servo in rig.emulated.servos.items() if not servo.torque] == ['elbow']
    assert 'restarts' in rig.backend.reboot('elbow')
    rig.run(3)
    rig.core.activate()
    rig.run(30)
    assert rig.core.mode is BridgeMode.HOLDING


def test_x_stops_by_itself_when_the_host_is_silent(moving):
    """After its watchdog's 0.2 s it stays where it is, though its goal is further on."""
    rig = moving('x')
    rig.emulated.step(0.02)
    for servo in rig.emulated.servos.values():
        assert servo.get('bus_watchdog') == 10
    rig.emulated.servos['elbow'].set('goal_position', 2048 + 900)
    rig.emulated.servos['elbow'].set('profile_velocity', 20)
    for _ in range(15):
        rig.emulated.step(0.02)
    assert all(servo.get('bus_watchdog') == -1 for servo in rig.emulated.servos.values())
    angle = rig.emulated.servos['elbow'].shaft.angle
    for _ in range(20):
        rig.emulated.step(0.02)
    assert rig.emulated.servos['elbow'].shaft.angle == pytest.approx(angle, abs=1e-6)
