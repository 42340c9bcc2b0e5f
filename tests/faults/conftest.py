"""Robots that walk until something breaks."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # walker, catalogue


@pytest.fixture
def walker(tmp_path):
    """Makes robots that stand; all are closed after the test."""
    from walker import Walker

    made = []

    def make(family='ax', robot='shell'):
        made.append(Walker(tmp_path, family, robot))
        return made[-1]

    yield make
    for each in made:
        each.close()
