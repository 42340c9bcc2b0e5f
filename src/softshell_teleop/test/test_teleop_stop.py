"""The key for an emergency stop, with injected time and no terminal."""

from pathlib import Path

from softshell_teleop.commands import EmergencyStop, Twist
from softshell_teleop.core import State, step
from softshell_teleop.settings import load_settings

SETTINGS = load_settings(Path(__file__).parents[3] / 'config/teleop.yaml')


def test_an_emergency_stop_is_asked_for_once_and_first():
    """Before anything else, also before the zero; a key that is held asks once."""
    state, walking = step(SETTINGS, State(), 'w', 0.0)
    assert walking[-1].forward > 0.0
    state, (first, second, said) = step(SETTINGS, state, 'backspace', 0.02)
    assert (first, second) == (EmergencyStop(), Twist())
    assert said.text == 'emergency stop asked for'
    state, commands = step(SETTINGS, state, 'backspace', 0.5)
    assert commands == ()
    assert not state.held
