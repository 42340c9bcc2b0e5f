"""Requests to a bridge, in any order and from any thread."""

import threading

import pytest
from bridge_rig import EVERY, LIMITS, Rig
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import StopPolicy
from softshell_control.bridge import DELAY, MOST_REPORTS
from softshell_control.status import Requests
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.trajectory import Identity
from softshell_kinematics.errors import SoftshellError


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
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP
    assert threads == {threading.get_ident()}
    assert [status.mode for status in rig.reports] == [
        BridgeMode.HOLDING,
        BridgeMode.INACTIVE,
        BridgeMode.HOLDING,
        BridgeMode.EMERGENCY_STOP,
    ]


def test_two_changes_in_one_tick_both_count():
    """An activation and an emergency stop before the same tick end in the stop."""
    rig = Rig()
    first = rig.core.request(rig.core.activate)
    second = rig.core.request(rig.core.emergency_stop)
    rig.run()
    assert (first.done(), second.done(), rig.core.mode) == (True, True, BridgeMode.EMERGENCY_STOP)
    assert rig.backend.commands == [None]


@pytest.fixture
def waiting():
    """A bridge whose activation waits until it is interrupted."""
    rig, interrupted, entered = Rig(), threading.Event(), threading.Event()
    backend = rig.backend

    def activate():
        backend.calls.append('activate')
        entered.set()
        assert interrupted.wait(60.0)
        raise SoftshellError('interrupted')

    def interrupt():
        backend.calls.append('interrupt')
        interrupted.set()

    backend.activate, backend.entered = activate, entered
    rig.core._requests = Requests(interrupt, lambda: backend.calls.append('resume'))
    return rig


def test_a_stop_ends_what_is_carried_out(waiting):
    """The activation fails at once, and what stops comes after it, in its order."""
    rig = waiting
    begun = rig.core.request(rig.core.activate)
    ticking = threading.Thread(target=rig.run)
    ticking.start()
    assert rig.backend.entered.wait(60.0)
    stops = [rig.core.request(rig.core.emergency_stop, stops=True) for _ in range(2)]
    ticking.join(60.0)
    rig.run()  # the second stop may have come after that tick
    assert str(begun.exception(0.0)) == 'interrupted'
    assert all(stop.result(0.0).startswith('stopped') for stop in stops)
    calls = ['activate', 'interrupt', 'resume', 'stop hold', 'resume', 'stop hold']
    assert [call for call in rig.backend.calls if call != 'interrupt'] == [
        call for call in calls if call != 'interrupt'
    ]
    assert rig.backend.calls[1] == 'interrupt'
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP


def test_a_stop_that_waits_already_ends_what_is_begun_before_it(waiting):
    """Both came before the tick: the activation ends at once all the same."""
    rig = waiting
    begun = rig.core.request(rig.core.activate)
    stop = rig.core.request(rig.core.emergency_stop, stops=True)
    rig.run()
    assert str(begun.exception(0.0)) == 'interrupted'
    assert stop.result(0.0).startswith('stopped')
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP


def test_a_stop_interrupts_nothing_where_nothing_is_carried_out(waiting):
    """Between two ticks, and while another stop is carried out, which is brought to its end."""
    rig = waiting

    def stop_once_more():
        again.append(rig.core.request(rig.core.emergency_stop, stops=True))
        return rig.core.emergency_stop()

    again = []
    rig.core.request(stop_once_more, stops=True)
    rig.run()
    assert again[0].done()
    assert 'interrupt' not in rig.backend.calls
    assert rig.core.mode is BridgeMode.EMERGENCY_STOP


UNKNOWN = Reason(ReasonCode.UNKNOWN_CHANNEL, 'no such joint')

WAYS = {
    'activate': {BridgeMode.INACTIVE: BridgeMode.HOLDING},
    'deactivate': {
        BridgeMode.HOLDING: BridgeMode.INACTIVE,
        BridgeMode.EXECUTING: BridgeMode.INACTIVE,
    },
    'clear_fault': {BridgeMode.FAULT: BridgeMode.INACTIVE},
    'emergency_stop': dict.fromkeys(EVERY, BridgeMode.EMERGENCY_STOP),
    'reset': dict.fromkeys(EVERY, BridgeMode.INACTIVE),
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
            refused = deed == 'clear_fault' and before is not BridgeMode.FAULT
            refused |= deed == 'activate' and before in (
                BridgeMode.FAULT,
                BridgeMode.EMERGENCY_STOP,
            )
            assert isinstance(answer, SoftshellError if refused else str)
            if (
                wanted not in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
                and 'step' in rig.backend.fails
            ):
                wanted = BridgeMode.FAULT
            driven = (BridgeMode.HOLDING, BridgeMode.EXECUTING)
            assert core.mode is wanted or (core.mode in driven and wanted in driven)
        assert core.driven == (rig.backend.commands[-1] is not None) or (
            core.mode is BridgeMode.FAULT and 'step' in rig.backend.fails
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


def test_many_ends_at_once_are_told_a_few_a_tick_and_all_in_order():
    """To send reports takes time, which the control loop does not have."""
    rig = Rig().bring(BridgeMode.HOLDING)
    rig.reports.clear()
    refusals = [
        Identity('flood', number.to_bytes(16, 'big')) for number in range(3 * MOST_REPORTS)
    ]
    for identity in refusals:
        rig.core.offer(Refusal(identity, (UNKNOWN,)))
    counts = [len(rig.run()) for _ in range(4)]
    assert counts == [MOST_REPORTS] * 3 + [0]
    assert [status.goal.identity for status in rig.reports] == refusals


def test_reports_do_not_pile_up_however_long_messages_come():
    """Each tick brings twice as many as leave in one while few wait; the last is told in time."""
    rig = Rig().bring(BridgeMode.HOLDING)
    for tick in range(6 * DELAY):
        for number in range(2 * MOST_REPORTS):
            identity = Identity('stream', bytes([number]) + tick.to_bytes(15, 'big'))
            rig.core.offer(Refusal(identity, (UNKNOWN,)))
        rig.run()
    rig.reports.clear()
    last = Identity('last', bytes(16))
    rig.core.offer(Refusal(last, (UNKNOWN,)))
    for _ in range(2 * DELAY):
        rig.run()
    assert last in [status.goal.identity for status in rig.reports]
