"""A kinematics node of its own for each test that asks for one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # node_rig


@pytest.fixture
def start(tmp_path, domains):
    """Starts nodes; all end with the test, cleanly if they still live."""
    from node_rig import Running

    started = []

    def make(**parameters):
        started.append(Running(tmp_path, domains(), **parameters))
        return started[-1]

    yield make
    living = [each for each in started if each.process.poll() is None]
    ends = [each.close() for each in started]
    assert all(each.process.returncode == 0 for each in living), ends
    assert not any('Traceback' in each.output for each in started)
