"""The life of a bridge: inactive, driven, in a fault, stopped, and the ways between them."""

import pytest
from bridge_rig import ELSEWHERE, EVERY, LIMITS, NOT_DRIVEN, PERIOD, Probe, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured, StopPolicy
from softshell_control.bridge import FAREWELL, BridgeCore
from softshell_control.trajectories.follower import FollowerSettings
from softshell_kinematics.errors import SoftshellError


def test_starts_inactive():
    """A new bridge measures and commands nothing; it is reset and not activated."""
    backend = Probe()
    core = BridgeCore(backend, LIMITS, PERIOD, FollowerSettings())
    assert (core.mode, core.driven, backend.calls) == (BridgeMode.INACTIVE, False, ['reset'])
    for _ in range(5):
        assert core.tick() == ()
    assert backend.commands == [None] * 5
    assert core.measured.stamp == core.now == 20_000_000
    assert core.measured.channels.tolist() == ELSEWHERE.tolist()


@pytest.mark.parametrize(
    ('mode', 'way_out'),
    [
        (BridgeMode.INACTIVE, '~/activate it first'),
        (BridgeMode.FAULT, '~/clear_fault and ~/activate first'),
        (BridgeMode.EMERGENCY_STOP, '~/reset and ~/activate first'),
    ],
)
def test_where_nothing_is_driven_offers_are_refused_with_the_way_out(mode, way_out):
    """The reason says what to do, and the joints are not commanded."""
    rig = Rig().bring(mode)
    who = rig.offer()
    (status,) = rig.run()
    assert (status.mode, status.goal.identity) == (mode, who)
    assert status.goal.state is GoalState.REJECTED
    assert way_out in status.goal.reasons[0].text
    assert status.goal.reasons[0].code is ReasonCode.NOT_DRIVEN
    assert rig.run(300) == []
    assert set(map(type, rig.backend.commands[-300:])) == {type(None)}


@pytest.mark.parametrize('mode', [BridgeMode.HOLDING, BridgeMode.EXECUTING])
def test_where_the_joints_are_driven_offers_are_taken(mode):
    """Holding or executing, a trajectory is active at the next tick, and reached."""
    rig = Rig().bring(mode)
    who = rig.offer(duration=0.5)
    rig.run(200)
    assert rig.states(who)[:2] == [GoalState.ACTIVE, GoalState.REACHED]


def test_activation_does_not_jump():
    """The command after an activation is what was measured, to the last bit, and stays so."""
    rig = Rig()
    rig.run(7)
    assert rig.ask('activate') == 'the joints are driven, and hold where they are'
    assert rig.core.mode is BridgeMode.HOLDING
    rig.run(100)
    for command in rig.backend.commands[7:]:
        assert command.tolist() == ELSEWHERE.tolist()
    assert rig.backend.calls == ['activate']
    assert [status.mode for status in rig.reports] == [BridgeMode.HOLDING]


