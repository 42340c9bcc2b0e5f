"""A message is taken whole or refused with the code of what is wrong, by every bridge."""

import numpy as np
import pytest

from softshell_common.reason import ReasonCode
from softshell_control.trajectories.check import MAX_POINTS, Refusal, check_trajectory
from softshell_control.trajectories.trajectory import Tolerances

NAN, INF = float('nan'), float('inf')
#: What is changed in a good message of elbow and wrist, and the code of the refusal.
BAD = {
    'nan': ({'values': [[NAN, 0.1]]}, ReasonCode.NOT_FINITE),
    'inf': ({'values': [[0.1, INF]]}, ReasonCode.NOT_FINITE),
    'nan rate': ({'rates': [[0.0, NAN]]}, ReasonCode.NOT_FINITE),
    'nan acceleration': ({'accelerations': [[-INF, 0.0]]}, ReasonCode.NOT_FINITE),
    'nan time': ({'times': [NAN]}, ReasonCode.NOT_FINITE),
    'unknown': ({'names': ['elbow', 'tail']}, ReasonCode.UNKNOWN_CHANNEL),
    'duplicate': ({'names': ['elbow', 'elbow']}, ReasonCode.DUPLICATE_CHANNEL),
    'values short': ({'values': [[0.1]]}, ReasonCode.SIZE),
    'rates long': ({'rates': [[0.1, 0.1, 0.1]]}, ReasonCode.SIZE),
    'points short': ({'times': [0.5, 1.0], 'values': [[0.1, 0.1], []]}, ReasonCode.SIZE),
    'no names': ({'names': [], 'values': [[]]}, ReasonCode.SIZE),
    'no points': ({'times': [], 'values': []}, ReasonCode.SIZE),
    'huge': (
        {
            'times': np.arange(1.0, MAX_POINTS + 2.0) * 0.01,
            'values': [[0.1, 0.1]] * (MAX_POINTS + 1),
        },
        ReasonCode.SIZE,
    ),
    'times back': ({'times': [0.5, 0.4], 'values': [[0.1, 0.1]] * 2}, ReasonCode.TIME),
    'times equal': ({'times': [0.5, 0.5], 'values': [[0.1, 0.1]] * 2}, ReasonCode.TIME),
    'time negative': ({'times': [-0.5]}, ReasonCode.TIME),
    'too long': ({'times': [1e7]}, ReasonCode.TIME),
    'stamp ahead': ({'stamp': 10**12}, ReasonCode.STAMP),
}


def test_bad_messages_are_refused_with_their_code_and_the_motion_goes_on(driven):
    """One after the other in the course of a motion, which none of them changes."""
    rig = driven
    begin, start = rig.commanded(), rig.now
    good = rig.offer({'shoulder': -1.2}, 1.0)
    rig.ticks()
    found = {}
    for kind, (changes, _) in BAD.items():
        name = rig.offer({'elbow': 0.1, 'wrist': 0.1}, 0.5, **changes)
        rig.ticks()
        (event,) = rig.events(name)
        assert event.state.name == 'REJECTED', kind
        found[kind] = {reason.code for reason in event.reasons}
        assert all(reason.text for reason in event.reasons)
        assert rig.mode == 'EXECUTING'
    rig.run(1.6 - (rig.now - start) * 1e-9)
    assert found == {kind: {code} for kind, (_, code) in BAD.items()}
    assert rig.states(good) == ['ACTIVE', 'REACHED']
    rig.check_followed('shoulder', begin[0], -1.2, start, 1.0)
    assert rig.commanded()[1:].tolist() == begin[1:].tolist()


def test_everything_wrong_with_a_message_is_told_at_once(driven):
    """Three kinds of errors, three reasons."""
    name = driven.offer({'elbow': 0.1}, names=['elbow', 'elbow', 'tail'], times=[-1.0])
    driven.ticks()
    (event,) = driven.events(name)
    assert {reason.code for reason in event.reasons} == {
        ReasonCode.UNKNOWN_CHANNEL,
        ReasonCode.DUPLICATE_CHANNEL,
        ReasonCode.TIME,
        ReasonCode.SIZE,
    }


