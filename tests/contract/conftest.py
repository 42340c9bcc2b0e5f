"""What the tests of the contract share: a bridge of each kind, in steps of a time of its own."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the rigs
sys.path.insert(0, str(Path(__file__).parents[2] / 'src/softshell_control/test'))

from contract_bridges import BRIDGES


@pytest.fixture(params=BRIDGES)
def kind(request):
    """Name of a kind of bridge."""
    return request.param


@pytest.fixture
def make(kind, tmp_path):
    """Makes rigs of this kind; after the test, all their commands are held against the limits."""
    from contract_rig import Rig

    rigs = []

    def begin(robot='arm', **settings):
        rigs.append(Rig(BRIDGES[kind], robot, tmp_path, **settings))
        return rigs[-1]

    yield begin
    for rig in rigs:
        rig.close()
    for rig in rigs:
        rig.check_commands()


@pytest.fixture
def rig(make):
    """A bridge of the arm, inactive."""
    return make()


@pytest.fixture
def driven(rig):
    """The same, holding."""
    rig.ask('activate')
    return rig
