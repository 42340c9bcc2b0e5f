"""What becomes of trajectories: waiting, active, reached, missed, replaced."""

import numpy as np
import pytest
from follower_rig import (
    ACTIVE,
    BEGIN,
    BLOWN,
    MISSED,
    REACHED,
    REJECTED,
    REPLACED,
    SETTINGS,
    STOPPED,
    TICK,
    WAITING,
    Rig,
    make,
    whose,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import NOBODY, Trajectory


def test_before_any_trajectory_the_state_is_none():
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
        Reason(
            ReasonCode.TOLERANCE,
            'j0 is off its goal by 0.5 rad, 0.1 s after the end; expected at most 0.05 rad',
        ),
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
    rig.follower.hold(np.array([0.0, 0.9]), Reason())
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
    assert rig.event(2, REPLACED).reasons == (
        Reason(ReasonCode.REPLACED, 'replaced by a trajectory of sender 3'),
    )


def test_missed_drops_the_queued_one():
    """After a miss nothing goes on by itself: what waited is refused with the reason."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(60)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, MISSED), (2, REJECTED)]
    assert 'missed' in rig.events[-1][1].reasons[0].text


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
    assert rig.event(1, REPLACED).reasons == (
        Reason(ReasonCode.REPLACED, 'replaced by a trajectory of sender 3'),
    )
    assert rig.event(2, REPLACED).reasons == (
        Reason(ReasonCode.REPLACED, 'replaced by a trajectory of sender 3'),
    )
    rig.offer(make(4, 0.02, 0.1, stamp=rig.now + 2 * TICK))
    rig.run(5)
    assert rig.event(3, REPLACED).reasons == (
        Reason(ReasonCode.REPLACED, 'replaced by a trajectory of sender 4'),
    )


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


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10 * TICK))
def test_a_stamp_within_a_tick_is_the_start_to_the_nanosecond(ahead):
    """A ramp of 1 rad/s is where it is to be at the end of every tick, wherever its stamp lies."""
    rig, stamp = Rig(), BEGIN + ahead
    ramp = Trajectory(
        whose(1), stamp, np.array([0]), np.array([0.0, 0.1]), np.array([[0.0], [0.1]]),
        np.array([[1.0], [1.0]]),
    )  # fmt: skip
    rig.offer(ramp)
    while rig.now < stamp + 80_000_000:
        rig.run(1)
        assert rig.command[0] == pytest.approx(max(rig.now - stamp, 0) * 1e-9, abs=1e-12)
    assert 0 <= stamp - rig.time_of(1, ACTIVE) < TICK


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10 * TICK), st.sampled_from([0.0, 0.3]))
def test_what_takes_over_within_a_tick_goes_on_from_there(ahead, lag):
    """From a ramp of 1 rad/s on to one point at the same rate: no tick is slower or faster.

    Also if the command lags behind what is wanted, as the gate slowed it down.
    """
    rig, stamp = Rig(), BEGIN + 2 * TICK + ahead
    ramp = Trajectory(
        whose(1), 0, np.array([0]), np.array([0.0, 1.0]), np.array([[0.0], [1.0]]),
        np.array([[1.0], [1.0]]),
    )  # fmt: skip
    rig.offer(ramp)
    goal = (stamp - BEGIN) * 1e-9 + 0.2 - lag
    rig.offer(make(2, 0.2, goal, stamp=stamp, rates=np.array([[1.0]])))
    moving = np.array([1.0, 0.0])
    while rig.now < stamp + 150_000_000:
        present = rig.follower.value - [lag, 0.0] if rig.now <= stamp else rig.follower.value
        end = rig.now + TICK
        rig.follower.update(rig.now, end, rig.measured, present, moving)
        rig.measured[:] = rig.follower.value
        rig.note()
        rig.now = end
        behind = 0.0 if end <= stamp else lag
        assert rig.follower.value[0] == pytest.approx((end - BEGIN) * 1e-9 - behind, abs=1e-12)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, REPLACED), (2, ACTIVE)]


def test_one_that_ends_before_the_stamp_of_the_next_is_reached():
    """Within one tick too: it is not replaced by what was to follow it, without a queue."""
    rig = Rig()
    rig.offer(make(1, 0.021, 0.5))
    rig.offer(make(2, 0.02, 0.1, stamp=BEGIN + 21_000_000))
    rig.run(20)
    assert rig.story() == [(1, ACTIVE), (2, WAITING), (1, REACHED), (2, ACTIVE), (2, REACHED)]


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
            stamp = rig.now + ahead * TICK - ahead % 3 * 1_500_000 if ahead > 6 else 0
            rig.offer(make(count, ticks * 0.004 + 0.001, 0.1 * ticks, (0,), queued, stamp))
        elif kind == 'run':
            rig.run(*more)
        elif kind == 'cancel':
            rig.cancel(*more)
        elif kind == 'stick':
            (rig.stuck,) = more
        else:
            rig.hold(BLOWN)
    rig.hold(BLOWN)
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
            assert all(reason.text and reason.code for reason in event.reasons)
    for life in lives.values():
        assert life[0] in (WAITING, ACTIVE)
        assert [state for state in life if state in ENDS] == life[-1:]
        assert life[:-1] in ([WAITING], [ACTIVE], [WAITING, ACTIVE])
