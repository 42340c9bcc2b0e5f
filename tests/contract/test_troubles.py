"""Refusals, faults, joints that are not measured, and bridges that begin in the middle."""

import numpy as np
import pytest

from softshell_common.reason import ReasonCode


def test_a_refused_activation_says_why_and_changes_nothing(rig):
    """The bridge stays inactive, its status says why; once the cause is gone, it drives."""
    expected = rig.plant.lock(True)
    mark = len(rig.commands)
    error = rig.ask('activate')
    assert isinstance(error, Exception)
    assert expected.text in str(error)
    assert rig.mode == 'INACTIVE'
    assert rig.why == [expected.code]
    rig.run(0.3)
    assert all(row is None for row in rig.commands[mark:])
    rig.plant.lock(False)
    assert isinstance(rig.ask('activate'), str)
    assert rig.mode == 'HOLDING'
    assert rig.why == []


def test_a_fault_is_latched_told_and_cleared(driven):
    """Mid-motion: goals are stopped, commands refused; it is left by clearing, then activation."""
    rig = driven
    name = rig.offer({'elbow': 0.8}, 1.5)
    rig.run(0.3)
    rig.plant.fail(True)
    rig.run(0.3)
    assert rig.mode == 'FAULT'
    assert rig.why[0] in rig.plant.fault
    assert rig.states(name) == ['ACTIVE', 'STOPPED']
    assert rig.events(name)[-1].reasons[0].code is rig.why[0]
    mark = len(rig.commands)
    assert isinstance(rig.ask('activate'), Exception)
    refused = rig.offer({'elbow': 1.5})
    rig.run(0.3)
    rig.plant.fail(False)
    rig.run(0.3)
    assert rig.mode == 'FAULT'  # the cause is gone, the fault is not
    assert rig.states(refused) == ['REJECTED']
    assert all(row is None for row in rig.commands[mark:])
    assert isinstance(rig.ask('clear_fault'), str)
    assert rig.mode == 'INACTIVE'
    assert rig.why == []
    rig.run(1.5)
    at, since = rig.inside, len(rig.trace)
    assert isinstance(rig.ask('activate'), str)
    rig.run(0.5)
    rig.check_still(at, since)
    rig.check_goes_home()
    assert rig.states(name) == ['ACTIVE', 'STOPPED']


def test_there_is_nothing_to_clear_without_a_fault(rig):
    """The request is refused, and says so."""
    assert 'no fault' in str(rig.ask('clear_fault'))
    assert rig.mode == 'INACTIVE'


def test_a_joint_that_is_not_measured_is_no_number_and_cannot_be_held(rig):
    """It is unknown in the channels; activation is refused by its name, till it is measured."""
    rig.ticks(3)
    place = rig.place('elbow')
    assert np.isfinite(rig.core.channels).all()
    rig.plant.lose('elbow')
    for _ in range(round(2.0 / rig.period)):
        rig.ticks()
        if np.isnan(rig.core.channels[place]):
            break
    assert np.isnan(rig.core.channels[place])
    assert not rig.core.measured.valid[place]
    error = rig.ask('activate')
    assert isinstance(error, Exception)
    assert 'elbow' in str(error)
    assert rig.mode == 'INACTIVE'
    assert set(rig.why) <= {ReasonCode.NOT_MEASURED, ReasonCode.REFUSED, ReasonCode.STALE}
    assert rig.why
    rig.plant.lose(None)
    rig.run(0.5)
    assert isinstance(rig.ask('activate'), str)
    assert np.isfinite(rig.core.channels).all()
    rig.run(0.2)
    assert rig.mode == 'HOLDING'


@pytest.mark.parametrize('killed', [False, True], ids=['ended', 'killed'])
def test_a_bridge_that_is_restarted_in_motion_moves_nothing(driven, killed):
    """A new one begins inactive and refuses commands; activated, it holds what it measures."""
    rig = driven
    rig.offer({'elbow': 0.8}, 1.0)
    rig.run(0.5)
    before, speed = rig.plant.truth(), np.abs(rig.trace[-1].rate)
    rig.leave(killed)
    rig.run(1.0)
    rig.begin()
    assert rig.mode == 'INACTIVE'
    commands = len(rig.commands)
    if rig.kind.lives_on:
        coast = rig.tolerance + speed * (rig.kind.lag + 2 * rig.period)
        assert (np.abs(rig.plant.truth() - before) <= coast).all()
    refused = rig.offer({'elbow': 1.5}, 0.5)
    rig.run(1.5)
    assert rig.states(refused) == ['REJECTED']
    assert [r.code for r in rig.events(refused)[-1].reasons] == [ReasonCode.NOT_DRIVEN]
    assert all(row is None for row in rig.commands[commands:])
    at, mark = rig.inside, len(rig.trace)
    assert isinstance(rig.ask('activate'), str)
    measured = rig.commanded()
    assert np.abs(measured - at).max() <= rig.kind.rest
    rig.run(1.0)
    assert rig.commanded().tolist() == measured.tolist()
    rig.check_still(at, mark)
    rig.check_no_jump(mark)
    rig.check_goes_home()


def test_what_is_measured_is_whole_at_every_time(rig):
    """Arrays of the right sizes, the time of the tick, in every mode; other parts may be None."""
    rig.ticks(2)
    rig.check_measured()
    rig.ask('activate')
    rig.check_measured()
    rig.offer({'elbow': 1.4}, 0.3)
    rig.run(0.6)
    rig.check_measured()
    rig.ask('emergency_stop')
    rig.ticks(2)
    rig.check_measured()
    assert isinstance(rig.backend.diagnostics(), dict)
    assert list(rig.backend.warnings()) == []
