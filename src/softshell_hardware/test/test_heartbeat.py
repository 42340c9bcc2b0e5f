"""The bridge's side of the guardian."""

import errno
import mmap
import os
import subprocess

import pytest

from softshell_hardware.bus.families import AX
from softshell_hardware.guard.heartbeat import Heartbeat
from softshell_kinematics.errors import SoftshellError


def descriptors():
    return set(os.listdir('/proc/self/fd'))


@pytest.mark.parametrize(
    ('module', 'call'),
    [(os, 'memfd_create'), (os, 'ftruncate'), (mmap, 'mmap'), (os, 'pipe'), (subprocess, 'Popen')],
    ids=lambda part: part if isinstance(part, str) else '',
)
def test_a_guardian_that_cannot_be_started_leaves_nothing_open(module, call, monkeypatch):
    """It is tried again and again while the joints are held."""

    def fail(*arguments, **options):
        raise OSError(errno.EMFILE, 'Too many open files')

    monkeypatch.setattr(module, call, fail)
    before = descriptors()
    with pytest.raises(SoftshellError, match=r'no guardian can be started: .*Too many open files'):
        Heartbeat(0, AX, 1.0)
    assert descriptors() == before
