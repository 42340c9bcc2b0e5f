"""How near a trajectory has to be followed, at its end and on its way."""

import numpy as np
import pytest
from follower_rig import (
    ACTIVE,
    BEGIN,
    MISSED,
    PERIOD,
    REACHED,
    REJECTED,
    SETTINGS,
    STOPPED,
    TICK,
    WAITING,
    Rig,
    channels,
    leaving,
    make,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.reason import Reason, ReasonCode
from softshell_control.trajectories.trajectory import Tolerances


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
    text = (
        f'{name} is off its goal by {errors[place]:.4g} rad, 0.1 s after the end; '
        f'expected at most {(0.01, 0.1)[place]} rad'
    )
    assert missed.reasons == (Reason(ReasonCode.TOLERANCE, text),)


def test_a_goal_without_a_time_is_waited_for():
    """Ten times the usual time after its end it is neither missed nor reached, until it is."""
    rig = Rig()
    rig.stuck = True
    rig.offer(make(1, 0.02, 0.5, tolerances=Tolerances(goal_time=np.inf)))
    rig.run(round(10 * SETTINGS.goal_timeout / PERIOD))
    assert rig.story() == [(1, ACTIVE)]
    rig.stuck = False
    rig.run(2)
    assert rig.story() == [(1, ACTIVE), (1, REACHED)]


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
    assert f'{patience:g} s after the end' in rig.event(1, MISSED).reasons[0].text


def test_path_tolerance_is_missed_on_the_way():
    """A joint that sticks at 2.5 rad/s leaves 0.1 rad after 11 ticks of 4 ms, and is named."""
    rig = leaving(0.1)
    stuck_at = rig.now
    rig.run(30)
    missed = rig.event(2, MISSED)
    assert rig.time_of(2, MISSED) == stuck_at + 11 * TICK
    assert missed.channel == 'j0'
    assert missed.error == pytest.approx(0.11)
    assert missed.reasons == (
        Reason(ReasonCode.TOLERANCE, 'j0 left its path by 0.11 rad; expected at most 0.1 rad'),
    )


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


def test_a_goal_that_nobody_measures_is_missed_at_its_end():
    """Nothing is waited for that cannot come, and the reason is that it is not measured."""
    rig = Rig()
    rig.stuck = True
    rig.measured[0] = np.nan
    rig.offer(make(1, 0.1, 0.5))
    rig.run(100)
    assert rig.time_of(1, MISSED) - BEGIN - 100_000_000 <= TICK
    assert rig.event(1, MISSED).reasons == (Reason(ReasonCode.NOT_MEASURED, 'j0 is not measured'),)


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
