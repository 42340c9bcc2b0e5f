"""What the tests of bridges in processes of their own share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the rigs


@pytest.fixture(scope='module')
def start(module_domains):
    """Starts bridges; all end with the tests of a file by SIGTERM, cleanly."""
    from bridge_process import starter

    yield from starter(module_domains)


@pytest.fixture
def start_once(domains):
    """Starts bridges for one test; all end with it by SIGTERM, cleanly."""
    from bridge_process import starter

    yield from starter(domains)


@pytest.fixture(scope='module')
def arm(start):
    """A bridge of the arm that is driven from the start."""
    return start('robot:=arm', 'real_time_factor:=2.0')


@pytest.fixture
def client(arm):
    """The same, holding."""
    from softshell_interfaces.msg import BridgeStatus

    arm.call('reset')
    arm.call('activate')
    arm.wait_mode(BridgeStatus.HOLDING)
    return arm
