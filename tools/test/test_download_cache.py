"""What was downloaded for one checkout is not downloaded for another: pip's cache has it."""

import os

import pytest

from softshell_tools import first_use
from softshell_tools.requirement_sets import SETS
from softshell_tools.workspace import Workspace

#: Variables by which pip is told where its cache is, or to have none.
PLACES = ('HOME', 'XDG_CACHE_HOME', 'PIP_CACHE_DIR', 'PIP_NO_CACHE_DIR', 'PIP_CONFIG_FILE')


class Recorded:
    """Takes the commands of a set-up instead of running them."""

    def __init__(self):
        self.commands = []

    def run(self, title, command, environment):
        self.commands.append(([str(word) for word in command], environment))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The commands that install all sets into a checkout, by the checkout."""
    python = {'executable': '/python', 'version': [3, 11]}
    monkeypatch.setattr(first_use, 'checked_python', lambda *_: python)
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    monkeypatch.setenv('PYTHONPATH', '/of/the/user')
    commands = {}
    for name in ('one', 'other'):
        workspace, steps = Workspace(tmp_path / name), Recorded()
        (workspace.root / 'requirements').mkdir(parents=True)
        workspace.venv.mkdir()
        for set_name in SETS:
            for path in (*workspace.requirements_of(set_name), workspace.constraints_of(set_name)):
                path.touch()
            workspace.venv_of(set_name).mkdir(parents=True, exist_ok=True)
            first_use.install(workspace, set_name, steps)
        commands[workspace.root] = [entry for entry in steps.commands if 'pip' in entry[0]]
    return commands


def test_pip_keeps_its_cache(installed):
    """No option and no variable of the set-up turns it off or gives it another place."""
    for commands in installed.values():
        assert len(commands) == len(SETS)
        for words, environment in commands:
            options = {word.partition('=')[0] for word in words if word.startswith('-')}
            assert not options & {'--no-cache-dir', '--cache-dir', '--isolated'}
            assert [environment.get(name) for name in PLACES] == [*map(os.environ.get, PLACES)]


def test_two_checkouts_ask_pip_for_the_same(installed):
    """Their commands differ only in the place of the checkout, so the second finds all there."""
    asked = [
        [[word.replace(str(root), 'ROOT') for word in words] for words, _ in commands]
        for root, commands in installed.items()
    ]
    assert asked[0] == asked[1]


def test_what_is_on_the_path_of_the_user_does_not_count_as_installed(installed):
    """pip would leave it out, and it is missing in the next shell."""
    for commands in installed.values():
        assert not any('PYTHONPATH' in environment for _, environment in commands)
