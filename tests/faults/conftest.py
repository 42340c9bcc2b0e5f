"""Robots that walk until something breaks."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # walker, catalogue
sys.path.insert(0, str(HERE.parents[1] / 'src' / 'softshell_hardware' / 'test'))  # hardware_rig


@pytest.fixture
def walker(tmp_path):
    """Makes robots that stand; all are closed after the test."""
    from walker import Walker

    made = []

    def make(family='ax', robot='shell', **options):
        made.append(Walker(tmp_path, family, robot, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Record:
    """Writes what was survived into the report of pytest, for `./softshell bench faults`.

    Args:
        write: adds a property to the report of a test.
    """

    def __init__(self, write):
        self._write = write

    def __call__(self, number, name, family='ax'):
        """What breaks: its number in the list of the specification, its name, whose servos."""
        self._write('fault', f'{number}|{name}|{family}')

    def times(self, found, safe, bound):
        """When it was found, when the joints were at rest, and when it had to be found [s]."""
        self._write('times', f'{found:.3f}|{safe:.3f}|{bound:.3f}')


@pytest.fixture
def record(record_property):
    """Notes what a test has survived."""
    return Record(record_property)
