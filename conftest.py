"""What tests of processes share: a mark to find everything that a test started."""

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

MARK = 'SOFTSHELL_TEST_MARK'


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
