"""What becomes of trajectories: waiting, active, reached, missed, replaced, stopped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_control.channel import Channel, Limits
from softshell_control.follower import Follower, FollowerSettings, GoalEvent, GoalState
from softshell_control.trajectory import NOBODY, Identity, Tolerances, Trajectory
from softshell_description.config import ChannelKind

PERIOD = 0.004
TICK = 4_000_000
BEGIN = 1_000_000_000
SETTINGS = FollowerSettings(goal_timeout=0.1, command_timeout=0.02)
WAITING, ACTIVE, REACHED, MISSED = (
    GoalState.WAITING,
    GoalState.ACTIVE,
    GoalState.REACHED,
    GoalState.MISSED,
)
REPLACED, REJECTED, STOPPED = GoalState.REPLACED, GoalState.REJECTED, GoalState.STOPPED


def channels(*tolerances, unit='rad'):
    return Limits(
        tuple(
            Channel(f'j{k}', ChannelKind.POSITION, unit, -9.0, 9.0, 9.0, 99.0, tolerance)
            for k, tolerance in enumerate(tolerances)
        )
    )


def whose(number):
    """Each number has a sender of its own."""
    return Identity(f'sender {number}', bytes([number]) * 16)


def make(number, duration, goal, joints=(0,), queued=False, stamp=0, rates=None, tolerances=None):
    goals = np.full((1, len(joints)), goal, dtype=float)
    times = np.array([duration])
    return Trajectory(
        whose(number),
        stamp,
        np.array(joints),
        times,
        goals,
        rates,
        queued,
        tolerances or Tolerances(),
    )


class Rig:
    """A follower of two joints, whose measured joints follow its wish, or stick."""

    def __init__(self, limits=None):
        self.follower = Follower(limits or channels(0.05, 0.05), PERIOD, SETTINGS)
        self.now = BEGIN
        self.stuck = False
        self.measured = np.zeros(2)
        self.command = np.zeros(2)
        self.events = []

    def note(self, events):
        self.events += [(self.now, event) for event in events]

    def offer(self, trajectory):
        self.note(self.follower.offer(trajectory, self.now, self.command, np.zeros(2)))

    def cancel(self, number):
        self.note(self.follower.cancel(whose(number), self.command, 'cancelled'))

    def hold(self, reason):
        self.note(self.follower.hold(self.command, reason))

    def run(self, ticks):
        for _ in range(ticks):
            self.note(self.follower.update(self.now, self.measured, self.command, np.zeros(2)))
            self.command[:] = self.follower.value
            if not self.stuck:
                self.measured[:] = self.follower.value
            self.now += TICK

    def story(self):
        return [(event.identity.id[0], event.state) for _, event in self.events]

    def time_of(self, number, state):
        times = [t for t, event in self.events if self._is(event, number, state)]
        assert len(times) == 1
        return times[0]

    def event(self, number, state):
        (event,) = [event for _, event in self.events if self._is(event, number, state)]
        return event

    @staticmethod
    def _is(event, number, state):
        return (event.identity, event.state) == (whose(number), state)


def test_nothing_yet():
    """Before any trajectory the state is NONE, of nobody."""
    assert GoalEvent() == GoalEvent(NOBODY, GoalState.NONE, 0.0, '', ())
    rig = Rig()
    rig.run(5)
    assert rig.events == []
    assert rig.follower.value.tolist() == rig.follower.rate.tolist() == [0.0, 0.0]


def test_reached_at_the_first_tick_after_the_end():
    """A trajectory of 20 ms is reached 20 ms after its start, with its error reported."""
    rig = Rig()
    rig.run(3)
    rig.offer(make(1, 0.02, 0.5))
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]
    assert rig.time_of(1, REACHED) - rig.time_of(1, ACTIVE) == 5 * TICK
    assert rig.events[-1][1].error == pytest.approx(0.0, abs=1e-12)
    assert rig.events[-1][1].channel == 'j0'


def test_wish_is_for_the_end_of_the_tick():
    """The wish at the tick before the end is the last point: nothing lags by a period."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.run(5)
    assert rig.follower.value[0] == 0.5


