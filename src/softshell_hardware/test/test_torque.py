"""When servos have their torque: nobody gets it unasked, and nobody keeps it unsaid."""

import numpy as np
import pytest

import softshell_hardware.driving.enlist as enlisting
from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_control.backend import StopPolicy
from softshell_description.load import load_robot
from softshell_hardware.bus.bus import Answer, Failure, ServoBus
from softshell_hardware.bus.families import X
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.refusal import Refusal
from softshell_hardware.emulator.servo import Servo
from softshell_hardware.wiring.units import Tendon
from softshell_kinematics.errors import SoftshellError

FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


def torques(rig):
    return [servo.torque for servo in rig.emulated.servos.values()]


def by_hand(rig, joint, way, ticks=20):
    """Move a joint slowly while nobody drives it."""
    shaft = rig.emulated.servos[joint].shaft
    for _ in range(ticks):
        shaft.angle += way / ticks
        rig.run()


@FAMILIES
def test_an_emergency_stop_leaves_limp_servos_limp(rig, family):
    """Whether they were never driven, let go, or moved by hand since."""
    made = rig('arm', family)
    made.core.emergency_stop()
    made.run(5)
    assert not any(torques(made))
    made.core.reset()
    made.core.activate()
    made.run(5)
    made.core.deactivate()
    for _ in range(2):
        by_hand(made, 'elbow', 0.6)
        made.core.emergency_stop()
        made.run(5)
        assert not any(torques(made))
        made.core.deactivate()


@FAMILIES
def test_a_joint_that_was_thrown_about_by_hand_is_where_it_is(rig, family):
    """What no motor can do is a fault while it drives, and else a new position."""
    made = rig('arm', family)
    made.run(5)
    made.emulated.servos['elbow'].shaft.angle += 1.2
    made.run(10)
    place = made.robot.index('elbow')
    wiring = made.config.joints[place]
    truth = wiring.position(made.emulated.servos['elbow'].get('present_position'))
    assert made.core.measured.position[place] == pytest.approx(truth)
    made.core.activate()
    assert made.core.mode is BridgeMode.HOLDING


@FAMILIES
def test_a_servo_whose_place_is_not_known_is_not_switched_on(rig, family, monkeypatch):
    """Its old goal would be somewhere else."""
    made = rig('arm', family)
    made.run(5)
    made.emulated.servos['elbow'].set('goal_position', 900)
    ask = enlisting.asked

    def deaf(bus, servo, registers):
        if servo == 2 and list(registers) == ['present_position']:
            return Answer({}, failure=Failure.DAMAGED)
        return ask(bus, servo, registers)

    monkeypatch.setattr(enlisting, 'asked', deaf)
    with pytest.raises(SoftshellError, match=r'servo 2 \(elbow\): the value for goal_pos'):
        made.core.activate()
    assert not any(torques(made))
    assert made.core.mode is BridgeMode.INACTIVE


def test_a_refusal_is_a_failure(rig, monkeypatch):
    """A servo that does not take its mode is named, and nothing is driven."""
    made = rig('arm', 'x')
    servo = made.emulated.servos['elbow']
    servo.set('operating_mode', 1)
    may = servo._refusal

    def refuse(register, value):
        return Refusal.RANGE if register.name == 'operating_mode' else may(register, value)

    monkeypatch.setattr(servo, '_refusal', refuse)
    with pytest.raises(
        SoftshellError, match=r'elbow.*: a refusal when operating_mode was written'
    ):
        made.core.activate()
    assert not any(torques(made))


def pushes_of(servo, monkeypatch):
    """Its torque and load after each order by which it is enlisted for a tendon."""
    tendon = Tendon('tendon', 'body', X, 7, '', 1, 1.78, 0.01)
    pushes = []
    said = enlisting.said

    def noted(*arguments):
        answer = said(*arguments)
        servo.step(0.001)
        pushes.append((servo.torque, servo.shaft.load))
        return answer

    monkeypatch.setattr(enlisting, 'said', noted)
    with EmulatedPort(EmulatedBus([servo])) as port:
        bus = ServoBus(port.path, X, slack=5.0).open()
        assert list(enlisting.enlist(bus, [tendon], load_robot('arm'), {})) == []
        bus.close()
    assert servo.torque
    return pushes


