"""Ten thousand messages, sound ones and the worst, from the wire's form to the backend's command.

Check, follower and gate together: whatever is sent, and however the ticks come, nothing unsafe
reaches the backend, and everything that is refused or limited has its reason.
"""

import numpy as np
import pytest
from gate_rig import COUNT, EVERY_KIND, PERIOD, Watch, unrounded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import ENDED, GoalState
from softshell_common.reason import LIMITED, ReasonCode
from softshell_control.backend import Backend, Measured
from softshell_control.bridge import BridgeCore
from softshell_control.fault import FaultError
from softshell_control.gate import SHORTEST
from softshell_control.inbox import MOST_WAITING
from softshell_control.time_flow import CLOCK_BACK
from softshell_control.trajectories.check import Refusal, Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Tolerances

NAMES = EVERY_KIND.names
BEGIN = 1_000_000_000_000
TICK = round(PERIOD * 1e9)
NAN, INF = float('nan'), float('inf')

#: What may be wrong with a message, and the code that says so; None: nothing is.
WRONG = {
    'nothing': None,
    'unknown name': ReasonCode.UNKNOWN_CHANNEL,
    'name twice': ReasonCode.DUPLICATE_CHANNEL,
    'no names': ReasonCode.SIZE,
    'no points': ReasonCode.SIZE,
    'a value too few': ReasonCode.SIZE,
    'a rate too many': ReasonCode.SIZE,
    'value nan': ReasonCode.NOT_FINITE,
    'value infinite': ReasonCode.NOT_FINITE,
    'rate nan': ReasonCode.NOT_FINITE,
    'acceleration infinite': ReasonCode.NOT_FINITE,
    'time nan': ReasonCode.NOT_FINITE,
    'time back': ReasonCode.TIME,
    'time twice': ReasonCode.TIME,
    'time negative': ReasonCode.TIME,
    'time too long': ReasonCode.TIME,
    'start too far ahead': ReasonCode.STAMP,
}
FRACTION = st.integers(-8, 24).map(lambda part: part / 16.0)
MESSAGE = st.fixed_dictionaries(
    {
        'wrong': st.sampled_from(['nothing'] * len(WRONG) + list(WRONG)),
        'channels': st.sets(st.integers(0, COUNT - 1), min_size=1),
        'goals': st.lists(st.one_of(FRACTION, st.floats(-1e300, 1e300)), min_size=1, max_size=3),
        'span': st.sampled_from([0.0001, 0.004, 0.02, 0.1, 0.5]),
        'speed': st.sampled_from([None, None, 0.0, 1.0, -5.0, 1e200]),
        'delay': st.sampled_from([0, 0, 0, -1, 1, 5, 40]),
        'queued': st.booleans(),
        'path': st.sampled_from([None, None, None, 0.01]),
    }
)
#: How long the next ticks last, in periods; and what else happens before them.
TICKS = st.sampled_from(
    [
        (1.0,) * 3,
        (1.0,) * 12,
        (0.5, 1.5) * 3,
        (2.0,) * 3 + (0.5,) * 3,
        (0.1, 0.2, 2.5),
        (0.0, 30.0),
    ]
)
ELSE = st.sampled_from(
    ['nothing'] * 24
    + ['cancel', 'stick', 'flood', 'slow', 'back a little', 'far back', 'fail', 'stop', 'release']
)
STEPS = st.lists(st.tuples(MESSAGE, TICKS, ELSE), min_size=40, max_size=40)


class Perfect(Backend):
    """Does what it is told, or sticks where it is; and holds every command against the last."""

    name = 'perfect'
    owns_time = False

    def __init__(self, begin):
        self.measured = Measured.zero(EVERY_KIND.joints, COUNT)
        self.measured.channels[:] = begin
        self.stuck = self.broken = False
        self.now = self.changed = BEGIN
        self.watch = None
        self.problem = None

    def reset(self):
        return self.measured

    def activate(self):
        self.watch = Watch(EVERY_KIND, self.measured.channels)
        self.changed = self.now
        return self.measured

    def step(self, now, command):
        if self.broken:
            raise FaultError(ReasonCode.BUS, 'no port')
        if command is None:
            self.watch = None
        else:
            try:
                self.take(now, command)
            except AssertionError as error:  # the bridge would make a fault of it
                self.problem = error
        self.now = self.measured.stamp = now
        return self.measured

    def take(self, now, command):
        assert now > self.now
        if now - self.changed < SHORTEST * TICK:
            assert command.value.tolist() == self.watch.value.tolist()
            return
        self.watch.check(command.value, command.rate, (now - self.changed) * 1e-9)
        self.changed = now
        if not self.stuck:
            self.measured.channels[:] = command.value

    def stop(self, policy):
        self.watch = None


