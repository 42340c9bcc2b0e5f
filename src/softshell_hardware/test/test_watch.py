"""What watches over servos that hold: it is there as long as they do, and trips for nothing."""

import os
import signal
import subprocess
import time
from types import SimpleNamespace

import pytest
from hardware_rig import PERIOD, HardwareRig, wiring_text

from softshell_common.bridge_mode import BridgeMode
from softshell_control.backend import StopPolicy
from softshell_description.load import load_robot
from softshell_hardware.bus.bus import Answer, Failure, PortError, ServoBus
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.config import load_hardware
from softshell_kinematics.errors import SoftshellError

#: Without so many beats a guardian trips; a busy machine is not so late.
BEATS = 100
FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


def torques(rig):
    return [servo.torque for servo in rig.emulated.servos.values()]


def wait_until(condition, what):
    """Of what another process does."""
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end, f'waited in vain for {what}'
        time.sleep(0.01)


def guardian_of(rig):
    return rig.backend.crew.lines[0].watch._heartbeat


@FAMILIES
def test_a_port_that_fails_once_is_opened_again_and_its_servos_hold(rig, family, monkeypatch):
    """Its guardian has the same port open, and neither locks it nor switches anything off."""
    made = rig('arm', family, death='relax')
    made.core.activate()
    made.run(3)
    first = guardian_of(made)
    port = made.backend.crew.lines[0].bus._port

    def fails(size):
        raise OSError('device reports readiness to read but returned no data')

    monkeypatch.setattr(port.ser, 'read', fails)
    made.run()
    assert made.core.mode is BridgeMode.FAULT
    made.run(60)
    assert made.core.measured.valid.all()
    assert all(torques(made))
    second = guardian_of(made)
    assert second is not first
    assert second.beat()
    assert not second.took_over
    made.core.reset()
    made.core.activate()
    made.run(3)
    assert made.core.mode is BridgeMode.HOLDING


@pytest.mark.parametrize('reset', [False, True])
def test_a_guardian_that_tripped_while_joints_were_held_is_told(tmp_path, reset):
    """Its servos are limp, whatever was the policy; nobody watches over them any more."""
    path = tmp_path / 'arm.yaml'
    path.write_text(
        f'{wiring_text(load_robot("arm"), "ax")}\non_host_death: relax\nbeats: {BEATS}\n'
    )
    rig = HardwareRig('arm', path)
    try:
        rig.core.activate()
        rig.core.emergency_stop()
        wait_until(lambda: not any(torques(rig)), 'the guardian')
        if reset:  # before anything else
            rig.core.reset()
        words = (
            f'its guardian heard nothing for {BEATS * PERIOD:.2f} s and let the servos give way'
        )
        for _ in range(100):  # as long as nobody drives the joints again
            rig.run()
            assert any(words in each for each in rig.reasons)
        assert guardian_of(rig) is None
        assert not rig.backend.crew.lines[0].torque.stiff
        rig.core.reset()
        rig.core.activate()
        assert all(torques(rig))
        assert not rig.reasons
    finally:
        rig.close()


@pytest.mark.parametrize('held', [False, True])
def test_a_guardian_that_died_is_told_and_replaced(rig, held):
    """At once while joints are driven; while they are held there is a new one soon."""
    made = rig('arm', 'ax', death='relax')
    made.core.activate()
    if held:
        made.core.emergency_stop()
    process = guardian_of(made)._process
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: process.poll() is not None, 'its end')
    made.run()
    assert any('its guardian has ended by itself' in reason for reason in made.reasons)
    assert made.core.mode is (BridgeMode.EMERGENCY_STOP if held else BridgeMode.FAULT)
    made.run(60)
    assert all(torques(made))
    assert guardian_of(made)._process.poll() is None


