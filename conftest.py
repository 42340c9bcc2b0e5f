"""What tests of processes share: a mark to find everything that a test started."""

import contextlib
import os
import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

# How long an example takes is the machine's affair.
hypothesis.settings.register_profile('softshell', deadline=None)
hypothesis.settings.load_profile('softshell')

MARK = 'SOFTSHELL_TEST_MARK'

# Whoever runs the tests in the background or under nohup has signals ignored, which the processes
# of the tests would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)

# What ROS and the black boxes of the tests write is not put beside what is kept of real runs.
if 'ROS_LOG_DIR' not in os.environ:
    logs = tempfile.TemporaryDirectory(prefix='softshell-logs-')
    os.environ['ROS_LOG_DIR'] = logs.name


class Family:
    """Every process that inherits this mark, whoever its parent is by now."""

    def __init__(self) -> None:
        self.mark = f'{MARK}={uuid.uuid4().hex}'

    def pids(self) -> set[int]:
        """The living processes of the family, this one excepted."""
        found = set()
        for entry in Path('/proc').iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    variables = (entry / 'environ').read_bytes().split(b'\0')
                except OSError:
                    continue
                if self.mark.encode() in variables:
                    found.add(int(entry.name))
        return found

    def gone_after(self, timeout: float) -> float:
        """Wait until the family has died out; how long that took [s], infinite if too long."""
        start = time.monotonic()
        while self.pids():
            if time.monotonic() - start > timeout:
                return float('inf')
            time.sleep(0.02)
        return time.monotonic() - start


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    family = Family()
    monkeypatch.setenv(*family.mark.split('='))
    yield family
    for pid in family.pids():
        os.kill(pid, 9)


def _claimed_domains() -> Iterator[Callable[[], int]]:
    """Gives ROS domains, each claimed till the fixture ends: no other test comes by them."""
    with contextlib.ExitStack() as claims:

        def take() -> int:
            from softshell_bringup.domain import claim, free_domain

            domain = free_domain()
            claims.enter_context(claim(domain))
            return domain

        yield take


# For what lives as long as a test, a module of tests, the session. There are about a hundred
# domains, so a claim must not outlive what it is for.
domains = pytest.fixture(_claimed_domains, name='domains')
module_domains = pytest.fixture(_claimed_domains, scope='module', name='module_domains')
session_domains = pytest.fixture(_claimed_domains, scope='session', name='session_domains')


@pytest.fixture(scope='session', autouse=True)
def own_domain(session_domains: Callable[[], int]) -> None:
    """Tests that ask for no ROS domain of their own do not meet whatever runs beside them."""
    with contextlib.suppress(ImportError):  # before the workspace is built there are no nodes
        os.environ['ROS_DOMAIN_ID'] = str(session_domains())
