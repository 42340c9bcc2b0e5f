"""A follower of two joints, and what tests of it do again and again."""

import numpy as np

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.channel import Channel, Limits
from softshell_control.trajectories.follower import Follower, FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Tolerances, Trajectory
from softshell_description.form import ChannelKind

PERIOD = 0.004
TICK = 4_000_000
BEGIN = 1_000_000_000
SETTINGS = FollowerSettings(goal_timeout=0.1, command_timeout=0.02)
BLOWN = Reason(ReasonCode.BACKEND, 'fuse blown')
CANCELLED = Reason(ReasonCode.CANCELLED, 'cancelled')
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

    def note(self):
        self.events += [(self.now, event) for event in self.follower.events]
        self.follower.events.clear()

    def offer(self, trajectory):
        self.follower.offer(trajectory, self.now, self.command, np.zeros(2))
        self.note()

    def cancel(self, number):
        self.follower.cancel(whose(number), self.command, CANCELLED)
        self.note()

    def hold(self, reason):
        self.follower.hold(self.command, reason)
        self.note()

    def run(self, ticks):
        for _ in range(ticks):
            end = self.now + TICK
            self.follower.update(self.now, end, self.measured, self.command, np.zeros(2))
            self.note()
            self.command[:] = self.follower.value
            if not self.stuck:
                self.measured[:] = self.follower.value
            self.now = end

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
