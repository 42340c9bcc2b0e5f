"""Every bridge follows trajectories closely, tells what became of each, and never overdoes it."""

import numpy as np
import pytest

from softshell_common.reason import ReasonCode

WAY = {'shoulder': -1.2, 'elbow': 1.1, 'wrist': -0.3}


def test_activation_holds_what_is_measured(rig):
    """The first command is the measurement, and for a second nothing moves."""
    assert rig.mode == 'INACTIVE'
    rig.ticks(3)
    assert all(row is None for row in rig.commands)
    mark = len(rig.trace)
    assert isinstance(rig.ask('activate'), str)
    first = next(row for row in rig.commands if row is not None)[1]
    assert rig.commanded().tolist() == first.tolist()
    rig.run(1.0)
    assert rig.commanded().tolist() == first.tolist()
    rig.check_still(first, mark)
    rig.check_no_jump()
    assert rig.modes() == ['HOLDING']


def test_a_trajectory_is_followed_and_reached(driven):
    """Joints are on the curve all the way; the end comes in time, with the error that is left."""
    rig = driven
    begin, start = rig.commanded(), rig.now
    name = rig.offer(WAY, 1.0)
    rig.run(2.0)
    for joint, goal in WAY.items():
        rig.check_followed(joint, begin[rig.place(joint)], goal, start, 1.0)
    rig.check_ages()
    assert rig.states(name) == ['ACTIVE', 'REACHED']
    reached = rig.events(name)[-1]
    errors = np.abs(rig.array('measured') - list(WAY.values())).max(axis=1)
    assert reached.error <= rig.limits.tolerance[rig.limits.names.index(reached.channel)]
    assert reached.error <= errors.max()
    assert rig.codes() <= {ReasonCode.NONE}


def test_the_states_come_in_order_and_in_time(driven):
    """Executing from the tick that takes it to the command's time-out after its end."""
    rig = driven
    start = rig.now
    name = rig.offer({'elbow': 1.7}, 0.6)
    times = {}
    for _ in range(round(2.0 / rig.period)):
        for status in rig.ticks():
            times.setdefault((status.mode.name, status.goal.state.name), rig.now - start)
    assert rig.modes() == ['HOLDING', 'EXECUTING', 'HOLDING']
    assert rig.states(name) == ['ACTIVE', 'REACHED']
    active, reached, holding = (
        times[key] * 1e-9
        for key in (('EXECUTING', 'ACTIVE'), ('EXECUTING', 'REACHED'), ('HOLDING', 'REACHED'))
    )
    assert active == pytest.approx(rig.period)
    assert 0.6 <= reached <= 0.6 + rig.kind.lag + 2 * rig.period
    assert holding == pytest.approx(0.6 + 0.5, abs=2 * rig.period)


def test_several_points_are_passed_on_the_way(driven):
    """There and back: at the time of each point the joints are there."""
    rig = driven
    start, place = rig.now, rig.place('elbow')
    name = rig.offer(
        {'elbow': 0.0}, times=[0.5, 1.0, 1.5], values=[[1.6], [1.2], [2.0]], rates=[[0.0]] * 3
    )
    rig.run(2.2)
    assert rig.states(name) == ['ACTIVE', 'REACHED']
    for seconds, goal in ((0.5, 1.6), (1.0, 1.2), (1.5, 2.0)):
        moment = next(m for m in rig.trace if m.now >= start + 1e9 * (seconds + rig.kind.lag))
        assert abs(moment.truth[place] - goal) <= rig.tolerance[place] + 0.05


def test_a_queued_trajectory_begins_when_the_first_is_reached(driven):
    """In the report after its end, and it starts where the first one ended."""
    rig, start = driven, driven.now
    first = rig.offer({'elbow': 1.5}, 0.6)
    second = rig.offer({'elbow': 1.9}, 0.6, queued=True)
    rig.run(1.6)
    order = [(event.identity, event.state.name) for event in rig.story()]
    assert order == [
        (first, 'ACTIVE'),
        (second, 'WAITING'),
        (first, 'REACHED'),
        (second, 'ACTIVE'),
        (second, 'REACHED'),
    ]
    # Its first rate is that of the last step of the one before, which ends at rest.
    exact = 0.15 * 3.0 * 0.5 / 0.6 * rig.period
    rig.check_followed('elbow', 1.5, 1.9, start + 600_000_000, 0.6, exact)


def test_a_new_trajectory_replaces_the_old_one_in_motion(driven):
    """The old one is told so; the way goes on from where and as fast as it was."""
    rig = driven
    first = rig.offer({'elbow': 0.8}, 1.0)
    rig.run(0.5)
    second = rig.offer({'elbow': 1.8}, 1.0)
    rig.run(1.6)
    assert rig.states(first) == ['ACTIVE', 'REPLACED']
    assert [reason.code for reason in rig.events(first)[-1].reasons] == [ReasonCode.REPLACED]
    assert rig.states(second) == ['ACTIVE', 'REACHED']
    rig.check_no_jump()


def test_a_cancelled_trajectory_stops_within_the_limits(driven):
    """Told as stopped; the joints come to rest where they are, and hold."""
    rig = driven
    name = rig.offer({'elbow': 0.5}, 1.0)
    rig.run(0.5)
    at, speed = rig.commanded(), np.abs(rig.trace[-1].rate)
    rig.core.cancel(name)
    rig.run(1.0)
    assert rig.states(name) == ['ACTIVE', 'STOPPED']
    assert [reason.code for reason in rig.events(name)[1].reasons] == [ReasonCode.CANCELLED]
    assert rig.mode == 'HOLDING'
    braking = speed**2 / rig.limits.acceleration[:3] + 3 * speed * rig.period
    assert (np.abs(rig.commanded() - at) <= braking + 1e-9).all()
    assert np.abs(rig.trace[-1].rate).max() == 0.0
    rig.check_still(rig.commanded(), -round(0.3 / rig.period))


def test_what_is_out_of_range_is_limited_told_and_missed(driven):
    """The joint goes to its limit and no further; after the time for goals it is missed."""
    rig, place = driven, driven.place('elbow')
    lowest = rig.limits.lower[place]
    name = rig.offer({'elbow': lowest - 1.0}, 1.5, times=[1.5])
    rig.run(1.5 + rig.settings.goal_timeout + 4 * rig.period)
    assert ReasonCode.OUT_OF_RANGE in rig.codes()
    assert rig.states(name) == ['ACTIVE', 'MISSED']
    missed = rig.events(name)[-1]
    assert missed.channel == 'elbow'
    assert abs(missed.error - 1.0) <= rig.tolerance[place]
    assert [reason.code for reason in missed.reasons] == [ReasonCode.TOLERANCE]
    assert not missed.on_the_way
    assert rig.commanded()[place] == pytest.approx(lowest)
    assert (rig.array('truth')[:, place] >= lowest - rig.tolerance[place]).all()


def test_what_is_too_fast_is_limited_and_told(driven):
    """Half a turn in 50 ms: the command goes as fast as it may, and the joints arrive."""
    rig = driven
    name = rig.offer({'elbow': 0.5}, 0.05)
    rig.run(1.5)
    assert rig.codes() & {ReasonCode.RATE, ReasonCode.ACCELERATION}
    assert rig.states(name) == ['ACTIVE', 'REACHED']
    place = rig.place('elbow')
    fastest = np.abs(rig.array('rate')[:, place]).max()
    assert 0.9 * rig.limits.rate[place] < fastest <= rig.limits.rate[place] + 1e-9
    rig.check_no_jump()
