"""An activation that fails at its end: who held before holds on, and nobody else does."""

import pytest

from softshell_common.bridge_mode import BridgeMode
from softshell_hardware.driving.line import Line
from softshell_kinematics.errors import SoftshellError

FAMILIES = pytest.mark.parametrize('family', ['ax', 'x'])


@pytest.fixture
def falls_silent(monkeypatch):
    """Has a servo of a rig die as soon as all of its line were told to hold."""

    def begin(made, joint):
        enlist = Line.enlist

        def enlisting(line, robot):
            yield from enlist(line, robot)
            made.emulated.inject(joint, 'dead', True)

        monkeypatch.setattr(Line, 'enlist', enlisting)

    return begin


def torques(made):
    return {name: servo.torque for name, servo in made.emulated.servos.items()}


@FAMILIES
def test_who_held_holds_on_if_a_servo_falls_silent_in_an_activation(rig, family, falls_silent):
    """The activation is refused and names it; a robot may stand on the others."""
    made = rig('arm', family)
    made.core.activate()
    made.run(5)
    made.core.reset()
    falls_silent(made, 'elbow')
    with pytest.raises(SoftshellError, match=r'do not hold.*\n.*\(elbow\): no answer'):
        made.core.activate()
    made.run(5)
    assert made.core.mode is BridgeMode.INACTIVE
    assert [held for name, held in torques(made).items() if name != 'elbow'] == [True, True]


@FAMILIES
def test_who_was_limp_is_limp_if_a_servo_falls_silent_in_an_activation(rig, family, falls_silent):
    """The activation is refused and names it; all are switched off, that one once it is back."""
    made = rig('arm', family)
    made.run(5)
    falls_silent(made, 'elbow')
    with pytest.raises(SoftshellError, match=r'do not hold.*\n.*\(elbow\): no answer'):
        made.core.activate()
    made.run(5)
    assert made.core.mode is BridgeMode.INACTIVE
    assert [name for name, held in torques(made).items() if held] == ['elbow']
    made.emulated.inject('elbow', 'dead', False)
    made.run(60)
    assert not any(torques(made).values())
