"""Walks and turns anywhere in the ranges of their parameters are calls of strides in theirs."""

import itertools
import math

import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot

#: Of the range of each parameter, beside its default: ends, and a place in between.
PARTS = (0.0, 0.37, 1.0)
#: The parameter that tells how far each goes, and the axes of the velocities along that.
WAYS = {'walk': ('distance', ('x', 'y')), 'turn': ('angle', ('yaw',))}


@pytest.fixture(scope='module', params=['shell', 'quadruped'])
def robot(request):
    return load_robot(request.param)


def grid(action):
    """Values of the parameters of an action but the height, over their ranges."""
    axes = []
    for name, entry in action.parameters.items():
        if name != 'height':
            span = entry.maximum - entry.minimum
            values = {entry.minimum + part * span for part in PARTS} | {entry.default}
            axes.append([(name, min(value, entry.maximum)) for value in sorted(values)])
    return [dict(values) for values in itertools.product(*axes)]


def way_of(call, axes):
    """How far a robot goes in a whole cycle at the velocity of a stride."""
    velocity = call.sub_action.moves[0].velocity
    speed = math.hypot(*(call.value(getattr(velocity, axis)) for axis in axes))
    return speed * call.value(call.gait_move.cycle)


@pytest.mark.parametrize('name', WAYS)
def test_no_walk_within_its_ranges_is_refused(robot, name):
    """With any gait; none is faster than a stride may be, and all of the way is asked for."""
    library = body_of(robot).library()
    action = library.action(name)
    way, axes = WAYS[name]
    for gait, values in itertools.product(library.gaits, grid(action)):
        calls = library.call(name, values, gait)
        assert bool(calls) == (abs(values[way]) > 1e-9)
        parts = library.values(action, values, gait)['gait_parts']
        gone = sum(way_of(call, axes) * len(list(same)) for call, same in itertools.groupby(calls))
        assert gone / parts == pytest.approx(abs(values[way]), rel=1e-6, abs=1e-9), (gait, values)


@pytest.mark.parametrize(
    ('name', 'values', 'gait'),
    [
        ('walk', {'distance': -0.1, 'direction': -3.1416, 'step': 0.1, 'period': 0.25}, ''),
        ('turn', {'angle': 1.0, 'step': 0.35, 'period': 0.25}, 'quick'),
    ],
)
def test_the_quickest_steps_are_planned(name, values, gait):
    """They are as many more as the velocity needs."""
    rehearsal = Rehearsal(load_robot('shell'), 'stand')
    assert list(rehearsal.perform(name, values, gait))
    assert rehearsal.state.at_rest
