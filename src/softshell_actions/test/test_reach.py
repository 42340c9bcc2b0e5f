"""Walking from any posture: as high and as far as legs reach, and all of the way."""

import numpy as np
import pytest

from softshell_actions.held import durations, held_against
from softshell_actions.language.grammar import SubAction
from softshell_actions.library import ActionLibrary
from softshell_actions.performing.call import Call
from softshell_actions.performing.walking import standing_up, stride_call
from softshell_actions.planning.debt import MOST, TRIALS, Debt, DebtError
from softshell_actions.planning.preparing import Prepared
from softshell_actions.planning.reach import UnreachableError
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

#: Heights between the lowest and the highest [m].
INNER = (-0.04, -0.02, 0.0, 0.03)


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


def at_height(robot, change):
    """A rehearsal in which the base is by `change` above its standing height [m]."""
    rehearsal = Rehearsal(robot, 'stand')
    if change:
        list(rehearsal.perform('raise' if change > 0.0 else 'lower', {'amount': abs(change)}))
    return rehearsal


def travelled(parts):
    """(3,) how far the base came [m]."""
    return sum(part.plan.base.origins[-1] - part.plan.base.origins[0] for part in parts)


@pytest.mark.parametrize(
    'change', [-0.05, 0.05, *(pytest.param(c, marks=pytest.mark.long) for c in INNER)]
)
def test_it_walks_all_of_the_way_at_every_height(shell, change):
    """Shorter, lower and slower strides are made up for by more of them; it ends as it began."""
    rehearsal = at_height(shell, change)
    height = rehearsal.state.base_position[2]
    parts = list(rehearsal.perform('walk', {'distance': 0.3}))
    assert travelled(parts)[:2] == pytest.approx([0.3, 0.0], abs=1e-3)
    assert rehearsal.state.at_rest
    stood_up = any(part.call.name == 'rise' for part in parts)
    stand = body_of(shell).stance.stand_height
    assert rehearsal.state.base_position[2] == pytest.approx(stand if stood_up else height)


def test_it_turns_when_it_is_low(shell):
    """By all of the angle, with its base 2 cm lower."""
    rehearsal = at_height(shell, -0.02)
    parts = list(rehearsal.perform('turn', {'angle': 0.5}))
    yaw = sum(
        np.arctan2(*(part.plan.base.rotations[0].T @ part.plan.base.rotations[-1])[1::-1, 0])
        for part in parts
    )
    assert yaw == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize('direction', [(1, 1, 1), (1, -1, -1), (-1, 1, 1), (0, 1, -1)])
def test_every_mixture_of_velocities_is_walked(shell, direction):
    """Each at the limit of its own axis: the stride that all legs reach has the same direction."""
    body = body_of(shell)
    library: ActionLibrary = body.library()
    rehearsal = Rehearsal(shell, 'stand')
    wanted = np.array(direction) * [0.2, 0.2, 0.7]
    call = stride_call(library, 'tripod', wanted)
    asked = np.array([call.value(value) for _, value in call.sub_action.moves[0].velocity])
    debt = Debt()
    for _ in range(4):
        part = rehearsal._part(call, debt)
    velocity = rehearsal.state.velocity
    assert np.linalg.norm(velocity) > 0.3 * np.linalg.norm(asked)
    assert np.cross(velocity, asked) == pytest.approx(0.0, abs=1e-9)
    assert part.motion.duration < 1.0


def test_where_no_stride_begins_the_robot_stands_up_first(shell):
    """5 cm lower it rises before it walks; an action without strides is refused instead."""
    rehearsal = at_height(shell, -0.05)
    names = [part.call.name for part in rehearsal.perform('walk', {'distance': 0.1})]
    rising = [call.name for call in standing_up(body_of(shell).library(), 'tripod')]
    assert names[0] == 'rise'
    assert set(names) <= {*rising, 'stride'}
    with pytest.raises(UnreachableError, match='misses point'):
        list(at_height(shell, 0.05).perform('raise', {'amount': 0.05}))


def prepared(share, stretch=1.0):
    """A stride that was done in part."""
    return Prepared(None, {}, None, None, share, stretch, np.zeros(3), ())


def test_what_was_shortened_is_owed():
    """Three strides of two thirds leave one stride, done in parts no longer than those."""
    body = body_of(load_robot('shell'))
    call = body.library().call('stride', {'x': 0.12})[0]
    debt = Debt()
    assert debt.due(call) is None
    for _ in range(3):
        assert debt.due(call) is None or call.shortened(2.0 / 3.0) == debt.due(call)
        debt.note(call, prepared(2.0 / 3.0), makes_up=False)
    paid = 0.0
    while (due := debt.due(None)) is not None:
        part = due.value(due.sub_action.moves[0].velocity.x) / 0.12
        assert part <= 2.0 / 3.0 + 1e-12
        paid += part
        debt.note(due, prepared(1.0), makes_up=True)
    assert paid == pytest.approx(1.0)


