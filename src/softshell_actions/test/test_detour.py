"""A base makes a detour if legs reach two of its poses but not the poses between them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.language.grammar import BaseMove
from softshell_actions.planning import preparing
from softshell_actions.planning.detour import BENDS, TURNED, detours
from softshell_actions.planning.reach import Question, UnreachableError
from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot

SHELL = load_robot()
#: Places of feet [m], and a pose of the base over them from which the straight way back leads a
#: hip's pitch beyond its limit.
SCATTERED = np.array([
    [0.310, 0.024], [0.130, 0.274], [-0.170, 0.249],
    [-0.307, -0.022], [-0.132, -0.271], [0.170, -0.252],
])  # fmt: skip
PLACE = np.array([0.0, 0.01, 0.138])
TURN = Rotation.from_euler('ZYX', [-0.395, -0.3137, 0.1344])


def leaning():
    """A rehearsal whose robot leans over scattered feet."""
    rehearsal = Rehearsal(SHELL, 'stand')
    state = rehearsal.state
    feet = np.column_stack([SCATTERED, np.zeros(6)])
    tips = np.column_stack([TURN.inv().apply(feet - PLACE), np.full((6, 3), np.nan)])
    goals = dict(zip(rehearsal.body.stance.legs, tips[:, None], strict=True))
    found = rehearsal.solved(Question(goals, state.joints))
    joints = {**state.joints, **{name: float(path[0]) for name, path in found.items()}}
    rehearsal.state = replace(
        state, joints=joints, feet=feet, base_position=PLACE, base_rotation=TURN
    )
    return rehearsal


def test_it_comes_back_from_a_pose_from_which_the_straight_way_is_none(monkeypatch):
    """Its base ends at its goal; without detours the action is refused."""
    rehearsal = leaning()
    begin, body = rehearsal.state, rehearsal.body
    goal = {
        'z': body.stance.stand_height,
        **dict.fromkeys(('x', 'y', 'yaw', 'pitch', 'roll'), 0.0),
    }
    list(rehearsal.perform('pose', goal))
    np.testing.assert_allclose(rehearsal.state.base_rotation.as_matrix(), np.eye(3), atol=1e-9)
    tips = body.forward(rehearsal.state.joints)
    feet = [tips[leg][:3, 3] for leg in body.stance.legs]
    seen = np.array(feet) + [0.0, 0.0, body.stance.stand_height]
    np.testing.assert_allclose(seen, rehearsal.state.feet, atol=2e-4)
    np.testing.assert_allclose(seen, begin.feet, atol=0.01)  # round feet have rolled a little
    monkeypatch.setattr(preparing, 'detours', lambda call, state: iter(()))
    rehearsal.state = begin
    with pytest.raises(UnreachableError, match=r'lower_\d misses point \d+ of'):
        list(rehearsal.perform('pose', goal))


def test_where_the_end_is_out_of_reach_no_other_way_is_tried(monkeypatch):
    """No detour is asked for; the error is that of the straight way."""
    tried = []

    def noted(call, state):
        tried.append(call)
        return detours(call, state)

    monkeypatch.setattr(preparing, 'detours', noted)
    rehearsal = Rehearsal(SHELL, 'stand')
    with pytest.raises(UnreachableError, match='misses point'):
        list(rehearsal.perform('pose', {'z': 0.3}))
    assert not tried


@pytest.mark.parametrize('goal', [{'z': 0.3}, {'z': 0.02}, {'x': 0.1, 'z': 0.155}])
def test_a_refusal_tells_how_far_the_base_gets(goal):
    """The base gets there, but not 1 cm further; coordinates that do not change are left out."""
    rehearsal = Rehearsal(SHELL, 'stand')
    begin = rehearsal.state
    with pytest.raises(UnreachableError, match='on this way the base gets to') as refused:
        list(rehearsal.perform('pose', goal))
    name = next(iter(goal))
    ((told, place, way),) = re.findall(r'([xyz]\w*) = (\S+) \((\S+)\)', str(refused.value))
    assert told == name
    away = float(np.sign(float(way)))
    list(rehearsal.perform('pose', {**goal, name: float(place) - 0.0005 * away}))
    rehearsal.state = begin
    with pytest.raises(UnreachableError):
        list(rehearsal.perform('pose', {**goal, name: float(place) + 0.01 * away}))


def test_every_detour_ends_where_the_call_does():
    """Its last point names all that the call names; a base with a path of its own has none."""
    rehearsal = Rehearsal(SHELL, 'stand')
    (call,) = rehearsal.library.call('pose', {'z': 0.17, 'pitch': 0.1})
    found = list(detours(call, rehearsal.state))
    assert len(found) == len(BENDS) * len(TURNED)
    for other in found:
        (move,) = other.sub_action.moves
        end = {name: other.value(value) for name, value in move.base[-1].items()}
        assert end == {'x': 0.0, 'y': 0.0, 'z': 0.17, 'yaw': 0.0, 'pitch': 0.1, 'roll': 0.0}
    for asked in ({'nodes': True}, {'relative': True}, {'base': [{'z': 0.1}, {'z': 0.17}]}):
        move = BaseMove.model_validate({'base': [{'z': 0.17}], **asked})
        sub_action = call.sub_action.model_copy(update={'moves': [move]})
        assert not list(detours(replace(call, sub_action=sub_action), rehearsal.state))
