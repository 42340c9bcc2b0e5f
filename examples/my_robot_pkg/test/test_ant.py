"""The robot's files have no mistakes, and each of its actions can be planned."""

from pathlib import Path

import pytest

from softshell_actions.held import durations, held_against
from softshell_description.load import load_robot

FOLDER = Path(__file__).parents[1] / 'robots' / 'ant'
NAMES = sorted(path.stem for path in FOLDER.glob('actions/*.yaml'))


@pytest.fixture(scope='module')
def told():
    """The result of a rehearsal of each action, by its name."""
    robot = load_robot(FOLDER)
    return dict(durations(robot, held_against(robot, FOLDER)))


@pytest.mark.parametrize('name', NAMES)
def test_it_is_planned(told, name):
    """With default parameters, from the pose in which a simulation begins."""
    assert told[name].startswith('takes ') or told[name] == 'does nothing from the start pose'
