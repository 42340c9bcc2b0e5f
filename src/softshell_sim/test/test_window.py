"""A window of the simulation, and what becomes of it where there is no display."""

import socket
import subprocess
import sys

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_sim.display import check_display


@pytest.mark.parametrize(
    ('name', 'text'),
    [
        ('', 'DISPLAY is not set'),
        (':987', 'no X server answers at DISPLAY=:987'),
        ('localhost:59', 'no X server answers at DISPLAY=localhost:59'),
        ('nonsense', 'no X server answers at DISPLAY=nonsense'),
    ],
)
def test_without_a_display_the_error_says_what_is_missing(monkeypatch, name, text):
    """Our own sentence, in time, instead of the end of the process."""
    monkeypatch.setenv('DISPLAY', name)
    with pytest.raises(SoftshellError, match=r'a window \(gui\) needs a display') as caught:
        check_display()
    assert text in str(caught.value)


@pytest.mark.parametrize('screen', ['', '.0'])
def test_a_display_is_found_where_a_server_listens(monkeypatch, screen):
    """In Linux's abstract namespace, as X servers do."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind('\0/tmp/.X11-unix/X986')
        server.listen()
        monkeypatch.setenv('DISPLAY', f':986{screen}')
        check_display()


@pytest.mark.needs('pybullet')
def test_pybullet_prints_nothing():
    """Neither its import nor a client leaves anything on the standard output but our own."""
    code = (
        'print("before"); from softshell_sim.quietly import pybullet\n'
        'client = pybullet.connect(pybullet.DIRECT); pybullet.disconnect(client); print("after")'
    )
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ['before', 'after']
    assert (run.stderr, run.returncode) == ('', 0)
