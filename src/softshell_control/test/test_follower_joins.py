"""Trajectories that follow each other in the queue: the command goes on as fast at joins."""

import numpy as np
import pytest
from follower_rig import ACTIVE, REACHED, WAITING, Rig, whose

from softshell_control.trajectories.trajectory import Trajectory


def straight(number, begin, seconds, joints=(0, 1)):
    """A queued way at 2 rad/s, the second joint as fast the other way."""
    signs = np.array([1.0, -1.0])[: len(joints)]
    times = np.array([0.0, seconds])
    values = (begin + 2.0 * times[:, None]) * signs
    rates = np.tile(2.0 * signs, (2, 1))
    return Trajectory(whose(number), 0, np.array(joints), times, values, rates, queued=True)


@pytest.mark.parametrize('seconds', [0.02, 0.0217, 0.0399])
def test_the_speed_stays_wherever_in_a_tick_they_meet(seconds):
    """At a constant speed of 2 rad/s each tick moves a joint by 8 mrad."""
    rig, moved = Rig(), []
    rig.offer(straight(1, 0.0, seconds))
    for number in range(2, 6):
        rig.offer(straight(number, 2.0 * seconds * (number - 1), seconds))
        while (number, ACTIVE) not in rig.story():
            before = rig.follower.value.copy()
            rig.run(1)
            moved.append(rig.follower.value - before)
            assert rig.follower.rate.tolist() == pytest.approx([2.0, -2.0])
    np.testing.assert_allclose(moved, np.tile([0.008, -0.008], (len(moved), 1)), atol=1e-9)


def test_what_the_next_one_leaves_alone_comes_to_its_end():
    """Though the next one begins within a tick."""
    rig = Rig()
    rig.offer(straight(1, 0.0, 0.021))
    rig.offer(straight(2, 0.042, 0.021, joints=(0,)))
    rig.run(8)
    assert rig.story()[-1] == (2, ACTIVE)
    assert rig.follower.value[1] == pytest.approx(-0.042, abs=1e-12)
    assert rig.follower.rate.tolist() == pytest.approx([2.0, 0.0])


def test_one_off_its_goal_is_waited_for():
    """It is not decided at the tick in which it ends, but at the first at which it is there."""
    rig = Rig()
    rig.offer(straight(1, 0.0, 0.021))
    rig.offer(straight(2, 0.042, 0.021))
    rig.stuck = True
    rig.follower.slack = 0.01
    rig.run(7)
    assert rig.story() == [(1, ACTIVE), (2, WAITING)]
    rig.stuck = False
    rig.run(2)
    assert rig.story()[2:] == [(1, REACHED), (2, ACTIVE)]


def test_joints_that_lag_are_held_against_where_they_were_to_be():
    """Off by 45 mrad of 50 allowed; that the end is 7 mrad ahead of it does not count."""
    rig = Rig()
    rig.stuck = True
    rig.offer(straight(1, 0.0, 0.0237))
    rig.offer(straight(2, 0.0474, 0.0237))
    for _ in range(6):
        rig.measured[:] = rig.follower.value - [0.045, -0.045]
        rig.run(1)
        assert rig.follower.rate.tolist() == pytest.approx([2.0, -2.0])
    assert rig.story()[2:] == [(1, REACHED), (2, ACTIVE)]
