"""No command writes where an option `--output` has no path."""

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from softshell_tools.cli import app

COMMANDS = {
    name: command
    for name, command in get_command(app).commands.items()
    if any('--output' in one.opts for one in command.params)
}
#: What commands need beside their options.
WORDS = {
    'identify': ['step.csv', '--inertia', '1'], 'report': ['bag'], 'sweep': ['study.yaml'],
    'train': ['Walk'],
}  # fmt: skip


@pytest.mark.parametrize('name', COMMANDS)
@pytest.mark.parametrize('path', ['', '  '])
def test_an_output_without_a_path_is_refused(name, path, tmp_path, monkeypatch):
    """It would be the folder in which the user happens to stand, which stays empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('COLUMNS', '200')
    ran = CliRunner().invoke(app, [name, *WORDS.get(name, ()), '--output', path])
    assert ran.exit_code == 2
    assert f'{path!r} is no path; expected a f' in ran.output
    assert list(tmp_path.iterdir()) == []


def test_commands_that_write_are_known_by_their_option():
    """So that the test above is of all of them."""
    assert {'action', 'demo', 'record', 'soft', *WORDS} <= {*COMMANDS}


@pytest.mark.parametrize('name', COMMANDS)
def test_a_path_is_handed_on_as_it_is(name, monkeypatch):
    """Spaces within it, and the folder in which the user stands, by its name."""
    command = COMMANDS[name]
    taken = []
    monkeypatch.setattr(command, 'callback', lambda **given: taken.append(given['output']))
    for path in ('.', 'my results/a.gif', '/x'):
        words = [name, *WORDS.get(name, ()), '--output', path]
        command.main(words[1:], standalone_mode=False)
    assert [str(one) for one in taken] == ['.', 'my results/a.gif', '/x']
