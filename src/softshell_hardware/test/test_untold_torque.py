"""Servos that do not tell, however often they are asked, whether they have their torque."""

from types import SimpleNamespace

import pytest

import softshell_hardware.driving.enlist as enlisting
from softshell_description.load import load_robot
from softshell_hardware.bus.bus import Answer, Failure, ServoBus
from softshell_hardware.bus.families import X
from softshell_hardware.emulator.bus import EmulatedBus
from softshell_hardware.emulator.port import EmulatedPort
from softshell_hardware.emulator.servo import Servo
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.units import Tendon
from softshell_kinematics.errors import SoftshellError

FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


@pytest.fixture
def untold(monkeypatch):
    """Damages all answers of a servo about one register, or about what else is named."""

    def begin(servo, *further):
        read, write = ServoBus.read, ServoBus.write

        def reading(bus, asked, registers):
            answer = read(bus, asked, registers)
            lost = asked == servo and list(registers) == ['torque_enable']
            return Answer({}, failure=Failure.DAMAGED) if lost else answer

        def writing(bus, told, register, value):
            if told == servo and register in further:
                return Answer({}, failure=Failure.DAMAGED)
            return write(bus, told, register, value)

        monkeypatch.setattr(ServoBus, 'read', reading)
        monkeypatch.setattr(ServoBus, 'write', writing)

    return begin


def blocked(rig, family):
    """An arm whose elbow is far from its goal."""
    made = rig('arm', family)
    made.core.activate()
    made.run(30)
    made.emulated.inject('elbow', 'blocked', True)
    made.offer({'elbow': made.core.command.value[made.robot.index('elbow')] - 0.3}, duration=0.5)
    made.run(60)
    made.backend.apply(SimpleNamespace(speed=1.0, tracking_error=0.1))
    return made


@FAMILIES
def test_a_blocked_joint_that_does_not_tell_its_torque_is_told_to_stay(rig, family, untold):
    """It may have it, and would go on to its goal."""
    made = blocked(rig, family)
    untold(2)
    made.core.emergency_stop()
    (wiring,) = (joint for joint in made.config.joints if joint.name == 'elbow')
    goal = wiring.position(made.emulated.servos['elbow'].get('goal_position'))
    assert goal == pytest.approx(made.core.measured.position[made.robot.index('elbow')], abs=0.02)
    assert len(made.reasons) == 1


@FAMILIES
def test_a_blocked_joint_that_says_nothing_at_all_is_named(rig, family, untold):
    """With what was expected of it."""
    made = blocked(rig, family)
    untold(2, 'goal_position')
    made.core.emergency_stop()
    words = 'to stay is not confirmed by servo 2 (elbow); expected each to take the place where'
    assert any(words in reason for reason in made.reasons)


@FAMILIES
def test_a_servo_that_confirmed_to_be_limp_stays_so_without_telling(rig, family, untold):
    """Another one has not confirmed it yet; this one was moved by hand."""
    made = rig('arm', family)
    made.core.activate()
    made.run(5)
    made.emulated.inject('wrist', 'dead', True)
    with pytest.raises(SoftshellError, match=r'not confirmed by servo 3 \(wrist\)'):
        made.core.deactivate()
    for _ in range(20):
        made.emulated.servos['elbow'].shaft.angle += 0.03
        made.run()
    untold(2)
    made.core.emergency_stop()
    assert not made.emulated.servos['elbow'].torque


@FAMILIES
def test_a_servo_that_does_not_tell_its_torque_at_the_start_counts_as_holding(rig, family, untold):
    """Another program may have left it so; a servo that is missing has no torque to lose."""
    made = rig('arm', family)
    for line in made.backend.crew.lines:
        line.bus.close()
    untold(2)
    backend = HardwareBackend(
        made.robot, made.config, made.period, clock=lambda: made.now, hurried=False
    )
    (line,) = backend.crew.lines
    try:
        made.emulated.inject('elbow', 'dead', True)
        with pytest.raises(SoftshellError, match='does not answer'):
            backend.reset()
        assert not line.torque.stiff
        made.emulated.inject('elbow', 'dead', False)
        backend.reset()
        assert line.torque.stiff
    finally:
        backend.close()


@pytest.mark.parametrize('holds', [False, True])
def test_a_tendon_that_does_not_tell_its_torque_is_left_as_it_is(holds, untold):
    """If it holds, it would let go; if not, it may pull with all it has."""
    servo = Servo(X, 7)
    for name, value in (('operating_mode', 0), ('torque_enable', holds), ('goal_current', 100)):
        servo.set(name, int(value))
    tendon = Tendon('tendon', 'body', X, 7, '', 1, 1.78, 0.01)
    untold(7)
    with EmulatedPort(EmulatedBus([servo])) as port:
        bus = ServoBus(port.path, X, slack=5.0).open()
        problems = list(enlisting.enlist(bus, [tendon], load_robot('arm'), {}))
        bus.close()
    assert problems == ['servo 7 (tendon): the value for torque_enable could not be read']
    assert (servo.torque, servo.get('goal_current')) == (holds, 100)