def test_huge_values_are_limited(driven):
    """They are finite: the joint goes to its end as fast as it may."""
    driven.offer({'wrist': 1e300}, 0.5)
    driven.run(1.5)
    assert ReasonCode.OUT_OF_RANGE in driven.codes()
    place = driven.place('wrist')
    assert driven.commanded()[place] == pytest.approx(driven.limits.upper[place])
    driven.check_no_jump()


def test_a_flood_is_refused_by_its_own_code(driven):
    """What comes before the next tick is too much: the rest is refused, the loop goes on."""
    names = [driven.offer({'elbow': 1.5 + 0.001 * k}, 1.0) for k in range(100)]
    driven.run(1.6)
    last = [driven.events(name)[-1] for name in names]
    refused = [event for event in last if event.state.name == 'REJECTED']
    assert {reason.code for event in refused for reason in event.reasons} == {
        ReasonCode.QUEUE_FULL
    }
    assert len(refused) == 36
    assert [event.state.name for event in last if event not in refused][-1] == 'REACHED'
    driven.check_no_jump()


def test_commands_to_what_is_not_driven_are_refused(rig):
    """Before activation nothing is followed, and nothing reaches the backend."""
    name = rig.offer({'elbow': 1.5})
    rig.ticks(3)
    (event,) = rig.events(name)
    assert event.state.name == 'REJECTED'
    assert [reason.code for reason in event.reasons] == [ReasonCode.NOT_DRIVEN]
    assert 'activate' in event.reasons[0].text
    assert all(row is None for row in rig.commands)


def test_a_path_tolerance_is_kept_or_the_goal_is_missed_on_the_way(driven):
    """A way that leads beyond the range cannot be followed; the joint rests where it is."""
    rig, place = driven, driven.place('elbow')
    wide = Tolerances(path=np.array([0.5]))
    good = rig.offer({'elbow': 1.6}, 0.8, tolerances=wide)
    rig.run(1.4)
    assert rig.states(good) == ['ACTIVE', 'REACHED']
    tight = Tolerances(path=np.array([0.2]))
    bad = rig.offer({'elbow': rig.limits.upper[place] + 1.5}, 1.0, tolerances=tight)
    rig.run(1.5)
    assert rig.states(bad) == ['ACTIVE', 'MISSED']
    missed = rig.events(bad)[-1]
    assert missed.on_the_way
    assert missed.channel == 'elbow'
    assert 0.2 < missed.error < 0.4
    assert [reason.code for reason in missed.reasons] == [ReasonCode.TOLERANCE]
    assert rig.mode == 'HOLDING'
    rig.check_no_jump()


def test_a_goal_has_a_tolerance_and_a_time_of_its_own(driven):
    """Missed so long after its end as its own time says, with what waited for it dropped."""
    rig, place, start = driven, driven.place('elbow'), driven.now
    tolerances = Tolerances(goal=np.array([0.3]), goal_time=0.4)
    name = rig.offer({'elbow': rig.limits.upper[place] + 0.5}, 0.8, tolerances=tolerances)
    queued = rig.offer({'elbow': 1.0}, 0.5, queued=True)
    told = None
    while told is None and rig.now < start + 3 * 10**9:
        rig.ticks()
        told = rig.now if rig.states(name)[-1] == 'MISSED' else None
    assert (told - start) * 1e-9 == pytest.approx(0.8 + 0.4, abs=2 * rig.period)
    assert rig.states(queued) == ['WAITING', 'REJECTED']
    assert [reason.code for reason in rig.events(queued)[-1].reasons] == [ReasonCode.DROPPED]
    loose = Tolerances(goal=np.array([0.8]))
    assert rig.offer({'elbow': rig.limits.upper[place] + 0.5}, 0.5, tolerances=loose)
    rig.run(1.0)
    assert rig.story()[-1].state.name == 'REACHED'


def test_a_message_that_is_refused_says_whose_it_is(driven):
    """Identity and reasons of a refusal are those of the report."""
    request = driven.request({'elbow': NAN})
    refusal = check_trajectory(request, driven.limits.names)
    assert isinstance(refusal, Refusal)
    driven.core.offer(refusal)
    (status,) = driven.ticks()
    assert status.goal.identity == request.identity
    assert status.goal.reasons == refusal.reasons