class Sender:
    """Sends messages, and keeps what became of each."""

    def __init__(self, begin):
        self.backend = Perfect(begin)
        self.core = BridgeCore(
            self.backend, EVERY_KIND, PERIOD, FollowerSettings(0.1, 0.05), start_time=BEGIN
        )
        self.core.activate()
        self.events = {}
        self.expected = {}

    def send(self, message):
        number = len(self.expected)
        identity = Identity('anybody', number.to_bytes(16, 'big'))
        checked = check_trajectory(*request_of(message, identity, self.core.now))
        self.expected[identity] = code = WRONG[message['wrong']]
        assert isinstance(checked, Refusal) == (code is not None)
        if code is not None:
            assert code in [reason.code for reason in checked.reasons]
        self.core.offer(checked)
        return identity

    def tick(self, now):
        reports = self.core.tick(now)
        if self.backend.problem is not None:
            raise self.backend.problem
        reasons = [reason for status in reports for reason in status.reasons]
        reasons += self.core.status().reasons
        for status in reports:
            goal = status.goal
            self.events.setdefault(goal.identity, []).append(goal)
            if goal.state in ENDED and goal.state is not GoalState.REACHED:
                assert goal.reasons
                assert all(reason.text and reason.code for reason in goal.reasons)
        return {reason.code for reason in reasons}

    def has_ended(self, identity):
        return identity in self.events and self.events[identity][-1].state in ENDED

    def pass_time(self, length):
        """One tick; what differs from what was wanted by then has its reason."""
        core, changed = self.core, self.backend.changed
        before = core.command.value.copy()
        codes = self.tick(core.now + round(length * TICK))
        if length == 0.0:
            assert ReasonCode.TIME in codes
        if core.driven and self.backend.changed != changed:
            value = core.command.value
            wanted = unrounded(core.follower.value, before, core.limits)
            if not np.allclose(wanted, value, rtol=1e-8, atol=1e-8):
                assert codes & LIMITED


def request_of(message, identity, now):
    """The arguments of `check_trajectory` for a message."""
    columns = sorted(message['channels'])
    names = [NAMES[column] for column in columns]
    lower, upper = EVERY_KIND.lower[columns], EVERY_KIND.upper[columns]
    values = [(lower + (upper - lower) * goal).tolist() for goal in message['goals']]
    times = [message['span'] * (point + 1) for point in range(len(values))]
    speed = message['speed']
    rates = [[] if speed is None else [speed] * len(names) for _ in values]
    accelerations = [[] for _ in values]
    stamp = now + message['delay'] * TICK
    {
        'nothing': lambda: None,
        'unknown name': lambda: names.__setitem__(0, 'nonsense'),
        'name twice': lambda: (names.append(names[0]), [row.append(0.0) for row in values]),
        'no names': names.clear,
        'no points': lambda: [rows.clear() for rows in (times, values, rates, accelerations)],
        'a value too few': lambda: values[-1].pop(),
        'a rate too many': lambda: rates[-1].extend([0.0] * (len(names) + 1)),
        'value nan': lambda: values[-1].__setitem__(-1, NAN),
        'value infinite': lambda: values[0].__setitem__(0, -INF),
        'rate nan': lambda: rates.__setitem__(slice(None), [[NAN] * len(names)] * len(values)),
        'acceleration infinite': lambda: accelerations.__setitem__(
            slice(None), [[INF] * len(names)] * len(values)
        ),
        'time nan': lambda: times.__setitem__(-1, NAN),
        'time back': lambda: (times.append(times[-1] / 2), extend(values, rates, accelerations)),
        'time twice': lambda: (times.append(times[-1]), extend(values, rates, accelerations)),
        'time negative': lambda: times.__setitem__(0, -1.0),
        'time too long': lambda: times.__setitem__(-1, 1e7),
        'start too far ahead': lambda: None,
    }[message['wrong']]()
    if message['wrong'] == 'start too far ahead':
        stamp = now + 3600 * 1_000_000_000
    queued = message['queued']
    request = Request(identity, stamp, names, times, values, rates, accelerations, queued)
    path = message['path']
    own = Tolerances(path=None if path is None else np.full(len(names), path))
    return request, NAMES, now, own


