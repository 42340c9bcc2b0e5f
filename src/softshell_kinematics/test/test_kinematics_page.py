"""The page about the kinematics: its program runs, and its numbers are those of the code."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from softshell_kinematics import IkOptions, IkStatus

PAGE = Path(__file__).parents[3] / 'docs' / 'kinematics.md'
TEXT = PAGE.read_text(encoding='utf-8') if PAGE.exists() else ''

pytestmark = pytest.mark.skipif(not TEXT, reason='the package alone, without docs/')


def numbers() -> list[tuple[str, str, float]]:
    """Module, name and value of every constant in the table of numbers."""
    found = []
    for files, constants in re.findall(r'^\| (`[\w/]+\.py`.*?) \| (`.*?) \|$', TEXT, re.MULTILINE):
        modules = re.findall(r'`([\w/]+)\.py`', files)
        groups = constants.split('; ') if len(modules) > 1 else [constants]
        for module, group in zip(modules, groups, strict=True):
            for name, value in re.findall(r'`(\w+)` ([\d.e-]+)', group):
                found.append((module.replace('/', '.'), name, float(value)))
    return found


def test_the_numbers_of_the_page_are_those_of_the_code():
    """Each constant by the name and the module that the table gives."""
    listed = numbers()
    assert len(listed) >= 25
    for module, name, value in listed:
        home = import_module(f'softshell_kinematics.{module}')
        assert getattr(IkOptions if hasattr(IkOptions, name) else home, name) == value, name


def test_every_status_is_explained():
    """One row of the table for each, in order."""
    rows = re.findall(r'^\| `([A-Z_]+)` \|', TEXT, re.MULTILINE)
    assert rows == [status.name for status in IkStatus]


def test_the_program_of_the_page_prints_what_it_says(capsys):
    """Its last line is the sentence in the text below it."""
    (program,) = re.findall(r'```python\n(.*?)```', TEXT, re.DOTALL)
    exec(program, {})
    (said,) = re.findall(r'the last line is: `(.*?)`', TEXT)
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_every_test_that_the_page_names_exists():
    """Names in the table of what is verified are files beside this one."""
    rows = re.findall(r'^\| [^|`]+ \| ((?:`\w+`(?:, )?)+) \| ', TEXT, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r'`(\w+)`', row)}
    assert len(names) >= 10
    for name in names:
        assert (Path(__file__).parent / f'test_kinematics_{name}.py').exists(), name
