"""The key that changes gaits, with injected time and no terminal."""

from pathlib import Path

import pytest

from softshell_teleop.commands import Say, SetGait
from softshell_teleop.core import State, step
from softshell_teleop.offer import Offer
from softshell_teleop.settings import load_settings

SETTINGS = load_settings(Path(__file__).parents[3] / 'config/teleop.yaml')


def pressed(times, state):
    """Press G once a second; returns the commands and the state."""
    log = []
    for second in range(times):
        state, commands = step(SETTINGS, state, 'g', float(second))
        log.extend(commands)
    return log, state


def test_gaits_follow_one_another_in_a_circle():
    """G asks for the one after the last asked for, first after the one that the robot has."""
    state = State(offer=Offer(gaits=('tripod', 'ripple', 'wave')))
    log, state = pressed(4, state)
    assert [one for one in log if isinstance(one, SetGait)] == [
        SetGait(n) for n in ('ripple', 'wave', 'tripod', 'ripple')
    ]
    assert state.gait == 'ripple'


@pytest.mark.parametrize('offer', [None, Offer(), Offer(gaits=('trot',))])
def test_without_another_gait_none_is_asked_for(offer):
    """The key says why instead."""
    (said,), _ = pressed(1, State(offer=offer))
    assert isinstance(said, Say)
    assert said.problem
    assert said.text.startswith('gait: ')
