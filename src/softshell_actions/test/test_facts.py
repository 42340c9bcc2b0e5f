"""What is true of a robot with a cage, from its joints alone, and what it refuses then."""

import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_control.ball.cage import cage_of
from softshell_control.ball.candidates import candidates_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

ROBOT = load_robot()


def facts(joints, tilt=0.0):
    """Names of what is true of joint positions and a tilt [rad]."""
    body = body_of(ROBOT)
    state = body.measured_state(joints, tilt)
    return {name for name, true in body.facts.of(state).items() if true}


@pytest.mark.parametrize(
    ('pose', 'true'), [('idle', {'lying'}), ('stand', {'standing'}), ('ball', {'ball'})]
)
def test_a_pose_tells_the_mode(pose, true):
    """Lying, standing and the closed ball exclude each other."""
    assert facts(ROBOT.poses[pose]) == true


@pytest.mark.parametrize(
    ('pose', 'tilt', 'true'),
    [
        ('ball', 0.1, {'ball'}),
        ('ball', 0.3, {'ball', 'tilted'}),
        ('ball', 3.0, {'ball', 'tilted'}),
        ('stand', 0.3, {'standing'}),
        ('stand', 3.0, {'fallen'}),
    ],
)
def test_what_has_legs_falls_and_a_ball_leans(pose, tilt, true):
    """A ball stands up from 7 degrees; a robot on its legs has fallen from 34."""
    assert facts(ROBOT.poses[pose], tilt) == true


def test_panels_that_stand_out_are_of_a_ball():
    """For any panels that push, and for all at once in the bloom on which the ball rests."""
    pushes = candidates_of(cage_of(ROBOT))
    names = ROBOT.joint_names
    for goals in (*pushes.goals[::7], pushes.bloom):
        assert facts(dict(zip(names, goals.tolist(), strict=True))) == {'ball'}


def test_on_the_way_into_the_ball_it_neither_stands_nor_is_one():
    """From the first feet that are drawn in until the ball is closed, and on the way back.

    Each sub-action before `draw in three legs` ends in a stance.
    """
    rehearsal, seen = Rehearsal(ROBOT, 'stand'), []
    for action in ('close', 'open'):
        for part in rehearsal.perform(action):
            seen.append((part.call.name, facts(rehearsal.state.joints) - {'scattered'}))
    of = [state for _, state in seen]
    first = of.index({'transforming'})
    last = len(of) - 1 - of[::-1].index({'transforming'})
    assert {'ball'} in of[first:last]
    assert all(state in ({'transforming'}, {'ball'}) for state in of[first : last + 1])
    assert all(state == {'standing'} for state in of[:first] + of[last + 1 :])
    assert seen[first][0] == 'draw in three legs'


@pytest.mark.parametrize('action', ['walk', 'turn', 'pose', 'stand', 'idle', 'gather'])
def test_a_ball_refuses_what_legs_do(action):
    """With the reason: that it is a ball."""
    rehearsal = Rehearsal(ROBOT, 'ball')
    with pytest.raises(SoftshellError, match=r'requires: .*not ball.*; true now: ball$'):
        list(rehearsal.perform(action))


@pytest.mark.long
def test_what_is_half_way_opens_again():
    """After any sub-action of `close` the robot can stand: by `stand` from a stance, or `open`."""
    count = len(list(Rehearsal(ROBOT, 'stand').perform('close')))
    for stop in range(1, count + 1):
        rehearsal = Rehearsal(ROBOT, 'stand')
        parts = rehearsal.perform('close')
        for _ in range(stop):
            next(parts)
        standing = 'standing' in facts(rehearsal.state.joints)
        list(rehearsal.perform('stand' if standing else 'open'))
        assert facts(rehearsal.state.joints) == {'standing'}