def test_missed_after_the_timeout():
    """Joints that do not arrive within goal_timeout miss the goal by the reported error."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.run(60)
    assert rig.story() == [(1, ACTIVE), (1, MISSED)]
    assert rig.time_of(1, MISSED) == BEGIN + round((0.02 + SETTINGS.goal_timeout) * 1e9)
    assert rig.events[-1][1].error == pytest.approx(0.5)
    assert rig.events[-1][1].reasons == (
        'j0 is off its goal by 0.5 rad, 0.1 s after the end; expected at most 0.05 rad',
    )


def test_late_arrival_counts():
    """Joints that arrive within goal_timeout reach the goal when they arrive."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.run(15)
    rig.stuck = False
    rig.run(5)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


def test_only_its_own_joints_decide():
    """Joints that a trajectory does not name neither move nor count."""
    rig = Rig()
    rig.follower.hold(np.array([0.0, 0.9]))
    rig.offer(make(1, 0.02, 0.5))
    rig.run(10)
    assert rig.story()[-1] == (1, REACHED)
    assert rig.follower.value.tolist() == [0.5, 0.9]


def test_queued_starts_at_the_very_tick():
    """A queued trajectory waits, and is active in the tick in which the one before is reached."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(20)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, REACHED), (2, ACTIVE), (2, REACHED)]
    assert rig.time_of(2, ACTIVE) == rig.time_of(1, REACHED)


def test_queue_loses_no_time_within_a_tick():
    """Ten trajectories of 5 ms in a row, at ticks of 4 ms, take 50 ms and not 80."""
    rig = Rig()
    rig.offer(make(1, 0.005, 0.1))
    for number in range(2, 11):
        rig.offer(make(number, 0.005, 0.1 * number, queued=True))
        while (number, ACTIVE) not in rig.story():
            rig.run(1)
    rig.run(5)
    assert rig.time_of(10, REACHED) - rig.time_of(1, ACTIVE) == 13 * TICK


def test_queued_starts_at_once_when_idle():
    """A queued trajectory waits for nothing when nothing is active."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5, queued=True))
    assert rig.story() == [(1, ACTIVE)]


def test_newer_queued_replaces_older():
    """There is one place in the queue: the newer trajectory takes it, and says so."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.offer(make(3, 0.02, 0.2, queued=True))
    rig.run(20)
    assert rig.story() == [
        (1, ACTIVE),
        (2, WAITING),
        (2, REPLACED),
        (3, WAITING),
        (1, REACHED),
        (3, ACTIVE),
        (3, REACHED),
    ]
    assert rig.event(2, REPLACED).reasons == ('replaced by a trajectory of sender 3',)


def test_missed_drops_the_queued_one():
    """After a miss nothing goes on by itself: what waited is refused with the reason."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(60)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, MISSED), (2, REJECTED)]
    assert 'missed' in rig.events[-1][1].reasons[0]


def test_replacement_at_once():
    """A trajectory that is not queued replaces the active one, and whatever waits."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 1.0, 0.5, queued=True))
    rig.run(10)
    here = rig.command[0]
    rig.offer(make(3, 0.02, 0.5))
    rig.run(1)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (2, REPLACED), (1, REPLACED), (3, ACTIVE)]
    assert abs(rig.command[0] - here) < 0.5 * 0.2
    rig.run(10)
    assert rig.story()[-1] == (3, REACHED)


def test_the_replaced_ones_learn_by_whom():
    """Active or waiting, at once or when the time has come: the reason names the sender."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 1.0, 0.5, queued=True))
    rig.offer(make(3, 1.0, 0.5))
    assert rig.event(1, REPLACED).reasons == ('replaced by a trajectory of sender 3',)
    assert rig.event(2, REPLACED).reasons == ('replaced by a trajectory of sender 3',)
    rig.offer(make(4, 0.02, 0.1, stamp=rig.now + 2 * TICK))
    rig.run(5)
    assert rig.event(3, REPLACED).reasons == ('replaced by a trajectory of sender 4',)


