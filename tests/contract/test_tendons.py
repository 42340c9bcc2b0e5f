"""Every bridge that can drives what is no joint: the tendons of a hand, with servos by current."""

import numpy as np
import pytest
from contract_bridges import BRIDGES
from contract_rig import Rig

from softshell_common.reason import ReasonCode

#: Goals of some tendons [N].
GOALS = {'close_0': 6.0, 'close_2': 3.0, 'left_1': 4.5}


#: Every bridge but that of AX servos, which know no current.
KINDS = [name for name in BRIDGES if name != 'hardware-ax']


@pytest.fixture(params=KINDS)
def hand(request, tmp_path):
    """A bridge of the hand, driven; afterwards all its commands are held against the limits."""
    rig = Rig(BRIDGES[request.param], 'hand', tmp_path)
    rig.ask('activate')
    yield rig
    rig.close()
    rig.check_commands()


def tensions(rig):
    """(channels,) as measured [N]."""
    return rig.core.channels.copy()


def expected(rig, goals):
    """(channels,) of goals, 0 where there is none [N]."""
    return np.array([goals.get(name, 0.0) for name in rig.limits.names])


def test_activation_pulls_at_nothing(hand):
    """Tendons are slack, and stay so until something is commanded."""
    hand.run(0.3)
    assert hand.mode == 'HOLDING'
    assert not hand.core.command.value.any()
    assert np.abs(tensions(hand)).max() < 0.4
    hand.check_measured()


def test_tensions_are_reached_and_held(hand):
    """All in their time, each within its tolerance; whoever is not named stays slack."""
    name = hand.offer(GOALS, 0.5)
    hand.run(1.0)
    assert hand.states(name) == ['ACTIVE', 'REACHED']
    assert hand.core.command.value == pytest.approx(expected(hand, GOALS))
    off = np.abs(tensions(hand) - expected(hand, GOALS))
    assert (off <= hand.limits.tolerance + 1e-9).all(), off
    assert hand.codes() <= {ReasonCode.NONE}


def test_a_jump_is_made_at_the_rate_of_the_channel(hand):
    """What asks for 9 N at once gets them at 60 N/s, and hears that it was limited."""
    hand.offer({'close_0': 9.0}, hand.period)
    hand.run(0.05)
    assert 0.0 < hand.core.command.value[0] <= 60.0 * 0.05 + 1e-9
    hand.run(0.5)
    assert hand.core.command.value[0] == pytest.approx(9.0)
    assert ReasonCode.RATE in hand.codes()


def test_an_emergency_stop_holds_what_is_held(hand):
    """Nothing is dropped; deactivated, tendons go slack, and activation begins from there."""
    hand.offer(GOALS, 0.3)
    hand.run(0.8)
    hand.ask('emergency_stop')
    hand.run(0.4)
    off = np.abs(tensions(hand) - expected(hand, GOALS))
    assert (off <= hand.limits.tolerance + 1e-9).all(), off
    hand.ask('reset')
    hand.ask('activate')
    hand.run(0.2)
    if hand.kind is BRIDGES['hardware-x']:  # the others begin anew in a reset
        off = np.abs(tensions(hand) - expected(hand, GOALS))
        assert (off <= hand.limits.tolerance + 1e-9).all(), off
    hand.ask('deactivate')
    hand.run(0.4)
    if hand.kind is not BRIDGES['mock']:  # whose channels stay where they are told to be
        assert np.abs(tensions(hand)).max() < 0.4
    hand.ask('activate')
    before = tensions(hand)
    hand.run(0.2)
    assert hand.core.command.value == pytest.approx(np.clip(before, 0.0, 15.0), abs=0.4)


@pytest.mark.parametrize(
    ('goals', 'words'),
    [({'clos_0': 1.0}, 'clos_0'), ({'close_0': float('nan')}, 'close_0'), ({}, 'is empty')],
)
def test_what_no_tendon_can_do_is_refused(hand, goals, words):
    """With the reason, and nothing moves."""
    name = hand.offer(goals)
    hand.run(0.2)
    assert hand.states(name) == ['REJECTED']
    (reason,) = hand.events(name)[-1].reasons
    assert words in reason.text
    assert not hand.core.command.value.any()


def test_figures_are_told_of_what_has_no_joints(hand):
    """Of servos those of their bus; there is no joint that was measured longest ago."""
    figures = hand.backend.diagnostics()
    assert 'oldest joint' not in figures
    if hand.kind is BRIDGES['hardware-x']:
        assert 'fingers: read cycle' in figures


def test_an_adapter_that_is_unplugged_is_a_warning_while_nothing_is_driven(tmp_path):
    """Also of a robot with elastic joints, which no servo measures; plugged in it is driven."""
    rig = Rig(BRIDGES['hardware-x'], 'hand', tmp_path)
    rig.run(0.1)
    rig.plant.emulated.inject('fingers', 'unplugged', True)
    rig.run(0.2)
    assert rig.mode == 'INACTIVE'
    assert ReasonCode.BUS in rig.why
    rig.plant.emulated.inject('fingers', 'unplugged', False)
    rig.run(1.0)
    rig.ask('activate')
    assert rig.mode == 'HOLDING'
    rig.close()
