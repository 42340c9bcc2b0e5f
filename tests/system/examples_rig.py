"""What the tests of the examples share."""

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / 'examples'
FILES = sorted(EXAMPLES.glob('*.py'))
#: The interpreter in the commands; the tests' own may be that of another environment.
INTERPRETER = '.venv/bin/python'


def command_of(path: Path) -> str:
    """The command in an example's docstring."""
    (command,) = re.findall(r'^Run: (.*)$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return command


def numbers(text: str, pattern: str) -> list[float]:
    """The numbers of the first line that a pattern fits."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f'{pattern} does not fit\n{text}'
    return [float(group) for group in found.groups()]


def is_picture(path: Path) -> bool:
    """Whether a file is a PNG with something in it."""
    return path.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n' and path.stat().st_size > 10_000