@pytest.mark.parametrize('lost', [None, 'bus_watchdog', 'present_position', 'goal_position'])
@pytest.mark.parametrize('way', ['reset', 'activate', 'close'])
def test_a_servo_that_its_watchdog_stopped_stays_there_whatever_comes(rig, monkeypatch, way, lost):
    """The loop was still; its goal is 0.3 rad away, an old one by then; an answer is damaged."""
    made = rig('arm', 'x')
    made.core.activate()
    made.run(5)
    made.emulated.inject('elbow', 'blocked', True)
    place = made.robot.index('elbow')
    made.offer({'elbow': made.core.command.value[place] - 0.3}, duration=0.4)
    made.run(25)
    made.emulated.step(0.4)
    servo = made.emulated.servos['elbow']
    assert servo.get('bus_watchdog') == -1
    made.emulated.inject('elbow', 'blocked', False)
    before = servo.shaft.angle
    made.core.emergency_stop()
    left = [1]
    for name in ('read', 'write'):
        monkeypatch.setattr(ServoBus, name, losing(getattr(ServoBus, name), lost, left))
    if way == 'close':
        made.backend.close()
    else:
        made.core.reset()
        if way == 'activate':
            made.core.activate()
        made.run(30)
        assert servo.get('bus_watchdog') == 10
    made.emulated.step(1.0)
    assert servo.shaft.angle == pytest.approx(before, abs=0.02)
    assert left == [0] or lost is None


@FAMILIES
@pytest.mark.parametrize('lost', ['torque_enable', 'goal_position'])
def test_a_blocked_joint_is_told_to_stay_until_it_says_so(rig, family, lost, monkeypatch):
    """Also where the first answer of its servo to that is damaged."""
    made, left = rig('arm', family), [1]
    made.core.activate()
    made.run(30)
    made.emulated.inject('elbow', 'blocked', True)
    made.offer({'elbow': made.core.command.value[made.robot.index('elbow')] - 0.3}, duration=0.5)
    made.run(60)
    made.backend.apply(SimpleNamespace(speed=1.0, tracking_error=0.1))
    for name in ('read', 'write'):
        monkeypatch.setattr(ServoBus, name, losing(getattr(ServoBus, name), lost, left, True))
    made.core.emergency_stop()
    (wiring,) = (joint for joint in made.config.joints if joint.name == 'elbow')
    goal = wiring.position(made.emulated.servos['elbow'].get('goal_position'))
    assert left == [0]
    assert goal == pytest.approx(made.core.measured.position[made.robot.index('elbow')], abs=0.02)


def losing(function, register, left, reads=False):
    """A question or an order whose first answer about a register of servo 2 is damaged."""

    def damaged(bus, servo, what, *more):
        answer = function(bus, servo, what, *more)
        is_it = [what] if isinstance(what, str) else list(what)
        # The state of a watchdog is read; that it is switched off is what counts here.
        if (
            left[0]
            and servo == 2
            and is_it == [register]
            and (reads or more or register[0] == 'p')
        ):
            left[0] -= 1
            return Answer({}, failure=Failure.DAMAGED)
        return answer

    return damaged


@FAMILIES
def test_a_servo_owes_it_still_if_the_port_goes_while_it_is_asked(rig, family, monkeypatch):
    """It is the last one that owes it: it gives way when the port is back."""
    made = rig('arm', family)
    made.core.activate()
    made.run(3)
    made.emulated.inject('wrist', 'dead', True)
    with pytest.raises(SoftshellError, match=r'servo 3 \(wrist\)'):
        made.core.deactivate()
    made.emulated.inject('wrist', 'dead', False)
    write = ServoBus.write

    def goes(bus, servo, register, value):
        if servo == 3 and register == 'torque_enable':
            monkeypatch.undo()
            bus.close()
            raise PortError('has gone')
        return write(bus, servo, register, value)

    line = made.backend.crew.lines[0]
    # Nobody tells all at once: it is the one question that counts.
    monkeypatch.setattr(line.torque, 'tell', lambda: None)
    monkeypatch.setattr(ServoBus, 'write', goes)
    made.run(40)
    made.run(60)
    assert torques(made) == [False, False, False]
    assert not line.torque.stiff


