"""Whatever ends a motion, it ends within the limits, and nothing moves again by itself."""

import numpy as np

from softshell_common.reason import ReasonCode


def moving(rig):
    """A rig in the middle of a motion of all joints."""
    name = rig.offer({'shoulder': -1.0, 'elbow': 0.8, 'wrist': -0.6}, 1.0)
    rig.run(0.5)
    assert np.abs(rig.trace[-1].rate).min() > 0.5
    return name


def came_to_rest(rig, at, speed, since):
    """The joints end where they were commanded to be, but for what they cannot brake at once."""
    coast = rig.tolerance + speed * (rig.kind.lag + 2 * rig.period)
    truth = rig.array('truth')
    assert (np.abs(truth[-1] - at) <= coast).all()
    assert np.abs(truth[-1] - truth[-5]).max() < 0.01
    rig.check_no_jump(since)


def test_an_emergency_stop_is_latched_till_the_reset(driven):
    """Mid-motion: the joints stop where they are, and stay; only reset and activation lead out."""
    rig = driven
    name = moving(rig)
    at, speed, since = rig.commanded(), np.abs(rig.trace[-1].rate), len(rig.trace)
    assert 'stopped' in rig.ask('emergency_stop')
    assert rig.mode == 'EMERGENCY_STOP'
    assert rig.states(name) == ['ACTIVE', 'STOPPED']
    assert [r.code for r in rig.events(name)[-1].reasons] == [ReasonCode.EMERGENCY_STOP]
    mark = len(rig.commands)
    for request in ('activate', 'clear_fault'):
        assert isinstance(rig.ask(request), Exception), request
        assert rig.mode == 'EMERGENCY_STOP'
    refused = rig.offer({'elbow': 1.5}, 0.3)
    rig.run(1.5)
    assert rig.states(refused) == ['REJECTED']
    assert [r.code for r in rig.events(refused)[-1].reasons] == [ReasonCode.NOT_DRIVEN]
    assert rig.why[0] is ReasonCode.EMERGENCY_STOP
    assert all(row is None for row in rig.commands[mark:])
    came_to_rest(rig, at, speed, since)
    assert 'stopped' in rig.ask('emergency_stop')  # once more changes nothing
    rig.run(0.2)
    came_to_rest(rig, at, speed, since)


def test_after_a_reset_nothing_jumps_and_nothing_resumes(driven):
    """Reset leads to inactive; activation holds what is measured then, the old goal is gone."""
    rig = driven
    moving(rig)
    rig.ask('emergency_stop')
    rig.run(0.5)
    mark, before = len(rig.trace), rig.plant.truth()
    assert isinstance(rig.ask('reset'), str)
    assert rig.mode == 'INACTIVE'
    rig.run(0.2)
    if rig.kind.lives_on:
        rig.check_still(before, mark)
    rig.run(1.0)  # joints that gave way have come to rest
    mark, at = len(rig.trace), rig.inside
    assert isinstance(rig.ask('activate'), str)
    assert np.abs(rig.commanded() - at).max() <= rig.kind.rest
    measured = rig.commanded()
    rig.run(1.5)
    assert rig.commanded().tolist() == measured.tolist()
    assert rig.mode == 'HOLDING'
    assert rig.why == []
    rig.check_still(at, mark)
    rig.check_no_jump(mark)
    rig.check_goes_home()


def test_deactivation_ends_commands_and_activation_holds_anew(driven):
    """Mid-motion: the goal is stopped, nothing is commanded till activation, then it holds."""
    rig = driven
    name, mark = moving(rig), len(rig.commands)
    assert isinstance(rig.ask('deactivate'), str)
    assert rig.mode == 'INACTIVE'
    rig.run(1.5)
    assert rig.states(name) == ['ACTIVE', 'STOPPED']
    assert [r.code for r in rig.events(name)[-1].reasons] == [ReasonCode.DEACTIVATED]
    assert all(row is None for row in rig.commands[mark:])
    at, mark = rig.plant.truth(), len(rig.trace)
    rig.ask('activate')
    rig.run(1.0)
    rig.check_still(at, mark)
    assert rig.states(name) == ['ACTIVE', 'STOPPED']
    assert rig.modes()[-2:] == ['INACTIVE', 'HOLDING']


def test_activation_of_what_is_active_changes_nothing(driven):
    """In the course of a motion, which goes on."""
    begin, start = driven.commanded(), driven.now
    name = driven.offer({'elbow': 1.4}, 0.6)
    driven.run(0.2)
    assert driven.ask('activate') == 'active already'
    driven.run(1.0)
    assert driven.states(name) == ['ACTIVE', 'REACHED']
    driven.check_followed('elbow', begin[driven.place('elbow')], 1.4, start, 0.6)


def test_the_end_of_the_bridge_ends_goals_by_name(driven):
    """Each goal under way, and each that waits."""
    first = driven.offer({'elbow': 1.4}, 1.0)
    second = driven.offer({'elbow': 1.2}, 1.0, queued=True)
    driven.run(0.3)
    driven.ask('end')
    driven.run(0.3)
    for name in (first, second):
        assert driven.states(name)[-1] == 'STOPPED'
        assert [r.code for r in driven.events(name)[-1].reasons] == [ReasonCode.ENDING]
    assert driven.mode == 'HOLDING'


def test_long_without_a_command_the_joints_are_let_go_if_that_is_wanted(make):
    """After `relax_timeout`, and told with its code; an activation holds them anew."""
    rig = make(relax_timeout=0.5)
    rig.ask('activate')
    rig.run(0.6)
    assert rig.mode == 'INACTIVE'
    assert rig.why == [ReasonCode.TIMEOUT]
    rig.ask('activate')
    assert rig.mode == 'HOLDING'