def test_stamp_is_the_earliest_start():
    """A trajectory stamped 40 ms ahead starts then; until then the active one goes on."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    later = BEGIN + 40_000_000
    rig.offer(make(2, 0.02, 0.1, stamp=later))
    rig.run(20)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, REPLACED), (2, ACTIVE), (2, REACHED)]
    assert rig.time_of(2, WAITING) == BEGIN
    assert rig.time_of(2, ACTIVE) == later


def test_executing_ends_after_the_command_timeout():
    """The follower counts as executing until command_timeout after the end of what it reached.

    As long as the joints have not arrived, it is executing however late it is.
    """
    rig = Rig()
    assert not rig.follower.executing(BEGIN)
    rig.offer(make(1, 0.02, 0.5))
    end = BEGIN + round((0.02 + SETTINGS.command_timeout) * 1e9)
    assert rig.follower.executing(end + 10**9)
    rig.run(8)
    assert rig.story()[-1] == (1, REACHED)
    assert rig.follower.executing(end - 1)
    assert not rig.follower.executing(end)


def test_comes_to_rest_after_a_moving_end():
    """A last point with speed is not carried on once the goal is reached."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.1, rates=np.array([[5.0]])))
    rig.run(20)
    assert rig.story()[-1] == (1, REACHED)
    assert rig.follower.rate.tolist() == [0.0, 0.0]
    assert rig.follower.value[0] == 0.1


def test_cancel_of_the_active_one_holds():
    """The trajectory ends as STOPPED with the reason; the joints want what they were told last."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.run(50)
    here = rig.command.copy()
    rig.cancel(1)
    rig.run(50)
    assert rig.story() == [(1, ACTIVE), (1, STOPPED)]
    assert rig.event(1, STOPPED).reasons == ('cancelled',)
    assert 0.0 < here[0] < 0.5
    assert rig.follower.value.tolist() == here.tolist()
    assert rig.follower.rate.tolist() == [0.0, 0.0]


def test_cancel_of_the_active_one_lets_the_queued_one_start():
    """What waited for its turn starts from where the joints are."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(50)
    rig.cancel(1)
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, STOPPED), (2, ACTIVE), (2, REACHED)]


def test_cancel_of_the_waiting_one_leaves_the_active_one_alone():
    """The active trajectory is reached as if the other had never been."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(2)
    rig.cancel(2)
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (2, STOPPED), (1, REACHED)]
    assert rig.event(2, STOPPED).reasons == ('cancelled',)
    assert rig.follower.value[0] == 0.5


def test_cancel_of_an_unknown_one_does_nothing():
    """Neither one that never was nor one that has ended is stopped again, nor is any other."""
    rig = Rig()
    rig.cancel(7)
    rig.offer(make(1, 0.02, 0.5))
    rig.cancel(7)
    rig.run(10)
    rig.cancel(1)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


def test_same_number_of_another_sender_is_another_trajectory():
    """A cancellation is for one sender's trajectory: another with the same id goes on."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    stranger = Identity('stranger', whose(1).id)
    assert rig.follower.cancel(stranger, rig.command, 'cancelled') == []
    rig.run(10)
    assert rig.story()[-1] == (1, REACHED)