@FAMILIES
def test_servos_that_another_program_left_holding_are_watched_and_owe_it(rig, family, monkeypatch):
    """They hold on; a deactivation that they cannot hear is made up for."""
    made = rig('arm', family, death='relax')
    made.core.activate()
    made.run(3)
    for line in made.backend.crew.lines:  # not a word to the servos
        line.watch.end()
        line.bus.close()
    made.emulated.servos['wrist'].set('torque_enable', 0)
    backend = HardwareBackend(
        made.robot, made.config, made.period, clock=lambda: made.now, hurried=False
    )
    (line,) = backend.crew.lines
    try:
        backend.reset()
        for _ in range(10):
            made.emulated.step(made.period)
            made.now += round(1e9 * made.period)
            backend.step(made.now, None)
        assert torques(made) == [True, True, False]
        assert line.watch._heartbeat is not None
        made.emulated.inject('body', 'unplugged', True)
        backend.step(made.now, None)
        with pytest.raises(SoftshellError, match=r'not confirmed by servo 1 \(shoulder\)'):
            backend.stop(StopPolicy.RELAX)
        made.emulated.inject('body', 'unplugged', False)
        for _ in range(60):
            made.now += round(1e9 * made.period)
            backend.step(made.now, None)
        assert torques(made) == [False, False, False]
    finally:
        backend.close()


def test_a_watchdog_that_is_shorter_than_the_control_loop_is_refused(tmp_path):
    """It would stop the servos while all is well."""
    robot = load_robot('arm')
    path = tmp_path / 'arm.yaml'
    path.write_text(f'{wiring_text(robot, "x")}\nwatchdog: 0.04\n')
    with pytest.raises(SoftshellError, match=r'watchdog is 0\.04 s; expected at least 0\.06 s'):
        HardwareBackend(robot, load_hardware(robot, path), 0.02)


def test_servos_that_fall_silent_before_they_are_watched_are_not_waited_for(rig, monkeypatch):
    """A control period asks few questions, whether anyone answers or not."""
    made = rig('arm', 'x')
    made.core.activate()
    made.run(3)
    made.core.reset()
    assert len(made.backend.crew.lines[0].watch.waiting) == 3
    for name in made.robot.joint_names:
        made.emulated.inject(name, 'dead', True)
    answer, asked = ServoBus._answer, [0]

    def counted(bus, *arguments):
        asked[0] += 1
        return answer(bus, *arguments)

    monkeypatch.setattr(ServoBus, '_answer', counted)
    for _ in range(20):
        asked[0] = 0
        made.run()
        assert asked[0] <= 8


def test_a_start_that_is_refused_lets_nothing_fall(rig, monkeypatch):
    """Servos hold that another program has left so; one is missing: no guardian is started."""
    made = rig('arm', 'ax', death='relax')
    made.core.activate()
    for line in made.backend.crew.lines:
        line.watch.end()
        line.bus.close()
    made.emulated.inject('wrist', 'dead', True)
    backend = HardwareBackend(
        made.robot, made.config, made.period, clock=lambda: made.now, hurried=False
    )
    started = []
    monkeypatch.setattr(subprocess, 'Popen', lambda *arguments, **options: started.append(1))
    with pytest.raises(SoftshellError, match='does not answer'):
        backend.reset()
    assert backend.crew.lines[0].torque.stiff
    assert not started
    monkeypatch.undo()
    backend.close()


def test_a_control_period_that_is_too_short_for_a_bus_is_refused(tmp_path):
    """31 servos at 57 600 baud: their goals alone take 43 ms."""
    robot = load_robot('shell')
    path = tmp_path / 'shell.yaml'
    text = wiring_text(robot, 'ax').replace('family: ax}', 'family: ax, baud: 57600}')
    path.write_text(text)
    words = r"bus 'body': a control period is 0\.02 s; expected at least 0\.\d+ s for 31 servos"
    with pytest.raises(SoftshellError, match=words):
        HardwareBackend(robot, load_hardware(robot, path), 0.02)
    HardwareBackend(robot, load_hardware(robot, path), 0.1)
