"""What becomes of trajectories: active, queued, reached, missed, replaced."""

import numpy as np
import pytest

from softshell_control.follower import Follower, FollowerSettings, GoalState
from softshell_control.trajectory import Trajectory

PERIOD = 0.004
TICK = 4_000_000
BEGIN = 1_000_000_000
SETTINGS = FollowerSettings(goal_tolerance=0.05, goal_timeout=0.1, command_timeout=0.02)
ACTIVE, REACHED, MISSED = GoalState.ACTIVE, GoalState.REACHED, GoalState.MISSED
REPLACED, REJECTED = GoalState.REPLACED, GoalState.REJECTED


def make(stamp, duration, goal, joints=(0,), queued=False):
    goals = np.full((1, len(joints)), goal)
    return Trajectory(stamp, np.array(joints), np.array([duration]), goals, None, queued)


class Rig:
    """A follower of two joints, whose measured joints follow its wish, or stick."""

    def __init__(self):
        self.follower = Follower(2, PERIOD, SETTINGS)
        self.now = BEGIN
        self.stuck = False
        self.measured = np.zeros(2)
        self.command = np.zeros(2)
        self.events = []

    def offer(self, trajectory):
        events = self.follower.offer(trajectory, self.now, self.command, np.zeros(2))
        self.events += [(self.now, event) for event in events]

    def run(self, ticks):
        for _ in range(ticks):
            events = self.follower.update(self.now, self.measured, self.command, np.zeros(2))
            self.events += [(self.now, event) for event in events]
            self.command[:] = self.follower.position
            if not self.stuck:
                self.measured[:] = self.follower.position
            self.now += TICK

    def story(self):
        return [(event.stamp, event.state) for _, event in self.events]

    def time_of(self, stamp, state):
        times = [t for t, event in self.events if (event.stamp, event.state) == (stamp, state)]
        assert len(times) == 1
        return times[0]


def test_reached_at_the_first_tick_after_the_end():
    """A trajectory of 20 ms is reached 20 ms after its start, with its error reported."""
    rig = Rig()
    rig.run(3)
    rig.offer(make(1, 0.02, 0.5))
    rig.run(10)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]
    assert rig.time_of(1, REACHED) - rig.time_of(1, ACTIVE) == 5 * TICK
    assert rig.events[-1][1].error == pytest.approx(0.0, abs=1e-12)


def test_wish_is_for_the_end_of_the_tick():
    """The wish at the tick before the end is the last point: nothing lags by a period."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.run(5)
    assert rig.follower.position[0] == 0.5


def test_missed_after_the_timeout():
    """Joints that do not arrive within goal_timeout miss the goal by the reported error."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.run(60)
    assert rig.story() == [(1, ACTIVE), (1, MISSED)]
    assert rig.time_of(1, MISSED) == BEGIN + round((0.02 + SETTINGS.goal_timeout) * 1e9)
    assert rig.events[-1][1].error == pytest.approx(0.5)


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
    assert rig.follower.position.tolist() == [0.5, 0.9]


def test_queued_starts_at_the_very_tick():
    """A queued trajectory becomes active in the tick in which the one before is reached."""
    rig = Rig()
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(20)
    assert rig.story() == [(1, ACTIVE), (1, REACHED), (2, ACTIVE), (2, REACHED)]
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
        (2, REPLACED),
        (1, REACHED),
        (3, ACTIVE),
        (3, REACHED),
    ]


def test_missed_drops_the_queued_one():
    """After a miss nothing goes on by itself: what waited is refused with the reason."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5))
    rig.offer(make(2, 0.02, 0.1, queued=True))
    rig.run(60)
    assert rig.story() == [(1, ACTIVE), (1, MISSED), (2, REJECTED)]
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
    assert rig.story() == [(1, ACTIVE), (2, REPLACED), (1, REPLACED), (3, ACTIVE)]
    assert abs(rig.command[0] - here) < 0.5 * 0.2
    rig.run(10)
    assert rig.story()[-1] == (3, REACHED)


def test_stamp_is_the_earliest_start():
    """A trajectory stamped 40 ms ahead starts then; until then the active one goes on."""
    rig = Rig()
    rig.offer(make(1, 1.0, 0.5))
    later = BEGIN + 40_000_000
    rig.offer(make(later, 0.02, 0.1))
    rig.run(20)
    assert rig.story() == [(1, ACTIVE), (1, REPLACED), (later, ACTIVE), (later, REACHED)]
    assert rig.time_of(later, ACTIVE) == later


def test_executing_ends_after_the_command_timeout():
    """The follower counts as executing until command_timeout after the end."""
    rig = Rig()
    assert not rig.follower.executing(BEGIN)
    rig.offer(make(1, 0.02, 0.5))
    end = BEGIN + round((0.02 + SETTINGS.command_timeout) * 1e9)
    assert rig.follower.executing(end - 1)
    assert not rig.follower.executing(end)


def test_comes_to_rest_after_a_moving_end():
    """A last point with speed is not carried on once the goal is reached."""
    rig = Rig()
    moving = Trajectory(1, np.array([0]), np.array([0.02]), np.array([[0.1]]), np.array([[5.0]]))
    rig.offer(moving)
    rig.run(20)
    assert rig.story()[-1] == (1, REACHED)
    assert rig.follower.velocity.tolist() == [0.0, 0.0]
    assert rig.follower.position[0] == 0.1