def test_hold_stops_everything_with_the_reason():
    """What is active and what waits end as STOPPED, and nothing is executing any more."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    rig.offer(make(2, 1.0, 0.1, queued=True))
    rig.run(50)
    here = rig.command.copy()
    rig.hold('fuse blown')
    rig.run(50)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (2, STOPPED), (1, STOPPED)]
    assert {event.reasons for _, event in rig.events[2:]} == {('fuse blown',)}
    assert rig.follower.value.tolist() == here.tolist()
    assert not rig.follower.executing(rig.now)


@pytest.mark.parametrize(
    ('errors', 'name'),
    [((0.005, 0.09), ''), ((0.02, 0.0), 'j0'), ((0.0, 0.11), 'j1'), ((0.03, 0.2), 'j0')],
)
def test_the_tolerance_of_each_channel_decides(errors, name):
    """0.02 rad is too much where 0.01 is tolerated, 0.09 rad is none where 0.1 is.

    Of several the one that is worst against its own tolerance is named, not the largest.
    """
    rig = Rig(channels(0.01, 0.1))
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5, joints=(1, 0)))
    rig.measured[:] = 0.5 - np.array(errors)
    rig.run(60)
    if not name:
        assert rig.story()[-1] == (1, REACHED)
        assert rig.time_of(1, REACHED) == BEGIN + 5 * TICK
        assert rig.events[-1][1].channel == 'j1'
        assert rig.events[-1][1].error == pytest.approx(0.09)
        return
    missed = rig.event(1, MISSED)
    place = int(name[1])
    assert missed.channel == name
    assert missed.error == pytest.approx(errors[place])
    assert missed.reasons == (
        f'{name} is off its goal by {errors[place]:.4g} rad, 0.1 s after the end; '
        f'expected at most {(0.01, 0.1)[place]} rad',
    )


@settings(max_examples=200, deadline=None)
@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.001, 0.2), st.floats(0.001, 0.2))
def test_reached_if_and_only_if_each_channel_is_within_its_own(first, second, own, other):
    """Whatever the errors and tolerances: one channel outside its tolerance is a miss."""
    rig = Rig(channels(own, other))
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.0, joints=(0, 1)))
    rig.measured[:] = first, second
    rig.run(40)
    within = abs(first) <= own and abs(second) <= other
    assert rig.story()[-1] == (1, REACHED if within else MISSED)


def test_a_trajectory_may_bring_its_own_tolerance():
    """Its goal tolerance counts instead of that of the channels, tighter or wider."""
    for own, end in ((0.02, MISSED), (0.2, REACHED), (np.inf, REACHED)):
        rig = Rig()
        rig.stuck = True
        rig.offer(make(1, 0.02, 0.5, tolerances=Tolerances(goal=np.array([own]))))
        rig.measured[0] = 0.5 - 0.04 if own < 0.05 else 0.35
        rig.run(40)
        assert rig.story()[-1] == (1, end)


@pytest.mark.parametrize('patience', [0.0, 0.012, 0.3])
def test_a_trajectory_may_bring_its_own_patience(patience):
    """goal_time counts instead of goal_timeout, from its end, shorter or longer."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5, tolerances=Tolerances(goal_time=patience)))
    rig.run(100)
    assert rig.time_of(1, MISSED) == BEGIN + round((0.02 + patience) * 1e9)
    assert f'{patience:g} s after the end' in rig.event(1, MISSED).reasons[0]


def leaving(path, **more):
    """A rig whose joint 0 sticks on a way of 1 rad in 0.4 s, at constant speed, after 0.2 s."""
    rig = Rig()
    tolerances = Tolerances(path=np.array([path]))
    rig.offer(make(1, 0.0, 0.0))
    rig.run(2)
    straight = Trajectory(
        whose(2),
        0,
        np.array([0]),
        np.array([0.0, 0.4]),
        np.array([[0.0], [1.0]]),
        np.array([[2.5], [2.5]]),
        tolerances=tolerances,
    )
    rig.offer(straight)
    rig.run(50)
    rig.stuck = True
    return rig


def test_path_tolerance_is_missed_on_the_way():
    """A joint that sticks at 2.5 rad/s leaves 0.1 rad after 11 ticks of 4 ms, and is named."""
    rig = leaving(0.1)
    stuck_at = rig.now
    rig.run(30)
    missed = rig.event(2, MISSED)
    assert rig.time_of(2, MISSED) == stuck_at + 11 * TICK
    assert missed.channel == 'j0'
    assert missed.error == pytest.approx(0.11)
    assert missed.reasons == ('j0 left its path by 0.11 rad; expected at most 0.1 rad',)


def test_after_leaving_its_path_a_joint_rests_where_it_is():
    """It holds what was measured, at rest; joints of no concern keep what they were to hold."""
    rig = leaving(0.1)
    rig.follower.value[1], rig.measured[1] = 0.7, 0.68
    rig.run(11)
    stuck = rig.measured.copy()
    rig.run(20)
    assert rig.story()[-1] == (2, MISSED)
    assert rig.follower.value.tolist() == [stuck[0], 0.7]
    assert rig.follower.rate.tolist() == [0.0, 0.0]


