"""One walk and one turn serve every gait of a robot."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.performing.walking import Pace, Strides, stride_call
from softshell_actions.planning.debt import Debt
from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot
from softshell_kinematics.errors import UnknownNameError


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


GAITS = ['tripod', 'tetrapod', 'wave', 'ripple', 'quick']
#: The two that differ most; the others are long tests.
VARIANTS = [
    pytest.param(name, marks=() if name in ('quick', 'wave') else pytest.mark.long)
    for name in GAITS
]


@pytest.mark.parametrize('gait', GAITS)
def test_a_walk_by_any_gait_goes_all_of_the_way(shell, gait):
    """It follows that gait alone, and ends at rest with each foot where the gait has it.

    Strides that were slowed down, as some of `quick`, leave feet up to 3 mm beside that.
    """
    rehearsal = Rehearsal(shell, 'stand')
    parts = list(rehearsal.perform('walk', {'distance': 0.2}, gait))
    assert {part.call.gait_move.gait for part in parts} == {gait}
    way = sum(part.plan.base.origins[-1] - part.plan.base.origins[0] for part in parts)
    assert way == pytest.approx([0.2, 0.0, 0.0], abs=2e-3)
    assert rehearsal.state.at_rest
    timings = [timing for _, timing in sorted(rehearsal.library.gait(gait).legs.items())]
    rest = rehearsal.body.stance.feet @ [1.0, 1.0j, 0.0]
    shifts = np.array([timing.spread + 1.0j * timing.aside for timing in timings])
    places = rest + shifts * rest / np.abs(rest)
    assert rehearsal.state.feet @ [1.0, 1.0j, 0.0] == pytest.approx(
        places, abs=3e-3 if gait == 'quick' else 1e-3
    )


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
    assert call.values['period'] == library.gait('wave').defaults['period']
    assert call.value(call.gait_move.cycle) == pytest.approx(6 * call.values['period'])


def test_defaults_of_a_gait_are_for_actions_that_follow_any(shell):
    """If the caller gives no value; an action that follows no gait keeps its own defaults."""
    library = Rehearsal(shell, 'stand').library
    quick = library.gait('quick').defaults
    assert library.call('walk', {}, 'quick')[0].values['height'] == quick['height']
    assert library.call('walk', {'height': 0.02}, 'quick')[0].values['height'] == 0.02
    assert library.call('walk', {}, 'tripod')[0].values['height'] != quick['height']
    own = library.action('gather').defaults
    assert own == {name: library.call('gather', {}, 'quick')[0].values[name] for name in own}


def test_an_unknown_gait_is_answered_with_the_nearest(shell):
    """The error also lists all gaits; nothing is performed."""
    rehearsal = Rehearsal(shell, 'stand')
    before = rehearsal.state
    with pytest.raises(UnknownNameError, match=r"unknown gait 'wawe'; did you mean wave\? known:"):
        list(rehearsal.perform('walk', {}, 'wawe'))
    assert rehearsal.state is before


def walked(rehearsal, steps):
    """Motions of strides, each at a (pace, velocity), and their parts."""
    for pace, velocity in steps:
        strides = Strides(rehearsal.library, pace)
        call = strides.call(np.array(velocity))
        yield from rehearsal._parts(call, Debt())


@pytest.mark.parametrize('gait', VARIANTS)
def test_no_velocity_takes_a_foot_out_of_reach(shell, gait):
    """Strides at mixed velocities, far beyond what is possible, are shortened and still fast.

    They keep the direction that was asked for, and take no more than 1.25 times their time.
    """
    library = Rehearsal(shell, 'stand').library
    random = np.random.default_rng(5)
    rehearsal = Rehearsal(shell, 'stand', library)
    period = library.call('stride', {}, gait)[0].values['period']
    asked = [random.uniform(-1.0, 1.0, 3) * [0.35, 0.35, 0.7] for _ in range(8)]
    steps = [(Pace(gait), velocity) for velocity in asked for _ in range(3)]
    parts = [part for part in walked(rehearsal, steps) if part.call.travels]
    assert len(parts) == len(steps)
    for part, (_, velocity) in zip(parts, steps, strict=True):
        end = part.plan.end.velocity
        assert np.cross(end, velocity) == pytest.approx(0.0, abs=1e-9)
        assert part.motion.duration < 1.25 * period


def test_a_gait_is_switched_while_the_robot_walks(shell):
    """Through all of them and back, and at other tempos: no joint jumps."""
    rehearsal = Rehearsal(shell, 'stand')
    paces = [Pace(gait) for gait in GAITS] + [Pace('ripple', tempo=1.4), Pace('tripod')]
    paces += [Pace('wave', tempo=2.0), Pace('wave', tempo=0.8), Pace('wave', tempo=2.0)]
    steps = [(pace, (0.04, 0.01, 0.05)) for pace in paces for _ in range(7)]
    parts = list(walked(rehearsal, steps))
    limits = rehearsal.body.pacing().speeds
    for before, after in itertools.pairwise(parts):
        first = dict(zip(after.motion.joints, after.motion.positions[0], strict=True))
        last = dict(zip(before.motion.joints, before.motion.positions[-1], strict=True))
        assert first == pytest.approx({name: last[name] for name in first}, abs=1e-5)
        faster = dict(zip(after.motion.joints, after.motion.velocities[0], strict=True))
        slower = dict(zip(before.motion.joints, before.motion.velocities[-1], strict=True))
        jumps = [abs(faster[name] - slower[name]) / limits[name] for name in faster]
        assert max(jumps) < 0.03


@pytest.mark.parametrize(
    ('gait', 'speed'), zip(GAITS, (0.15, 0.08, 0.05, 0.06, 0.35), strict=True)
)
def test_joints_go_on_as_fast_from_stride_to_stride(shell, gait, speed):
    """Round feet roll as they land and as they lift, so swings are not from rest to rest.

    If they were planned so, velocities of joints would jump by up to 0.2 rad/s.
    """
    parts = list(walked(Rehearsal(shell, 'stand'), [(Pace(gait), (speed, 0.0, 0.0))] * 12))
    jumps = [
        np.abs(after.motion.velocities[0] - before.motion.velocities[-1]).max()
        for before, after in itertools.pairwise(parts[4:])
    ]
    assert max(jumps) < 0.08


def test_feet_in_the_air_land_before_another_gait_begins(shell):
    """They land while the robot keeps its velocity; only then legs of the other gait lift."""
    rehearsal = Rehearsal(shell, 'stand')
    list(walked(rehearsal, [(Pace('ripple'), (0.03, 0.0, 0.0))] * 8))
    assert rehearsal.state.swings
    landing, stride = walked(rehearsal, [(Pace('tripod'), (0.03, 0.0, 0.0))])
    assert landing.call.gait_move.gait == 'ripple'
    assert landing.plan.end.velocity == pytest.approx([0.03, 0.0, 0.0], rel=0.05)
    assert not landing.plan.end.swings
    assert stride.call.gait_move.gait == 'tripod'


def test_feet_that_are_far_from_where_a_gait_has_them_go_there_first(shell):
    """Each foot steps once before the robot sets off, or none if all are near enough."""
    rehearsal = Rehearsal(shell, 'stand')
    away = [(Pace('quick'), (0.2, 0.0, 0.0))] * 2 + [(Pace('quick'), (0.0, 0.0, 0.0))] * 2
    back = [(Pace('tripod'), (0.05, 0.0, 0.0))] * 2
    speeds = [part.plan.end.velocity[0] for part in walked(rehearsal, away + back)]
    assert speeds == pytest.approx([0.0, 0.0, 0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 0.05, 0.05], abs=0.02)
    speeds = [part.plan.end.velocity[0] for part in walked(rehearsal, back)]
    assert speeds == pytest.approx([0.05, 0.05])


def test_feet_of_a_stride_that_spreads_them_get_there(shell):
    """Also further out than a stance reaches: each foot steps once, then the robot sets off."""
    rehearsal = Rehearsal(shell, 'stand')
    call = stride_call(rehearsal.library, 'tripod', np.array([0.01, 0.0, 0.0]))
    moves = [
        move.model_copy(update={'spread': 0.055}) if move is call.gait_move else move
        for move in call.sub_action.moves
    ]
    wide = replace(call, sub_action=call.sub_action.model_copy(update={'moves': moves}))
    parts = list(itertools.islice(rehearsal._parts(wide, Debt()), 8))
    speeds = [part.plan.end.velocity[0] for part in parts]
    assert speeds == pytest.approx([0.0, 0.0, 0.01])


def test_the_fastest_gait_is_fast(shell):
    """At least 0.3 m/s, within the speeds and accelerations of every joint."""
    rehearsal = Rehearsal(shell, 'stand')
    parts = list(walked(rehearsal, [(Pace('quick'), (0.35, 0.0, 0.0))] * 16))[-8:]
    way = sum(part.plan.base.origins[-1, 0] - part.plan.base.origins[0, 0] for part in parts)
    assert way / sum(part.motion.duration for part in parts) >= 0.3
