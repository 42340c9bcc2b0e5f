"""Rehearsed actions go where real ones go, and errors say what cannot be done."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.language.grammar import BaseMove, JointsMove, SubAction, TipMove
from softshell_actions.library import ParameterError
from softshell_actions.performing.call import Call, base_call
from softshell_actions.performing.walking import stride_call
from softshell_actions.planning.debt import Debt
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


def test_a_tip_that_is_led_along_one_axis_takes_its_foot_along(tmp_path):
    """The foot is where the joints bring it, and the robot goes on from there."""
    rehearsal = Rehearsal(load_robot('shell'), 'stand')
    move = TipMove(group='lower', chains=['lower_0'], points=[{'z': -0.12}])
    lift = SubAction(name='lift', duration=0.5, moves=[move])
    list(rehearsal._parts(Call(lift, {}), Debt()))
    state = rehearsal.state
    assert np.isfinite(state.feet).all()
    tip = rehearsal.body.forward(state.joints)['lower_0'][:3, 3]
    assert tip[2] == pytest.approx(-0.12, abs=1e-6)
    assert state.feet[0] == pytest.approx(state.base_rotation.apply(tip) + state.base_origin)


def test_feet_in_the_air_land_before_what_follows_no_gait():
    """A part of a ripple ends with feet in mid-swing: the base does not move before they stand."""
    rehearsal = Rehearsal(load_robot('shell'), 'stand')
    stride = stride_call(rehearsal.library, 'ripple', np.array([0.05, 0.0, 0.0]))
    list(rehearsal._parts(stride, Debt()))
    assert rehearsal.state.swings
    lower = base_call('lower', 0.5, BaseMove(base=[{'z': 0.15}]))
    *before, last = rehearsal._parts(lower, Debt())
    assert before
    assert last.call is lower
    assert not rehearsal.state.swings


def test_a_short_motion_begins_and_ends_at_rest():
    """A spline through three points would be a line, at full speed from the first one on."""
    rehearsal = Rehearsal(load_robot('arm'))
    name = rehearsal.robot.joint_names[0]
    group = next(key for key, each in rehearsal.robot.groups.items() if name in each.joints)
    at = rehearsal.state.joints[name]
    move = JointsMove(group=group, joints=[{name: at + 0.001}])
    (part,) = rehearsal._parts(
        Call(SubAction(name='nod', duration=0.04, moves=[move]), {}), Debt()
    )
    assert len(part.motion.times) >= 9
    rates = np.abs(part.motion.velocities)
    assert rates[[0, -1]].max() < 0.01 * rates.max()


def test_a_gait_that_cannot_be_chosen_is_refused():
    """As by the action manager: it is not left out without a word."""
    rehearsal = Rehearsal(load_robot('shell'), 'stand')
    with pytest.raises(ParameterError, match="gait is 'tripod'; expected none"):
        list(rehearsal.perform('stand', {}, 'tripod'))
