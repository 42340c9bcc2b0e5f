"""Finger commands: what is wrong with one, in the words of its message, and their trajectory."""

import numpy as np
import pytest

from softshell_control.channel import Channel, Limits
from softshell_control.gate import Command, SafetyGate
from softshell_control.trajectories.finger_orders import mistake_of, points_of, shortest
from softshell_control.trajectories.follower import Follower, FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_description.form import ChannelKind

PERIOD = 0.02
WHOSE = Identity('tester', bytes(16))
KNOWN = ('finger_1_bend', 'finger_2_bend')


def test_nothing_is_wrong_with_what_can_be_done():
    """Some or all channels, without a duration or with one, also beyond their ranges."""
    assert mistake_of(['finger_2_bend'], [0.3], 0.0, KNOWN) == ''
    assert mistake_of(KNOWN, [0.3, -1.0], 2.0, KNOWN) == ''


@pytest.mark.parametrize(
    ('channels', 'values', 'duration', 'said'),
    [
        ([], [], 0.0, 'channels is empty; expected some of finger_1_bend, finger_2_bend'),
        (['toe'], [0.0], 0.0, 'toe is no channel; expected some of'),
        (['finger_1_bend'] * 2, [0.0] * 2, 0.0, 'finger_1_bend is in channels twice'),
        (['finger_1_bend'], [], 0.0, 'values has 0 numbers; expected 1, one for each channel'),
        (['finger_1_bend'], [float('nan')], 0.0, 'the value of finger_1_bend is nan'),
        (['finger_1_bend'], [float('inf')], 0.0, 'the value of finger_1_bend is inf'),
        (['finger_1_bend'], [0.0], float('nan'), 'duration is nan s; expected 0'),
        (['finger_1_bend'], [0.0], -1.0, 'duration is -1.0 s; expected 0'),
        (['finger_1_bend'], [0.0], 1e300, 'duration is 1e+300 s; expected 0'),
    ],
)
def test_what_is_wrong_is_named(channels, values, duration, said):
    """The text names the field, its value and what was expected."""
    assert said in mistake_of(channels, values, duration, KNOWN)


@pytest.mark.parametrize('rate', [60.0, 1.0])
def test_a_channel_at_its_highest_rate_arrives_as_the_trajectory_ends(rate):
    """120 kPa in the shortest time: the gate lets it lag, but never past the end."""
    limits = Limits((Channel('p', ChannelKind.PRESSURE, 'kPa', 0.0, 150.0, rate, np.inf, 2.0),))
    seconds = shortest(np.array([120.0]), limits.rate)
    follower, gate = (
        Follower(limits, PERIOD, FollowerSettings()),
        SafetyGate(limits, PERIOD, steady=True),
    )
    gate.begin(np.zeros(1), 0)
    goal = Trajectory(WHOSE, 0, np.array([0]), np.array([seconds]), np.array([[120.0]]))
    follower.offer(goal, 0, gate.command.value, gate.command.rate)
    tick = round(PERIOD * 1e9)
    for now in range(0, round(seconds * 1e9), tick):
        follower.update(now, now + tick, gate.command.value, gate.command.value, np.zeros(1))
        gate.advance(Command(follower.value, follower.rate), now + tick)
    assert gate.command.value[0] == pytest.approx(120.0, abs=rate * PERIOD)
    assert seconds < 1.2 * 120.0 / rate


def test_channels_arrive_each_in_its_time():
    """There is a point at each arrival; a channel that has arrived stays at its goal."""
    times, rows = points_of({'a': 0.0, 'b': 4.0}, {'a': (10.0, 2.0), 'b': (0.0, 1.0)})
    assert times == [1.0, 2.0]
    assert rows == [[5.0, 0.0], [10.0, 0.0]]
