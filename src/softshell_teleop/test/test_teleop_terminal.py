"""The mode of a terminal in and outside the interface, on a pseudo-terminal and without ROS."""

import io
import os
import pty
import signal
import termios
from pathlib import Path

import pytest

from softshell_teleop.commands import Twist
from softshell_teleop.screen import Screen
from softshell_teleop.session import Session
from softshell_teleop.settings import load_settings
from softshell_teleop.terminal import Terminal

SETTINGS = load_settings(Path(__file__).parents[3] / 'config/teleop.yaml')


@pytest.fixture
def slave():
    """A terminal that controls no process."""
    master, slave = pty.openpty()
    yield slave
    os.close(slave)
    os.close(master)


def test_a_terminal_is_given_back_and_taken_again(slave):
    """`restore` puts back what was there, `apply` takes it again, and so does the end."""
    before = termios.tcgetattr(slave)
    with Terminal(slave) as terminal:
        ours = termios.tcgetattr(slave)
        assert ours != before
        terminal.restore()
        assert termios.tcgetattr(slave) == before
        terminal.apply()
        assert termios.tcgetattr(slave) == ours
    assert termios.tcgetattr(slave) == before


@pytest.mark.parametrize(('kind', 'obeys'), [('xterm', True), ('dumb', False), (None, False)])
def test_escape_sequences_go_only_to_a_terminal_that_obeys_them(monkeypatch, kind, obeys):
    """A dumb one, or one of which nobody says what it is, gets the same lines without them."""
    monkeypatch.delenv('TERM', raising=False)
    monkeypatch.delenv('NO_COLOR', raising=False)
    if kind is not None:
        monkeypatch.setenv('TERM', kind)
    stream = io.StringIO()
    stream.isatty = lambda: True
    screen = Screen(stream)
    screen.status('base: 0.16 m')
    screen.print('walk: no such gait', '33')
    screen.end()
    printed = stream.getvalue()
    assert ('\x1b' in printed) == obeys
    assert ('base' in printed) == obeys
    assert obeys or printed == 'walk: no such gait\n'


class Noted:
    """Stands for robot, screen, terminal and signals: notes what is asked of them, in order."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        return lambda *given: self.asked.append((name, *given))

    def read(self):
        """The signals that came while the process was stopped."""
        return frozenset({signal.SIGCONT})


def test_a_suspension_gives_the_terminal_back_while_it_lasts():
    """The robot stops first; afterwards the terminal is taken again, without the keys typed."""
    noted = Noted()
    session = Session(SETTINGS, noted, noted, noted, noted, 0, lambda: 0.0)
    session._step('w')
    noted.asked.clear()
    assert session._heed(frozenset({signal.SIGTSTP}))
    assert noted.asked == [
        ('drive', Twist()), ('end',), ('restore',), ('suspend',), ('apply',), ('drop_input',),
    ]  # fmt: skip