def test_a_tendon_is_slack_when_its_servo_comes_on(monkeypatch):
    """A change of the mode sets the goal to the largest current: it is 0 before the torque."""
    servo = Servo(X, 7)
    assert [push for on, push in pushes_of(servo, monkeypatch) if on and push] == []
    assert servo.get('goal_current') == 0


def test_a_tendon_that_holds_is_not_let_go(monkeypatch):
    """Neither it nor what it holds, whoever is enlisted again."""
    servo = Servo(X, 7)
    for name, value in (('operating_mode', 0), ('torque_enable', 1), ('goal_current', 100)):
        servo.set(name, value)
    servo.step(0.001)
    assert servo.shaft.load
    assert {*pushes_of(servo, monkeypatch)} == {(True, servo.shaft.load)}
    assert servo.get('goal_current') == 100


def test_ax_keeps_the_torque_limit_that_it_was_given(rig):
    """The largest torque that is kept without power, which protects what it moves."""
    made = rig('arm', 'ax')
    made.emulated.servos['elbow'].set('highest_torque', 400)
    made.core.activate()
    assert made.emulated.servos['elbow'].get('torque_limit') == 400


def test_limits_that_another_program_left_in_an_x_are_gone(rig):
    """A joint that may speed up by a lags by v²/2a at speed v; without PWM it does not move.

    The limit that is kept without power stays, as of AX.
    """
    made = rig('arm', 'x')
    servo = made.emulated.servos['elbow']
    for name, value in (('profile_acceleration', 5), ('goal_pwm', 0), ('pwm_limit', 700)):
        servo.set(name, value)
    made.core.activate()
    assert (servo.get('profile_acceleration'), servo.get('goal_pwm')) == (0, 700)
    goal = made.core.command.value[made.robot.index('elbow')] - 0.2
    made.offer({'elbow': goal})
    made.run(60)
    wiring = made.config.joints[made.robot.index('elbow')]
    assert wiring.position(servo.get('present_position')) == pytest.approx(goal, abs=0.01)


@FAMILIES
def test_servos_that_shall_give_way_do_so_when_their_port_is_back(rig, family):
    """Until then it is said that they did not confirm it."""
    made = rig('arm', family, policy=StopPolicy.RELAX)
    made.core.activate()
    made.run(5)
    made.emulated.inject('body', 'unplugged', True)
    made.run(5)
    assert made.core.mode is BridgeMode.FAULT
    codes = [reason.code for reason in made.core.status().reasons]
    assert codes[:2] == [ReasonCode.BUS, ReasonCode.STOP_FAILED]
    assert all(torques(made))
    made.emulated.inject('body', 'unplugged', False)
    made.run(60)
    assert not any(torques(made))


@FAMILIES
def test_a_port_that_goes_while_servos_are_switched_on_is_told(rig, family, monkeypatch):
    """Those that are on already give way as soon as it is back."""
    made = rig('arm', family)
    made.run(3)
    said = enlisting.said

    def goes(bus, servo, register, value):
        if (servo, register) == (2, 'torque_enable'):
            made.emulated.inject('body', 'unplugged', True)
        return said(bus, servo, register, value)

    monkeypatch.setattr(enlisting, 'said', goes)
    words = r'(?s)has gone.*switched off again: torque off is not confirmed by'
    with pytest.raises(SoftshellError, match=words):
        made.core.activate()
    assert torques(made)[0]
    made.emulated.inject('body', 'unplugged', False)
    made.run(60)
    assert not any(torques(made))
    monkeypatch.undo()
    made.core.activate()
    assert made.core.mode is BridgeMode.HOLDING


def test_after_a_reset_somebody_still_watches_over_servos_that_hold(rig):
    """The torque stays; the guardian and the servos' own watchdogs as well."""
    ax, x = rig('arm', 'ax', death='relax'), rig('arm', 'x')
    for made in (ax, x):
        made.core.activate()
        made.run(3)
        made.core.reset()
        made.run(10)
        assert all(torques(made))
        assert not made.reasons
    assert all(line.watch._heartbeat is not None for line in ax.backend.crew.lines)
    assert all(servo.get('bus_watchdog') == 10 for servo in x.emulated.servos.values())


@FAMILIES
def test_a_slow_robot_catches_up_slowly(rig, family):
    """A joint that was held up goes no faster than the robot may, times what is left of it."""
    made = rig('arm', family)
    made.backend._speed = 0.1
    made.core.activate()
    made.run(20)
    made.emulated.inject('elbow', 'blocked', True)
    place = made.robot.index('elbow')
    made.offer({'elbow': made.core.command.value[place] - 0.3}, duration=2.0)
    speed = 'moving_speed' if family == 'ax' else 'profile_velocity'
    for _ in range(120):
        made.run()
        sent = (
            made.emulated.servos['elbow'].get(speed) * made.config.joints[place].family.speed_unit
        )
        assert sent <= 1.2 * 0.1 * made.robot.joints[place].velocity


