"""Code of the kinematics packages is there for somebody: other code, or the users of a name."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from softshell_kinematics import __all__ as public_names

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('src', 'examples', 'docs', 'tools', 'tests/benchmarks')
WORD = re.compile(r'\w+')


@pytest.mark.parametrize('package', ['softshell_kinematics', 'softshell_kinematics_ros'])
def test_no_function_is_called_by_tests_alone(package):
    """Every name of a function occurs outside its definition, or is public; tests do not count."""
    words: Counter[str] = Counter()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob('*'):
            if path.suffix in ('.py', '.md', '.ipynb') and not {'test', 'build'} & {*path.parts}:
                words.update(WORD.findall(path.read_text(encoding='utf-8')))
    defined = [
        node.name
        for path in (ROOT / 'src' / package / package).rglob('*.py')
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith('__')
    ]
    counts = Counter(defined)
    assert [
        name for name in counts if words[name] <= counts[name] and name not in public_names
    ] == []
