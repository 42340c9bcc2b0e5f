"""What is printed is shown as it is: rich takes `[s]` or `[rad]` for the name of a style."""

import ast
import io
import shutil
from pathlib import Path

from rich.console import Console

from softshell_client.ros.act import action_table
from softshell_interfaces.msg import ActionDescription, ParameterDescription
from softshell_tools.action_files import Request, describe

ROOT = Path(__file__).parents[2]
FOLDERS = ('src', 'tools', 'tests', 'examples')


def consoles() -> list[tuple[Path, ast.Call]]:
    """Every console that a program makes."""
    found = []
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob('*.py')):
        if 'from rich.console import' in (text := path.read_text(encoding='utf-8')):
            calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
            found += [
                (path, call) for call in calls
                if isinstance(call.func, ast.Name) and call.func.id == 'Console'
            ]  # fmt: skip
    return found


def test_no_console_reads_texts_as_markup():
    """Styles are given beside a text, never in it: texts have units, paths and users' words."""
    made = consoles()
    assert len(made) > 15
    for path, call in made:
        given = {each.arg: ast.unparse(each.value) for each in call.keywords}
        assert given.get('markup') == 'False', f'{path.relative_to(ROOT)}:{call.lineno}'


def test_brackets_in_a_description_are_shown():
    """An action of a user's own may say `[m]`, and even what would end a style."""
    meaning = 'gap between the feet [m], see [/notes]'
    one = ParameterDescription(name='gap', unit='m', meaning=meaning)
    shown = io.StringIO()
    console = Console(file=shown, width=200, markup=False)
    console.print(action_table([ActionDescription(name='squeeze', parameters=[one])]))
    assert meaning in shown.getvalue()


def test_brackets_in_a_path_are_shown(tmp_path, monkeypatch, capsys):
    """Where the file of an action is can be copied from what is printed."""
    folder = tmp_path / 'a [mm] [/folder]' / 'own'
    shutil.copytree(ROOT / 'config' / 'robots' / 'quadruped', folder)
    monkeypatch.setenv('COLUMNS', '400')
    describe(Request(str(folder), default='shell'), 'turn')
    assert str(folder) in capsys.readouterr().out