@pytest.mark.parametrize(
    ('where', 'fault', 'value'),
    [('elbow', 'overload', False), ('elbow', 'restart', 0.0), ('body', 'unplugged', 1.0)],
)
def test_what_happens_once_takes_no_other_value(rig, where, fault, value):
    """It is no wish that it does not happen."""
    made = rig('arm', 'ax')
    with pytest.raises(SoftshellError, match=f"fault '{fault}' is {value}; expected True"):
        made.emulated.inject(where, fault, value)
    assert not made.emulated.servos['elbow'].trouble
    assert made.emulated.ports['body'].plugged


@FAMILIES
def test_an_order_that_arrived_damaged_is_given_again(rig, family, monkeypatch):
    """A servo that says so has not done it, and refuses nothing."""
    made = rig('arm', family)
    for servo in made.emulated.servos.values():
        servo.set('goal_position', 900)
    port = made.emulated.ports['body']
    exchange, count = port.bus.exchange, [0]

    def damage(data, *others):
        count[0] += 1
        if count[0] % 3 == 0 and len(data) > 8:
            data = data[:-3] + bytes([data[-3] ^ 0x55]) + data[-2:]
        return exchange(data, *others)

    monkeypatch.setattr(port.bus, 'exchange', damage)
    made.core.activate()
    monkeypatch.undo()
    made.run(10)
    assert made.core.mode is BridgeMode.HOLDING
    assert np.abs(made.core.measured.velocity).max() < 0.05
    assert all(torques(made))


@FAMILIES
def test_of_servos_that_did_not_all_confirm_the_limp_stay_limp(rig, family):
    """One is silent when all are to give way: the others are moved by hand, and then stopped."""
    made = rig('arm', family)
    made.core.activate()
    made.run(5)
    made.emulated.inject('wrist', 'dead', True)
    with pytest.raises(SoftshellError, match=r'not confirmed by servo 3 \(wrist\)'):
        made.core.deactivate()
    for _ in range(2):
        by_hand(made, 'elbow', 0.6)
        made.core.emergency_stop()
        made.run(5)
        assert not any(torques(made)[:2])
    made.emulated.inject('wrist', 'dead', False)
    made.run(60)
    assert not any(torques(made))


@FAMILIES
def test_a_reset_that_fails_is_made_up_for(rig, family):
    """The port comes back: joints are measured again, and servos that owe it give way."""
    made = rig('arm', family, policy=StopPolicy.RELAX)
    made.core.activate()
    made.run(5)
    made.emulated.inject('body', 'unplugged', True)
    made.run(2)
    with pytest.raises(SoftshellError, match='there is no such device'):
        made.core.reset()
    made.run(5)
    assert not made.core.measured.valid.any()
    made.emulated.inject('wrist', 'dead', True)
    made.emulated.inject('body', 'unplugged', False)
    made.run(60)
    assert not any(torques(made)[:2])  # whoever else is missing
    made.emulated.inject('wrist', 'dead', False)
    made.run(60)
    assert made.core.measured.valid.all()
    assert not any(torques(made))


def test_a_servo_that_stopped_by_itself_stays_there_when_its_port_is_back(rig):
    """Its watchdog has tripped 0.3 rad before its goal, which is an old one by then."""
    made = rig('arm', 'x')
    made.core.activate()
    made.run(5)
    made.emulated.inject('elbow', 'blocked', True)
    place = made.robot.index('elbow')
    made.offer({'elbow': made.core.command.value[place] - 0.3}, duration=0.4)
    made.run(40)
    made.emulated.inject('body', 'unplugged', True)
    made.run(30)
    servo = made.emulated.servos['elbow']
    assert servo.get('bus_watchdog') == -1
    made.emulated.inject('elbow', 'blocked', False)
    before = servo.shaft.angle
    made.emulated.inject('body', 'unplugged', False)
    made.run(60)
    assert made.core.mode is BridgeMode.FAULT
    assert servo.get('bus_watchdog') == 10
    assert servo.shaft.angle == pytest.approx(before, abs=0.02)
