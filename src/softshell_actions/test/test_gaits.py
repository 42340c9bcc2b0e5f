"""One walk and one turn serve every gait of a robot."""

import numpy as np
import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_actions.walking import stride_call
from softshell_description.load import load_robot
from softshell_kinematics.errors import UnknownNameError


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


@pytest.mark.parametrize('gait', ['tripod', 'tetrapod', 'wave'])
def test_a_walk_by_any_gait_goes_all_of_the_way(shell, gait):
    """It follows that gait alone, and ends at rest with each foot where the robot stands."""
    rehearsal = Rehearsal(shell, 'stand')
    parts = list(rehearsal.perform('walk', {'distance': 0.2}, gait))
    assert {part.call.gait_move.gait for part in parts} == {gait}
    way = sum(part.plan.base.origins[-1] - part.plan.base.origins[0] for part in parts)
    assert way == pytest.approx([0.2, 0.0, 0.0], abs=2e-3)
    assert rehearsal.state.at_rest
    assert rehearsal.state.feet == pytest.approx(rehearsal.body.stance.feet, abs=1e-3)


def test_without_a_choice_it_is_the_gait_that_the_robot_walks_by(shell):
    """That of `commands.cmd_vel`, also for numbers of its parts in expressions."""
    library = Rehearsal(shell, 'stand').library
    calls = library.call('walk', {'distance': 0.2})
    assert {call.gait_move.gait for call in calls} == {shell.commands.cmd_vel}
    assert {call.values['gait_parts'] for call in calls} == {2.0}
    assert calls == library.call('walk', {'distance': 0.2}, shell.commands.cmd_vel)


def test_the_stride_of_a_velocity_follows_the_chosen_gait(shell):
    """One part of its cycle, whose length follows from the number of parts."""
    library = Rehearsal(shell, 'stand').library
    call = stride_call(library, 'wave', np.array([0.02, 0.0, 0.0]))
    assert call.gait_move.gait == 'wave'
    assert call.value(call.gait_move.cycle) == pytest.approx(6 * call.values['period'])


def test_an_unknown_gait_is_answered_with_the_nearest(shell):
    """And with all that there are; nothing is performed."""
    rehearsal = Rehearsal(shell, 'stand')
    before = rehearsal.state
    with pytest.raises(UnknownNameError, match=r"unknown gait 'wawe'; did you mean wave\? known:"):
        list(rehearsal.perform('walk', {}, 'wawe'))
    assert rehearsal.state is before