def test_activation_holds_where_the_joints_were_moved_to_by_hand():
    """What counts is what is measured now, not what was commanded before."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.offer()
    rig.run(100)
    rig.ask('deactivate')
    rig.backend.inner._measured.channels[:] = (-0.7, 0.9, 0.2)
    rig.ask('activate')
    rig.run(10)
    assert rig.backend.commands[-1].tolist() == [-0.7, 0.9, 0.2]


def test_activation_of_an_active_bridge_changes_nothing():
    """Not even the trajectory under way."""
    rig = Rig().bring(BridgeMode.EXECUTING)
    assert rig.ask('activate') == 'active already'
    assert rig.backend.calls == []
    assert rig.core.mode is BridgeMode.EXECUTING


def test_deactivation_stops_trajectories():
    """What is active and what waits end as STOPPED, and nothing is commanded any more."""
    rig = Rig().bring(BridgeMode.HOLDING)
    active, waiting = rig.offer(), rig.offer(queued=True)
    rig.run(50)
    rig.ask('deactivate')
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.states(active) == [GoalState.ACTIVE, GoalState.STOPPED]
    assert rig.states(waiting) == [GoalState.WAITING, GoalState.STOPPED]
    assert rig.reports[-1].goal.reasons == (
        Reason(ReasonCode.DEACTIVATED, 'the bridge was deactivated'),
    )
    assert rig.backend.calls == ['deactivate']
    rig.run(10)
    assert rig.backend.commands[-10:] == [None] * 10


def test_deactivation_where_nothing_is_driven_says_so():
    """What a stop left held is let go; no fault and no emergency stop ends by it."""
    for mode in NOT_DRIVEN:
        rig = Rig().bring(mode)
        words = mode.name.lower().replace('_', ' ')
        assert rig.ask('deactivate') == f'the joints are not driven; the mode is {words}'
        assert (rig.core.mode, rig.backend.calls) == (mode, ['deactivate'])


@pytest.mark.parametrize('policy', list(StopPolicy))
def test_a_fault_stops_by_the_policy_and_stays(policy):
    """The backend is stopped once, by the policy; the fault outlasts the failure."""
    rig = Rig(policy).bring(BridgeMode.EXECUTING)
    rig.backend.fails.add('step')
    rig.run(20)
    rig.backend.fails.clear()
    rig.run(20)
    assert rig.core.mode is BridgeMode.FAULT
    assert rig.backend.calls == [f'stop {policy.value}']
    assert rig.core.status().reasons == (Reason(ReasonCode.BACKEND, 'OSError: port is gone'),)
    assert rig.reports[-1].goal.state is GoalState.STOPPED
    assert rig.reports[-1].goal.reasons == (Reason(ReasonCode.BACKEND, 'OSError: port is gone'),)
    assert rig.backend.commands[-20:] == [None] * 20


@pytest.mark.parametrize('policy', list(StopPolicy))
def test_an_emergency_stop_stops_by_the_policy(policy):
    """It goes to the backend at once, as often as it is asked for."""
    rig = Rig(policy).bring(BridgeMode.EXECUTING)
    assert policy.value in rig.ask('emergency_stop')
    rig.ask('emergency_stop')
    assert rig.backend.calls == [f'stop {policy.value}'] * 2
    assert rig.core.status().reasons == (Reason(ReasonCode.EMERGENCY_STOP, 'emergency stop'),)


def test_a_fault_is_left_by_clearing_and_activating():
    """Clear_fault leads to INACTIVE, activate to HOLDING, and the next trajectory is followed."""
    rig = Rig().bring(BridgeMode.FAULT)
    assert isinstance(rig.ask('activate'), SoftshellError)
    assert '~/activate' in rig.ask('clear_fault')
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.core.status().reasons == ()
    assert rig.backend.calls == []
    rig.ask('activate')
    assert rig.core.mode is BridgeMode.HOLDING
    who = rig.offer(goal=0.4, duration=0.2)
    rig.run(100)
    assert rig.states(who)[:2] == [GoalState.ACTIVE, GoalState.REACHED]
    assert rig.core.measured.channels[1] == pytest.approx(0.4)


@pytest.mark.parametrize('mode', [mode for mode in EVERY if mode is not BridgeMode.FAULT])
def test_there_is_no_fault_to_clear(mode):
    """Everywhere else clear_fault is refused, an emergency stop above all, and changes nothing."""
    rig = Rig().bring(mode)
    words = mode.name.lower().replace('_', ' ')
    expected = f'no fault to clear: mode is {words}; expected fault'
    assert str(rig.ask('clear_fault')) == expected
    assert (rig.core.mode, rig.backend.calls) == (mode, [])


@pytest.mark.parametrize('mode', EVERY)
def test_emergency_stop_from_everywhere_and_reset_out_of_it(mode):
    """It works in every mode, only reset leads out, and then the bridge follows again."""
    rig = Rig().bring(mode)
    rig.ask('emergency_stop')
    assert (rig.core.mode, rig.backend.calls) == (BridgeMode.EMERGENCY_STOP, ['stop hold'])
    for refused in ('activate', 'clear_fault'):
        assert isinstance(rig.ask(refused), SoftshellError)
        assert rig.core.mode is BridgeMode.EMERGENCY_STOP
    rig.ask('deactivate')
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP
    rig.ask('reset')
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.core.status().reasons == ()
    assert rig.core.measured.channels.tolist() == ELSEWHERE.tolist()
    rig.ask('activate')
    who = rig.offer(duration=0.2)
    rig.run(100)
    assert rig.states(who)[:2] == [GoalState.ACTIVE, GoalState.REACHED]


def test_a_bridge_that_ends_begins_nothing():
    """Trajectories that come after its farewell are refused with it; the robot holds."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.ask('end')
    who = rig.offer()
    rig.run(3)
    assert rig.states(who) == [GoalState.REJECTED]
    assert rig.reports[-1].goal.reasons == (FAREWELL,)
    assert rig.core.mode is BridgeMode.HOLDING


@pytest.mark.parametrize('mode', EVERY)
def test_reset_begins_anew_from_everywhere(mode):
    """No fault, no trajectory, the backend as at its start, not driven."""
    rig = Rig().bring(mode)
    assert rig.ask('reset') == 'the bridge is as at its start; ~/activate drives the joints'
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.backend.calls == ['reset']
    assert rig.core.status().reasons == ()
    assert not rig.core.follower.executing(rig.core.now)
    if mode is BridgeMode.EXECUTING:
        assert rig.reports[-1].goal.state is GoalState.STOPPED
        assert rig.reports[-1].goal.reasons == (Reason(ReasonCode.RESET, 'the bridge was reset'),)


def test_measured_of_nothing():
    """A measurement without any reading: all joints valid, at zero, nothing else measured."""
    measured = Measured.zero(5, 7)
    assert measured.valid.all()
    assert (len(measured.position), len(measured.channels), measured.stamp) == (5, 7, 0)
    parts = (measured.base, measured.imu, measured.contacts, measured.voltage)
    assert parts == (None, None, None, None)
