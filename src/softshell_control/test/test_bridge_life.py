"""The life of a bridge: inactive, driven, in a fault, stopped, and the ways between them."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_control.backend import Backend, Measured, StopPolicy
from softshell_control.bridge import BridgeCore, Mode
from softshell_control.channel import limits_of
from softshell_control.check import Request, check_trajectory
from softshell_control.follower import FollowerSettings, GoalState
from softshell_control.joint_map import JointMap
from softshell_control.mock import MockBackend
from softshell_control.trajectory import Identity
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

PERIOD = 0.004
ARM = load_robot('arm')
LIMITS = limits_of(ARM)
ELSEWHERE = np.array([-1.0, 1.0, -0.5])


class Probe(Backend):
    """A mock that writes down how it is called, and fails where it is told to."""

    name = 'probe'
    owns_time = True

    def __init__(self):
        self.inner = MockBackend(ARM, ELSEWHERE)
        self.calls = []
        self.commands = []
        self.fails = set()
        self.late = False

    def _enter(self, call):
        self.calls.append(call)
        if call.split()[0] in self.fails:
            raise OSError(f'no answer to {call}')

    def reset(self):
        self._enter('reset')
        return self.inner.reset()

    def activate(self):
        self._enter('activate')
        return self.inner.activate()

    def deactivate(self):
        self._enter('deactivate')

    def stop(self, policy):
        self._enter(f'stop {policy.value}')

    def step(self, now, command):
        self.commands.append(None if command is None else command.value.copy())
        if 'step' in self.fails and self.late:
            self.inner.step(now, command)
        if 'step' in self.fails:
            raise OSError('port is gone')
        return self.inner.step(now, command)


class Rig:
    """A bridge of the arm on a probe, and all that it reported."""

    def __init__(self, policy=StopPolicy.HOLD):
        self.backend = Probe()
        self.core = BridgeCore(self.backend, LIMITS, PERIOD, FollowerSettings(), policy)
        self.backend.calls.clear()
        self.reports = []
        self.offered = 0

    def run(self, ticks=1):
        reports = [status for _ in range(ticks) for status in self.core.tick()]
        self.reports += reports
        return reports

    def offer(self, goal=0.3, duration=1.0, queued=False):
        """Offer a trajectory of the elbow; returns its identity."""
        self.offered += 1
        identity = Identity('tester', self.offered.to_bytes(16, 'big'))
        request = Request(identity, 0, ['elbow'], [duration], [[goal]], [[]], queued=queued)
        self.core.offer(check_trajectory(request, LIMITS.names))
        return identity

    def ask(self, name):
        """Have a request carried out at the next tick; what it says, or the error it raises."""
        future = self.core.request(getattr(self.core, name))
        assert not future.done()
        self.run()
        return future.exception(0) or future.result(0)

    def states(self, identity):
        return [s.goal.state for s in self.reports if s.goal.identity == identity]

    def bring(self, mode):
        """From the beginning to a mode."""
        if mode in (Mode.HOLDING, Mode.EXECUTING, Mode.FAULT):
            self.core.activate()
        if mode is Mode.EXECUTING:
            self.offer(duration=5.0)
        if mode is Mode.FAULT:
            self.backend.fails.add('step')
        if mode is Mode.EMERGENCY_STOP:
            self.core.emergency_stop()
        self.run()
        assert self.core.mode is mode
        self.backend.fails.clear()
        self.backend.calls.clear()
        return self


EVERY = (Mode.INACTIVE, Mode.HOLDING, Mode.EXECUTING, Mode.FAULT, Mode.EMERGENCY_STOP)
NOT_DRIVEN = (Mode.INACTIVE, Mode.FAULT, Mode.EMERGENCY_STOP)


def test_starts_inactive():
    """A new bridge measures and commands nothing; it is reset and not activated."""
    backend = Probe()
    core = BridgeCore(backend, LIMITS, PERIOD, FollowerSettings())
    assert (core.mode, core.driven, backend.calls) == (Mode.INACTIVE, False, ['reset'])
    for _ in range(5):
        assert core.tick() == ()
    assert backend.commands == [None] * 5
    assert core.measured.stamp == core.now == 20_000_000
    assert core.measured.channels.tolist() == ELSEWHERE.tolist()


@pytest.mark.parametrize(
    ('mode', 'way_out'),
    [
        (Mode.INACTIVE, '~/activate it first'),
        (Mode.FAULT, '~/clear_fault and ~/activate first'),
        (Mode.EMERGENCY_STOP, '~/reset and ~/activate first'),
    ],
)
def test_where_nothing_is_driven_offers_are_refused_with_the_way_out(mode, way_out):
    """The reason says what to do, and the joints are not commanded."""
    rig = Rig().bring(mode)
    who = rig.offer()
    (status,) = rig.run()
    assert (status.mode, status.goal.identity) == (mode, who)
    assert status.goal.state is GoalState.REJECTED
    assert way_out in status.goal.reasons[0]
    assert rig.run(300) == []
    assert set(map(type, rig.backend.commands[-300:])) == {type(None)}


@pytest.mark.parametrize('mode', [Mode.HOLDING, Mode.EXECUTING])
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
    assert rig.ask('activate').startswith('active')
    assert rig.core.mode is Mode.HOLDING
    rig.run(100)
    for command in rig.backend.commands[7:]:
        assert command.tolist() == ELSEWHERE.tolist()
    assert rig.backend.calls == ['activate']
    assert [status.mode for status in rig.reports] == [Mode.HOLDING]


def test_activation_holds_where_the_joints_were_moved_to_by_hand():
    """What counts is what is measured now, not what was commanded before."""
    rig = Rig().bring(Mode.HOLDING)
    rig.offer()
    rig.run(100)
    rig.ask('deactivate')
    rig.backend.inner._measured.channels[:] = (-0.7, 0.9, 0.2)
    rig.ask('activate')
    rig.run(10)
    assert rig.backend.commands[-1].tolist() == [-0.7, 0.9, 0.2]


def test_activation_of_an_active_bridge_changes_nothing():
    """Not even the trajectory under way."""
    rig = Rig().bring(Mode.EXECUTING)
    assert rig.ask('activate') == 'active already'
    assert rig.backend.calls == []
    assert rig.core.mode is Mode.EXECUTING


def test_deactivation_stops_trajectories():
    """What is active and what waits end as STOPPED, and nothing is commanded any more."""
    rig = Rig().bring(Mode.HOLDING)
    active, waiting = rig.offer(), rig.offer(queued=True)
    rig.run(50)
    rig.ask('deactivate')
    assert rig.core.mode is Mode.INACTIVE
    assert rig.states(active) == [GoalState.ACTIVE, GoalState.STOPPED]
    assert rig.states(waiting) == [GoalState.WAITING, GoalState.STOPPED]
    assert rig.reports[-1].goal.reasons == ('the bridge was deactivated',)
    assert rig.backend.calls == ['deactivate']
    rig.run(10)
    assert rig.backend.commands[-10:] == [None] * 10


def test_deactivation_where_nothing_is_driven_says_so():
    """It succeeds, changes nothing and does not clear anything."""
    for mode in NOT_DRIVEN:
        rig = Rig().bring(mode)
        assert rig.ask('deactivate') == f'{mode.name.lower().replace("_", " ")} already'
        assert (rig.core.mode, rig.backend.calls) == (mode, [])


@pytest.mark.parametrize('policy', list(StopPolicy))
def test_a_fault_stops_by_the_policy_and_stays(policy):
    """The backend is stopped once, by the policy; the fault outlasts the failure."""
    rig = Rig(policy).bring(Mode.EXECUTING)
    rig.backend.fails.add('step')
    rig.run(20)
    rig.backend.fails.clear()
    rig.run(20)
    assert rig.core.mode is Mode.FAULT
    assert rig.backend.calls == [f'stop {policy.value}']
    assert rig.core.status().reasons == ('OSError: port is gone',)
    assert rig.reports[-1].goal.state is GoalState.STOPPED
    assert rig.reports[-1].goal.reasons == ('OSError: port is gone',)
    assert rig.backend.commands[-20:] == [None] * 20


@pytest.mark.parametrize('policy', list(StopPolicy))
def test_an_emergency_stop_stops_by_the_policy(policy):
    """It goes to the backend at once, as often as it is asked for."""
    rig = Rig(policy).bring(Mode.EXECUTING)
    assert policy.value in rig.ask('emergency_stop')
    rig.ask('emergency_stop')
    assert rig.backend.calls == [f'stop {policy.value}'] * 2
    assert rig.core.status().reasons == ('emergency stop',)


def test_a_fault_is_left_by_clearing_and_activating():
    """Clear_fault leads to INACTIVE, activate to HOLDING, and the next trajectory is followed."""
    rig = Rig().bring(Mode.FAULT)
    assert isinstance(rig.ask('activate'), SoftshellError)
    assert '~/activate' in rig.ask('clear_fault')
    assert rig.core.mode is Mode.INACTIVE
    assert rig.core.status().reasons == ()
    assert rig.backend.calls == []
    rig.ask('activate')
    assert rig.core.mode is Mode.HOLDING
    who = rig.offer(goal=0.4, duration=0.2)
    rig.run(100)
    assert rig.states(who)[:2] == [GoalState.ACTIVE, GoalState.REACHED]
    assert rig.core.measured.channels[1] == pytest.approx(0.4)


def test_a_cleared_fault_that_goes_on_is_a_fault_again():
    """Clearing does not hide what is still broken."""
    rig = Rig().bring(Mode.FAULT)
    rig.backend.fails.add('step')
    rig.ask('clear_fault')
    assert rig.core.mode is Mode.FAULT


@pytest.mark.parametrize('mode', [mode for mode in EVERY if mode is not Mode.FAULT])
def test_there_is_no_fault_to_clear(mode):
    """Everywhere else clear_fault is refused, an emergency stop above all, and changes nothing."""
    rig = Rig().bring(mode)
    assert str(rig.ask('clear_fault')) == 'there is no fault to clear'
    assert (rig.core.mode, rig.backend.calls) == (mode, [])


@pytest.mark.parametrize('mode', EVERY)
def test_emergency_stop_from_everywhere_and_reset_out_of_it(mode):
    """It works in every mode, only reset leads out, and then the bridge follows again."""
    rig = Rig().bring(mode)
    rig.ask('emergency_stop')
    assert (rig.core.mode, rig.backend.calls) == (Mode.EMERGENCY_STOP, ['stop hold'])
    for refused in ('activate', 'clear_fault'):
        assert isinstance(rig.ask(refused), SoftshellError)
        assert rig.core.mode is Mode.EMERGENCY_STOP
    rig.ask('deactivate')
    assert rig.core.mode is Mode.EMERGENCY_STOP
    rig.ask('reset')
    assert rig.core.mode is Mode.INACTIVE
    assert rig.core.status().reasons == ()
    assert rig.core.measured.channels.tolist() == ELSEWHERE.tolist()
    rig.ask('activate')
    who = rig.offer(duration=0.2)
    rig.run(100)
    assert rig.states(who)[:2] == [GoalState.ACTIVE, GoalState.REACHED]


def test_a_failing_backend_does_not_end_an_emergency_stop():
    """Steps that fail while stopped change nothing: it is no mere fault, to be cleared."""
    rig = Rig().bring(Mode.EMERGENCY_STOP)
    rig.backend.fails.add('step')
    assert rig.run(5) == []
    assert rig.core.mode is Mode.EMERGENCY_STOP


@pytest.mark.parametrize('mode', EVERY)
def test_reset_begins_anew_from_everywhere(mode):
    """No fault, no trajectory, the backend as at its start, not driven."""
    rig = Rig().bring(mode)
    assert rig.ask('reset').startswith('reset')
    assert rig.core.mode is Mode.INACTIVE
    assert rig.backend.calls == ['reset']
    assert rig.core.status().reasons == ()
    assert not rig.core.follower.executing(rig.core.now)
    if mode is Mode.EXECUTING:
        assert rig.reports[-1].goal.state is GoalState.STOPPED
        assert rig.reports[-1].goal.reasons == ('the bridge was reset',)


def test_an_error_of_activation_reaches_who_asked():
    """The requester has the error itself; the bridge stays inactive and can be asked again."""
    rig = Rig()
    rig.backend.fails.add('activate')
    error = rig.ask('activate')
    assert isinstance(error, OSError)
    assert str(error) == 'no answer to activate'
    assert rig.core.mode is Mode.INACTIVE
    assert rig.backend.commands == [None]
    rig.backend.fails.clear()
    rig.ask('activate')
    assert rig.core.mode is Mode.HOLDING


def test_what_is_not_measured_cannot_be_held():
    """A channel without a value refuses the activation by name, and the joints are let go."""
    rig = Rig()
    rig.backend.inner._measured.channels[1] = np.nan
    error = rig.ask('activate')
    assert isinstance(error, SoftshellError)
    assert 'elbow' in str(error)
    assert rig.core.mode is Mode.INACTIVE
    assert rig.backend.calls == ['activate', 'deactivate']
    assert rig.backend.commands == [None]


@pytest.mark.parametrize('call', ['reset', 'deactivate'])
def test_other_errors_of_a_backend_reach_who_asked(call):
    """A backend that fails to reset or to deactivate makes a fault, which can be cleared."""
    rig = Rig().bring(Mode.HOLDING)
    rig.backend.fails.add(call)
    assert isinstance(rig.ask(call), OSError)
    assert rig.core.mode is Mode.FAULT
    assert 'OSError' in rig.core.status().reasons[0]
    rig.backend.fails.clear()
    rig.ask('clear_fault')
    assert rig.core.mode is Mode.INACTIVE


def test_a_stop_that_fails_is_told_and_kills_nothing():
    """The bridge lives on, in the mode of a stop, and says that the backend did not stop."""
    rig = Rig().bring(Mode.EXECUTING)
    rig.backend.fails |= {'stop', 'step'}
    rig.run(5)
    assert rig.core.mode is Mode.FAULT
    assert rig.core.status().reasons == (
        'OSError: port is gone; the backend did not stop: OSError: no answer to stop hold',
    )
    assert 'did not stop' in rig.ask('emergency_stop')
    assert rig.core.mode is Mode.EMERGENCY_STOP
    assert 'did not stop: OSError' in rig.core.status().reasons[0]
    rig.backend.fails.clear()
    rig.ask('reset')
    rig.ask('activate')
    assert rig.core.mode is Mode.HOLDING


@pytest.mark.parametrize('late', [False, True])
def test_nothing_old_is_stamped_as_new(late):
    """From a failing step on the stamp of what was measured stands still, while time goes on."""
    rig = Rig().bring(Mode.HOLDING)
    rig.run(5)
    stamp, now = rig.core.measured.stamp, rig.core.now
    assert stamp == now
    rig.backend.fails.add('step')
    rig.backend.late = late
    rig.run(10)
    assert rig.core.measured.stamp == stamp
    assert rig.core.now == now + 10 * 4_000_000
    rig.backend.fails.clear()
    rig.run()
    assert rig.core.measured.stamp == rig.core.now


def test_an_invalid_joint_may_be_anything():
    """A joint that is not measured may be NaN; one that claims to be measured may not."""
    rig = Rig().bring(Mode.HOLDING)
    measured = rig.backend.inner._measured
    where = JointMap.of(ARM).names.index('elbow')
    positions = rig.backend.inner._map.positions

    def blind(independent, movable):
        positions(independent, movable)
        movable[where] = np.nan

    object.__setattr__(rig.backend.inner._map, 'positions', blind)
    measured.valid[where] = False
    rig.run(10)
    assert rig.core.mode is Mode.HOLDING
    measured.valid[where] = True
    rig.run()
    assert rig.core.mode is Mode.FAULT
    assert rig.core.status().reasons == ('measured joint positions are not finite',)


def test_requests_come_from_any_thread_in_order():
    """Requests of another thread are carried out by the thread that ticks, in their order."""
    rig, threads = Rig(), set()
    wishes = [rig.core.activate, rig.core.deactivate, rig.core.activate, rig.core.emergency_stop]
    answers = []

    def noting(change):
        def call():
            threads.add(threading.get_ident())
            return change()

        return call

    def ask():
        for wish in wishes:
            answers.append(rig.core.request(noting(wish)).result(30.0))

    asker = threading.Thread(target=ask)
    asker.start()
    while asker.is_alive():
        rig.run()
    asker.join()
    assert len(answers) == 4
    assert rig.core.mode is Mode.EMERGENCY_STOP
    assert threads == {threading.get_ident()}
    assert [status.mode for status in rig.reports] == [
        Mode.HOLDING,
        Mode.INACTIVE,
        Mode.HOLDING,
        Mode.EMERGENCY_STOP,
    ]


def test_two_changes_in_one_tick_both_count():
    """An activation and an emergency stop before the same tick end in the stop."""
    rig = Rig()
    first = rig.core.request(rig.core.activate)
    second = rig.core.request(rig.core.emergency_stop)
    rig.run()
    assert (first.done(), second.done(), rig.core.mode) == (True, True, Mode.EMERGENCY_STOP)
    assert rig.backend.commands == [None]


WAYS = {
    'activate': {Mode.INACTIVE: Mode.HOLDING},
    'deactivate': {Mode.HOLDING: Mode.INACTIVE, Mode.EXECUTING: Mode.INACTIVE},
    'clear_fault': {Mode.FAULT: Mode.INACTIVE},
    'emergency_stop': dict.fromkeys(EVERY, Mode.EMERGENCY_STOP),
    'reset': dict.fromkeys(EVERY, Mode.INACTIVE),
}
DEEDS = st.one_of(
    st.sampled_from(sorted(WAYS)),
    st.sampled_from(['run', 'run', 'fail', 'mend', 'no stop']),
    st.tuples(st.floats(-9.0, 9.0), st.floats(0.001, 0.3), st.booleans()),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(DEEDS, max_size=40), st.sampled_from(list(StopPolicy)))
def test_whatever_happens(deeds, policy):
    """No sequence of requests, failures and trajectories leads anywhere that is not in the table.

    A tick never raises; nothing is commanded where nothing is driven; every command is finite and
    within the limits; what is measured is never dated later than it was; every trajectory ends at
    most once.
    """
    rig = Rig(policy)
    core = rig.core
    for deed in deeds:
        before = core.mode
        if deed == 'run':
            rig.run(20)
            continue
        if deed in ('fail', 'mend', 'no stop'):
            {
                'fail': lambda: rig.backend.fails.add('step'),
                'mend': rig.backend.fails.clear,
                'no stop': lambda: rig.backend.fails.add('stop'),
            }[deed]()
            rig.run()
        elif isinstance(deed, tuple):
            rig.offer(*deed)
            rig.run()
        else:
            answer = rig.ask(deed)
            wanted = WAYS[deed].get(before, before)
            refused = deed == 'clear_fault' and before is not Mode.FAULT
            refused |= deed == 'activate' and before in (Mode.FAULT, Mode.EMERGENCY_STOP)
            assert isinstance(answer, SoftshellError if refused else str)
            if wanted not in (Mode.FAULT, Mode.EMERGENCY_STOP) and 'step' in rig.backend.fails:
                wanted = Mode.FAULT
            driven = (Mode.HOLDING, Mode.EXECUTING)
            assert core.mode is wanted or (core.mode in driven and wanted in driven)
        assert core.driven == (rig.backend.commands[-1] is not None) or (
            core.mode is Mode.FAULT and 'step' in rig.backend.fails
        )
        assert core.measured.stamp <= core.now
    for command in rig.backend.commands:
        if command is not None:
            assert (command >= LIMITS.lower).all()
            assert (command <= LIMITS.upper).all()
    rig.core.reset()
    rig.run()
    ends = [s.goal.identity for s in rig.reports if s.goal.state > GoalState.ACTIVE]
    for number in range(1, rig.offered + 1):
        identity = Identity('tester', number.to_bytes(16, 'big'))
        states = rig.states(identity)
        assert identity in ends
        changes = [b for a, b in zip([None, *states], states, strict=False) if a is not b]
        assert sum(state > GoalState.ACTIVE for state in changes) == 1
        assert changes[-1] > GoalState.ACTIVE


def test_measured_of_nothing():
    """A measurement without any reading: all joints valid, at zero, nothing else measured."""
    measured = Measured.zero(5, 7)
    assert measured.valid.all()
    assert (len(measured.position), len(measured.channels), measured.stamp) == (5, 7, 0)
    parts = (measured.base, measured.imu, measured.contacts, measured.voltage)
    assert parts == (None, None, None, None)
