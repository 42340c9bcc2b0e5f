"""Every executable of our packages starts as a node does."""

import ast
import importlib.util
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2]
ENTRIES = [
    entry
    for setup in sorted(SOURCES.glob('*/setup.py'))
    for keyword in ast.walk(ast.parse(setup.read_text(encoding='utf-8')))
    if isinstance(keyword, ast.keyword) and keyword.arg == 'entry_points'
    for entry in ast.literal_eval(keyword.value)['console_scripts']
]


@pytest.mark.parametrize('entry', ENTRIES, ids=lambda entry: entry.split(' = ')[0])
def test_each_executable_is_run_as_a_node(monkeypatch, entry):
    """By `run_node`, which sets the variables that nodes start with, and a module there is."""
    module, function = entry.split(' = ')[1].split(':')
    main, ran = import_module(module), []
    monkeypatch.setattr(main, 'run_node', lambda name: ran.append(name) or 7)
    assert getattr(main, function)() == 7
    (name,) = ran
    assert importlib.util.find_spec(name) is not None


def test_the_keyboard_is_one_of_them():
    """The entries are found, also that of a package whose node the launch file does not start."""
    assert any(entry.startswith('keyboard = ') for entry in ENTRIES)