def test_what_follows_a_stream_owes_nothing():
    """A velocity that cannot be walked is walked as fast as can be, only while commanded."""
    body = body_of(load_robot('shell'))
    call = stride_call(body.library(), 'tripod', np.array([0.2, 0.0, 0.0]))
    debt = Debt()
    debt.note(call, prepared(0.5), makes_up=False)
    assert debt.due(None) is None


@pytest.mark.parametrize('share', [1e-2, pytest.param(0.3, marks=pytest.mark.long), 2.0 / 3.0])
@pytest.mark.parametrize('stretch', [0.8, pytest.param(1.0, marks=pytest.mark.long), 1.7])
def test_what_is_owed_is_paid_in_equal_parts_as_long_as_the_last_one(share, stretch):
    """No part is longer than what was possible, and there are about as many as needed."""
    call = body_of(load_robot('shell')).library().call('stride', {'x': 0.12})[0]
    debt = Debt()
    debt.note(call, prepared(share, stretch), makes_up=False)
    count = 0
    while (due := debt.due(None)) is not None:
        part = due.value(due.sub_action.moves[0].velocity.x) / 0.12
        assert part <= share * (1.0 + 1e-12)
        debt.note(due, prepared(1.0, stretch), makes_up=True)
        count += 1
        assert count <= 2.0 / share
    assert count >= 0.5 / share


def test_no_stride_is_made_up_for_by_more_than_some(shell):
    """It is refused at once, before another equal stride as well as before the end."""
    move = {'velocity': {'x': 4.0, 'yaw': '-w'}}
    gait = {'gait': 'tripod', 'cycle': 1.0, 'height': 0.02}
    call = Call(SubAction.model_validate({'name': 'dash', 'moves': [move, gait]}), {'w': 2.0})
    for following in (call, None):
        debt = Debt()
        debt.note(call, prepared(0.4 / MOST), makes_up=False)
        with pytest.raises(DebtError) as caught:
            debt.due(following)
        assert str(caught.value) == (
            'dash: velocity is x 4 m/s, yaw -2 rad/s; expected at most about x 0.0016 m/s, '
            'yaw -0.0008 rad/s, as more than 1000 strides would have to make up for the rest'
        )


@pytest.mark.parametrize('share', [0.0, 1e-8])
@pytest.mark.parametrize('follows', [False, True])
def test_a_stride_that_only_puts_feet_where_they_belong_is_made_up_for(share, follows):
    """If nothing of it was possible, a whole one follows, and then ones as long as that was."""
    call = body_of(load_robot('shell')).library().call('stride', {'x': 0.12})[0]
    debt = Debt()
    debt.note(call, prepared(share), makes_up=False)
    due = debt.due(call if follows else None)
    assert due.value(due.sub_action.moves[0].velocity.x) == pytest.approx(0.12)
    debt.note(due, prepared(0.25), makes_up=True)
    due = debt.due(call if follows else None)
    assert due.value(due.sub_action.moves[0].velocity.x) == pytest.approx(0.03)


def test_strides_that_never_get_anywhere_end():
    """They are tried for more than a cycle of any gait, but not for ever."""
    call = body_of(load_robot('shell')).library().call('stride', {'x': 0.12})[0]
    debt = Debt()
    debt.note(call, prepared(0.0), makes_up=False)
    for _ in range(TRIALS):
        debt.note(debt.due(call), prepared(0.0), makes_up=True)
    with pytest.raises(DebtError, match='expected at most about x 0 m/s'):
        debt.due(call)


@pytest.mark.timeout(30)
@pytest.mark.parametrize('velocity', ['1.0e+9', '-1.0e+308'])
def test_a_huge_velocity_is_refused_soon(shell, tmp_path, velocity):
    """The file of an action that asks for it is told what is possible."""
    path = tmp_path / 'dash.yaml'
    path.write_text(
        'name: dash\ndescription: x\nrequires: {condition: standing, action: stand}\n'
        f'sub_actions:\n  - name: dash\n    moves:\n      - {{velocity: {{x: {velocity}}}}}\n'
        '      - {gait: any, cycle: 1, height: 0.02}\n',
        encoding='utf-8',
    )
    with pytest.raises(ProblemsError) as caught:
        list(durations(shell, held_against(shell, path)))
    (problem,) = caught.value.problems
    assert f'dash: velocity is x {float(velocity):g} m/s; expected at most about x' in problem
