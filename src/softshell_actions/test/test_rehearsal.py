"""Rehearsed actions go where real ones go, and errors say what cannot be done."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.rehearsal import Rehearsal, joined
from softshell_actions.robot import body_of
from softshell_actions.trajectories.motion import Motion
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError, UnknownNameError


@pytest.mark.parametrize('name', ['shell', 'quadruped'])
def test_a_walk_begins_with_what_it_requires(name):
    """From the start pose it stands up first; every part begins where the one before it ended."""
    robot = load_robot(name)
    rehearsal = Rehearsal(robot)
    parts = list(rehearsal.perform('walk', {'distance': 0.2}))
    names = [part.call.name for part in parts]
    begin = len(list(Rehearsal(robot).perform('stand')))
    assert names[begin:] == [
        part.call.name
        for part in Rehearsal(robot, robot.legs.stand).perform('walk', {'distance': 0.2})
    ]
    at = dict(zip(robot.joint_names, robot.pose(robot.start).tolist(), strict=True))
    for part in parts:
        begin = {name: path[0] for name, path in part.joints.items()}
        assert begin == pytest.approx({joint: at[joint] for joint in begin}, abs=1e-6)
        at |= {name: path[-1] for name, path in part.joints.items()}
    assert rehearsal.state.joints == pytest.approx(at)


def test_tips_are_where_the_plan_has_them():
    """At every point, by forward kinematics of the joints; the others are where they were."""
    robot = load_robot('shell')
    body = body_of(robot)
    rehearsal = Rehearsal(robot, 'stand')
    for part in rehearsal.perform('turn', {'angle': 0.4}):
        joints = rehearsal.state.joints
        for point in range(len(part.plan.times)):
            row = {name: path[point] for name, path in part.joints.items()}
            tips = body.forward({**joints, **row})
            for limb, path in part.plan.limbs.items():
                assert tips[limb][:3, 3] == pytest.approx(path[point, :3], abs=1e-6)


@pytest.mark.parametrize(
    ('pose', 'action', 'parameters', 'said'),
    [
        ('stand', 'fly', {}, "unknown action 'fly'"),
        ('stand', 'walk', {'distance': np.nan}, 'distance is nan'),
        ('stand', 'raise', {'amount': 0.1}, 'misses point'),
    ],
)
def test_what_cannot_be_done_says_why(pose, action, parameters, said):
    """The state stays as it was before."""
    rehearsal = Rehearsal(load_robot('shell'), pose)
    before = rehearsal.state
    with pytest.raises((SoftshellError, UnknownNameError), match=said):
        list(rehearsal.perform(action, parameters))
    assert rehearsal.state is before


def test_a_requirement_that_nothing_brings_about_is_told():
    """The error tells what is true instead: a fallen robot cannot stand up to walk."""
    rehearsal = Rehearsal(load_robot('shell'))
    rehearsal.state = replace(rehearsal.state, tilt=3.0)
    with pytest.raises(SoftshellError, match=r'stand requires: not fallen .*; true now: .*fallen'):
        list(rehearsal.perform('walk'))


def test_motions_are_joined_end_to_end():
    """A point at which two motions meet is kept once; motions of other joints are refused."""
    times = np.array([0.0, 1.0, 2.0])
    one = Motion(('a',), times, times[:, None], np.ones((3, 1)))
    two = Motion(('a',), times, times[:, None] + 2.0, np.ones((3, 1)))
    both = joined([one, two, two])
    assert both.times.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert both.positions[:5, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match='motions of 2 sets of joints; expected one'):
        joined([one, Motion(('b',), times, times[:, None], np.ones((3, 1)))])
    with pytest.raises(ValueError, match='motions of 0 sets of joints'):
        joined([])
