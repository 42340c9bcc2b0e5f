"""Lines of emulated servos."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # servo_line


@pytest.fixture
def line():
    """Makes lines; all are closed after the test."""
    from servo_line import Line

    lines = []

    def make(family, **options):
        lines.append(Line(family, **options))
        return lines[-1]

    yield make
    for each in lines:
        each.close()
