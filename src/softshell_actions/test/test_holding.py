"""Whether soft manipulators hold an object, and how an action ends that ensures it."""

import asyncio

import pytest

from softshell_actions.facts import EMPTY, HOLDING, Facts
from softshell_actions.holding import holds_a_thing
from softshell_actions.language.grammar import Assurance
from softshell_actions.performing.director import Director
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_actions.state import State
from softshell_common.outcome import Status
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

FINGERS = [{'a1', 'a2'}, {'b1'}, {'c1'}, {'d1'}]
GRASP = Assurance(condition='not empty', otherwise='nothing is held')


@pytest.mark.parametrize(
    ('felt', 'held'),
    [
        ([], False),
        ([('a1', 1.0), ('b1', 1.0)], False),
        ([('a1', 1.0), ('b1', 1.0), ('c1', 0.29)], False),
        ([('a1', 0.2), ('a2', 0.2), ('b1', 1.0), ('c1', 0.2), ('c1', 0.2)], True),
        ([('a1', 1.0), ('b1', 1.0), ('foot', 9.0)], False),
    ],
)
def test_three_that_feel_enough_hold_a_thing(felt, held):
    """All contacts of a manipulator count together, and no others."""
    assert holds_a_thing(FINGERS, felt) == held


def test_where_there_are_fewer_manipulators_all_have_to_touch():
    assert holds_a_thing(FINGERS[:2], [('a1', 1.0), ('b1', 1.0)])
    assert not holds_a_thing(FINGERS[:2], [('a1', 1.0)])
    assert not holds_a_thing([], [('a1', 1.0)])


@pytest.mark.parametrize('holds', [True, False, None])
def test_what_is_not_known_is_neither_held_nor_empty(holds):
    body = body_of(load_robot('shell_fingers'))
    state = body.measured_state(load_robot('shell_fingers').poses['stand'])
    told = Facts(body.stance, grasps=True).of(
        State(state.joints, state.feet, *_base(state), holds=holds)
    )
    assert (told[HOLDING], told[EMPTY]) == (holds is True, holds is False)


def _base(state):
    return state.base_position, state.base_rotation


class Performer:
    """Performs whatever it is asked, and then holds something, or not, or does not know."""

    def __init__(self, empty):
        self._empty = empty

    async def begin(self):
        pass

    async def perform(self, calls, announce, stop):
        return not stop()

    async def holds(self, condition, anew=False):
        assert condition == GRASP.condition
        return not self._empty

    def forget(self):
        pass

    async def facts(self):
        return ()


def performed(empty, stop=lambda: False):
    async def at_rest():
        pass

    async def calls():
        return
        yield

    director = Director(None, Performer(empty), at_rest, print)
    return asyncio.run(director.perform(Task('grasp'), None, calls(), stop=stop, ensures=GRASP))


def test_who_holds_nothing_has_missed_the_goal():
    with pytest.raises(PerformError) as caught:
        performed(empty=True)
    assert caught.value.status is Status.GOAL_MISSED
    assert str(caught.value) == 'grasp: nothing is held; expected after it: not empty'


def test_who_holds_something_or_was_stopped_has_not():
    """A command that another took over ends as that, whatever it was to ensure."""
    assert performed(empty=False)
    assert not performed(empty=True, stop=lambda: True)


def changed(tmp_path, robot, old, new):
    """The actions of a robot, one of which is changed."""
    folder = tmp_path / 'actions'
    folder.mkdir()
    for file in (load_robot(robot).folder / 'actions').glob('*.yaml'):
        text = file.read_text()
        (folder / file.name).write_text(text.replace(old, new))
    return body_of(load_robot(robot)).library(tmp_path)


@pytest.mark.parametrize(
    ('robot', 'old', 'new', 'problem'),
    [
        (
            'shell_fingers', 'condition: not empty', 'condition: not emtpy',
            r"grasp\.yaml: line \d+: .*unknown fact 'emtpy'.*did you mean empty",
        ),
        (
            'shell_fingers', '  - name: lift', '  - name: lift\n    when: holding',
            r"grasp\.yaml: line \d+: .*asks for 'holding', which is only measured for requires",
        ),
        (
            'arm', 'sub_actions:', 'requires: {condition: holding}\nsub_actions:',
            r"unknown fact 'holding'",
        ),
    ],
)  # fmt: skip
def test_facts_are_asked_for_where_they_can_be_told(tmp_path, robot, old, new, problem):
    """Only robots with a hand have these facts, and only requires and ensures may use them."""
    with pytest.raises(ProblemsError, match=problem):
        changed(tmp_path, robot, old, new)


def test_a_rehearsal_takes_for_granted_what_only_measuring_tells(tmp_path):
    old = 'description: Hold on with another force'
    library = changed(tmp_path, 'shell_fingers', old, f'requires: {{condition: holding}}\n{old}')
    rehearsal = Rehearsal(load_robot('shell_fingers'), library=library)
    assert list(rehearsal.perform('hold'))
