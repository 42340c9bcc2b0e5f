"""A trajectory message is taken as it is or refused as a whole, by name, value and expectation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.reason import Reason, ReasonCode
from softshell_control.trajectories.check import (
    MAX_AHEAD,
    MAX_POINTS,
    Refusal,
    Request,
    check_trajectory,
)
from softshell_control.trajectories.trajectory import Identity, Tolerances, Trajectory

KNOWN = ('fold', 'yaw', 'knee')
WHO = Identity('tester', bytes(range(16)))


def check(
    names=('yaw', 'fold'),
    times=(0.5, 1.0),
    positions=None,
    velocities=None,
    accelerations=None,
    stamp=7,
    queued=False,
    **more,
):
    empty = [[]] * len(times)
    request = Request(
        identity=WHO,
        stamp=stamp,
        names=list(names),
        times=times,
        values=[[0.1, 0.2], [0.3, 0.4]] if positions is None else positions,
        rates=empty if velocities is None else velocities,
        accelerations=empty if accelerations is None else accelerations,
        queued=queued,
    )
    return check_trajectory(request, KNOWN, **more)


def test_valid_message_is_taken():
    """Joints are found by name; whose it is, positions and times arrive unchanged."""
    taken = check(queued=True)
    assert isinstance(taken, Trajectory)
    assert taken.identity == WHO
    assert taken.channels.tolist() == [1, 0]
    assert taken.values.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert taken.times.tolist() == [0.5, 1.0]
    assert (taken.stamp, taken.duration, taken.queued, taken.rates) == (7, 1.0, True, None)
    own = taken.tolerances
    assert (own.goal, own.goal_time, own.path) == (None, None, None)


def test_tolerances_go_with_it():
    """Tolerances that were checked before are those of the trajectory."""
    own = Tolerances(np.array([0.1, 0.2]), 3.0)
    assert check(tolerances=own).tolerances is own


def test_stamp_is_held_against_the_clock_only_where_there_is_one():
    """Up to MAX_AHEAD a stamp may be ahead; a stamp of the past is none of its business."""
    far = round(MAX_AHEAD * 1e9)
    assert isinstance(check(stamp=far, now=0), Trajectory)
    assert isinstance(check(stamp=far + 1, now=0), Refusal)
    assert isinstance(check(stamp=far + 1), Trajectory)
    assert isinstance(check(stamp=0, now=far), Trajectory)


@pytest.mark.parametrize(
    ('change', 'code', 'text'),
    [
        ({'names': ()}, ReasonCode.SIZE, 'joint_names is empty'),
        (
            {'names': ('yaw', 'q9')},
            ReasonCode.UNKNOWN_CHANNEL,
            "unknown joints: 'q9'; known: fold, yaw, knee",
        ),
        ({'names': ('yaw', 'yaw')}, ReasonCode.DUPLICATE_CHANNEL, "duplicate joints: 'yaw'"),
        ({'times': (), 'positions': []}, ReasonCode.SIZE, 'points is empty'),
        (
            {'times': (1.0, 0.5)},
            ReasonCode.TIME,
            'points[1].time_from_start is 0.5 s; expected more than 1 s',
        ),
        ({'times': (0.5, 0.5)}, ReasonCode.TIME, 'points[1].time_from_start is 0.5 s'),
        (
            {'times': (-0.5, 0.5)},
            ReasonCode.TIME,
            'points[0].time_from_start is -0.5 s; expected at least 0',
        ),
        ({'times': (0.5, float('nan'))}, ReasonCode.NOT_FINITE, 'time_from_start is not finite'),
        ({'times': (0.5, 1e9)}, ReasonCode.TIME, 'expected at most 3600'),
        (
            {'positions': [[0.1, 0.2], [0.3]]},
            ReasonCode.SIZE,
            'points[1].positions has 1 values; expected 2',
        ),
        ({'positions': [[], []]}, ReasonCode.SIZE, 'points[0].positions has 0 values; expected 2'),
        (
            {'positions': [[0.1, 0.2], [float('nan'), 0.4]]},
            ReasonCode.NOT_FINITE,
            "points[1].positions of 'yaw' is nan; expected a finite number",
        ),
        (
            {'velocities': [[0.0, 0.0], []]},
            ReasonCode.SIZE,
            'points[1].velocities has 0 values; expected 2',
        ),
        (
            {'velocities': [[0.0, 0.0], [0.0, float('inf')]]},
            ReasonCode.NOT_FINITE,
            "velocities of 'fold' is inf",
        ),
        (
            {'accelerations': [[0.0, 0.0], [0.0]]},
            ReasonCode.SIZE,
            'points[1].accelerations has 1 values; expected 2',
        ),
        (
            {'accelerations': [[0.0, float('nan')]] * 2},
            ReasonCode.NOT_FINITE,
            "accelerations of 'fold' is nan",
        ),
        ({'stamp': int((MAX_AHEAD + 5) * 1e9), 'now': 0}, ReasonCode.STAMP, 'ahead of the clock'),
    ],
)
def test_bad_message_is_refused_whole(change, code, text):
    """The reason has its kind, and names the thing, its value and what was expected."""
    refused = check(**change)
    assert isinstance(refused, Refusal)
    assert refused.identity == WHO
    assert any(text in each.text and each.code is code for each in refused.reasons)


def test_all_problems_at_once():
    """A message with three faults gets three reasons."""
    refused = check(names=('yaw', 'q9'), times=(1.0, 0.5), positions=[[0.0], [0.0]])
    assert [reason.code for reason in refused.reasons] == [
        ReasonCode.UNKNOWN_CHANNEL,
        ReasonCode.TIME,
        ReasonCode.SIZE,
    ]


def test_huge_message_is_refused():
    """A message of too many points is refused without being read."""
    count = MAX_POINTS + 1
    refused = check(times=np.arange(1.0, count + 1), positions=[[0.0, 0.0]] * count)
    text = f'{count} points; expected at most {MAX_POINTS}'
    assert refused.reasons == (Reason(ReasonCode.SIZE, text),)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*KNOWN, 'other']), max_size=4),
    st.lists(st.floats(), max_size=4),
    st.lists(st.lists(st.floats(), max_size=4), max_size=4),
)
def test_what_is_taken_is_sound(names, times, rows):
    """Nothing that is taken has a non-finite value, a wrong size or times that do not increase."""
    rows = (rows + [[]] * len(times))[: len(times)]
    taken = check(names, times, rows)
    if isinstance(taken, Trajectory):
        assert taken.values.shape == (len(times), len(names))
        assert np.isfinite(taken.values).all()
        assert (np.diff(taken.times) > 0.0).all()
        assert len(set(taken.channels.tolist())) == len(names)
    else:
        assert taken.reasons