def test_a_joint_that_is_no_longer_measured_leaves_its_path():
    """What cannot be seen is not on its path; the joint holds its last wish, a finite one."""
    rig = leaving(0.1)
    wish = rig.follower.value.tolist()
    rig.measured[0] = np.nan
    rig.run(2)
    assert rig.story()[-1] == (2, MISSED)
    assert rig.follower.value.tolist() == wish


@pytest.mark.parametrize('way', ['cancelled', 'left its path'])
def test_a_trajectory_cut_short_is_not_executing_till_its_end(way):
    """Cancelled or missed on the way, it counts for no longer than one reached at that time."""
    rig = leaving(0.1)
    if way == 'cancelled':
        rig.cancel(2)
    rig.run(12)
    assert rig.story()[-1][1] in (STOPPED, MISSED)
    rig.run(round(SETTINGS.command_timeout / PERIOD))
    assert not rig.follower.executing(rig.now)


def test_an_infinite_path_tolerance_is_none():
    """A joint may then be anywhere on the way."""
    rig = leaving(np.inf)
    rig.run(49)
    assert rig.story()[-1] == (2, ACTIVE)
    rig.stuck = False
    rig.run(3)
    assert rig.story()[-1] == (2, REACHED)


def test_leaving_the_path_drops_the_queued_one():
    """After a miss on the way nothing goes on by itself either."""
    rig = leaving(0.1)
    rig.offer(make(3, 0.02, 0.1, queued=True))
    rig.run(30)
    assert rig.story()[-3:] == [(3, WAITING), (2, MISSED), (3, REJECTED)]


def test_a_joint_on_its_path_reaches_the_goal():
    """A path tolerance that is kept changes nothing."""
    rig = Rig()
    rig.offer(make(1, 0.1, 0.5, tolerances=Tolerances(path=np.array([1e-9]))))
    rig.run(40)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


ENDS = (REACHED, MISSED, REPLACED, REJECTED, STOPPED)
DEEDS = st.one_of(
    st.tuples(st.just('offer'), st.integers(0, 10), st.booleans(), st.integers(0, 12)),
    st.tuples(st.just('run'), st.integers(1, 30)),
    st.tuples(st.just('cancel'), st.integers(1, 8)),
    st.tuples(st.just('stick'), st.booleans()),
    st.tuples(st.just('hold')),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(DEEDS, max_size=25))
def test_every_trajectory_has_one_life(deeds):
    """Each one is waiting or active first, then at most active, and ends exactly once, with why.

    At most one is active and one waits at any time, whatever is offered, cancelled or stopped.
    """
    rig, count = Rig(), 0
    for kind, *more in deeds:
        if kind == 'offer':
            count += 1
            ticks, queued, ahead = more
            stamp = rig.now + ahead * TICK if ahead > 6 else 0
            rig.offer(make(count, ticks * 0.004 + 0.001, 0.1 * ticks, (0,), queued, stamp))
        elif kind == 'run':
            rig.run(*more)
        elif kind == 'cancel':
            rig.cancel(*more)
        elif kind == 'stick':
            (rig.stuck,) = more
        else:
            rig.hold('stop')
    rig.hold('the end')
    lives = {number: [] for number in range(1, count + 1)}
    living = {WAITING: set(), ACTIVE: set()}
    for _, event in rig.events:
        number = event.identity.id[0]
        lives[number].append(event.state)
        for group in living.values():
            group.discard(number)
        if event.state in living:
            living[event.state].add(number)
            assert len(living[event.state]) == 1
        if event.state in (MISSED, REPLACED, REJECTED, STOPPED):
            assert event.reasons
            assert all(event.reasons)
    for life in lives.values():
        assert life[0] in (WAITING, ACTIVE)
        assert [state for state in life if state in ENDS] == life[-1:]
        assert life[:-1] in ([WAITING], [ACTIVE], [WAITING, ACTIVE])