def extend(*lists):
    for rows in lists:
        rows.append(list(rows[-1]))


def happen(sender, what):
    """Something that is no message."""
    core, backend = sender.core, sender.backend
    if what == 'cancel' and sender.expected:
        core.cancel(list(sender.expected)[-1])
    elif what == 'stick':
        backend.stuck = not backend.stuck
    elif what == 'flood':
        before = len(sender.expected)
        sound = {'wrong': 'nothing', 'channels': {1}, 'goals': [0.5], 'span': 0.1, 'speed': None}
        for _ in range(MOST_WAITING + 5):
            sender.send({**sound, 'delay': 0, 'queued': True, 'path': None})
        for identity in list(sender.expected)[before + MOST_WAITING :]:
            sender.expected[identity] = ReasonCode.QUEUE_FULL
    elif what == 'slow':
        backend.measured.derating = None if backend.measured.derating is not None else SLOW
    elif what == 'back a little':
        before = core.command.value.copy()
        assert ReasonCode.TIME in sender.tick(core.now - round(0.5 * CLOCK_BACK * 1e9))
        assert core.command.value.tolist() == before.tolist()
    elif what == 'far back':
        assert ReasonCode.CLOCK in sender.tick(core.now - 3600 * 1_000_000_000)
        assert core.mode is BridgeMode.FAULT
    elif what == 'fail':
        backend.broken = True
        assert ReasonCode.BUS in sender.tick(core.now + TICK)
        backend.broken = False
        assert core.mode is BridgeMode.FAULT
    elif what == 'stop':
        core.emergency_stop()
        assert ReasonCode.EMERGENCY_STOP in sender.tick(core.now + TICK)
    elif what == 'release':
        core.deactivate()


SLOW = np.linspace(0.0, 1.0, COUNT)


def recover(sender):
    """Whatever stopped the bridge: back to holding, where it is measured."""
    core = sender.core
    if core.driven:
        return
    sender.tick(core.now + TICK)
    core.reset()
    core.activate()
    assert core.command.value.tolist() == sender.backend.measured.channels.tolist()
    assert not core.command.rate.any()


@settings(
    max_examples=75, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(STEPS, st.lists(st.floats(0.0, 1.0), min_size=COUNT, max_size=COUNT))
def test_nothing_unsafe_reaches_the_backend_in_three_thousand_messages(steps, begin):
    """40 messages in each of 75 runs, with cancels, floods, faults, and clocks that go wrong."""
    run(steps, begin)


@pytest.mark.long
@pytest.mark.timeout(1800)
@settings(max_examples=2500, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS, st.lists(st.floats(0.0, 1.0), min_size=COUNT, max_size=COUNT))
def test_nothing_unsafe_reaches_the_backend_in_a_hundred_thousand_messages(steps, begin):
    """The same with others each time."""
    run(steps, begin)


def run(steps, begin):
    sender = Sender(EVERY_KIND.lower + (EVERY_KIND.upper - EVERY_KIND.lower) * np.array(begin))
    for message, lengths, what in steps:
        recover(sender)
        happen(sender, what)
        recover(sender)
        sender.send(message)
        for length in lengths:
            sender.pass_time(length)
    sender.core.end()
    for _ in range(4 * MOST_WAITING):
        if all(sender.has_ended(identity) for identity in sender.expected):
            break
        sender.tick(sender.core.now + TICK)
    for identity, code in sender.expected.items():
        states = [event.state for event in sender.events[identity]]
        changes = [b for a, b in zip([None, *states], states, strict=False) if a is not b]
        assert sum(state in ENDED for state in changes) == 1
        assert changes[-1] in ENDED
        if code is not None:
            (event, *_) = sender.events[identity]
            assert event.state is GoalState.REJECTED
            assert code in [reason.code for reason in event.reasons]
