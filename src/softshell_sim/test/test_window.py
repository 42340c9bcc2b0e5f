"""A window of the simulation, and what becomes of it where there is no display."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from x_server import XServer, needs_x_server

from softshell_kinematics.errors import SoftshellError
from softshell_sim.physics.engine_life import EngineLife
from softshell_sim.physics.engine_window import EngineWindow
from softshell_sim.pictures.display import check_display

REQUIREMENTS = Path(__file__).parents[3] / 'requirements' / 'core.txt'


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
    """There is an error in our own words, instead of the end of the process."""
    monkeypatch.setenv('DISPLAY', name)
    with pytest.raises(SoftshellError, match=r'a window \(gui\) needs a display') as caught:
        check_display()
    assert text in str(caught.value)


@pytest.mark.parametrize('screen', ['', '.0'])
def test_a_display_is_found_where_a_server_listens(monkeypatch, screen):
    """No error is raised for a server in Linux's abstract namespace, where X servers listen."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind('\0/tmp/.X11-unix/X986')
        server.listen()
        monkeypatch.setenv('DISPLAY', f':986{screen}')
        check_display()


@pytest.mark.needs('pybullet')
def test_pybullet_prints_nothing():
    """Neither its import nor a client leaves anything on the standard output but our own."""
    code = (
        'print("before"); from softshell_sim.pybullet.quietly import pybullet\n'
        'client = pybullet.connect(pybullet.DIRECT); pybullet.disconnect(client); print("after")'
    )
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ['before', 'after']
    assert (run.stderr, run.returncode) == ('', 0)


@pytest.fixture
def screen(tmp_path):
    server = XServer(tmp_path)
    yield server
    server.close()


def looks_at(process):
    """(3,) what a process says that its window looks at [m], amid what engines print."""
    for line in process.stdout:
        if line.startswith('looks at '):
            return np.array([float(word) for word in line.split()[2:]])
    return pytest.fail(process.stderr.read())


def is_a_picture(pixels):
    """Whether a floor is seen: two tones, each on more than a twentieth of the screen."""
    tones, counts = np.unique(pixels.reshape(-1, 3) // 16, axis=0, return_counts=True)
    bright = counts[(tones.max(axis=1) > 4) & (counts > pixels.shape[0] * pixels.shape[1] / 20)]
    return len(bright) >= 2


@needs_x_server
@pytest.mark.parametrize('follow', [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    'engine',
    ['mujoco', pytest.param('pybullet', marks=pytest.mark.long)],
)
def test_a_window_shows_the_world_and_follows_the_robot(screen, engine, follow):
    """On an X server without a GPU: a chequered floor, a camera that goes along unless told not
    to, and an end in peace."""
    program = Path(__file__).with_name('windowed.py')
    environment = {**os.environ, 'DISPLAY': screen.display, 'LIBGL_ALWAYS_SOFTWARE': '1'}
    with subprocess.Popen(
        [sys.executable, str(program), engine, str(follow)],
        env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        before = looks_at(process)
        assert screen.shows(is_a_picture)
        process.stdin.write('\n')
        process.stdin.flush()
        way = looks_at(process) - before
        output, errors = process.communicate('\n', timeout=60)
    assert 'ended well' in output, errors
    assert process.returncode == 0
    assert way[:2] == pytest.approx([1.0 if follow else 0.0, 0.0], abs=0.05)


def without_a_display(code, **variables):
    """Run a program where there is no DISPLAY, nor a word of GL but these."""
    unset = ('DISPLAY', 'WAYLAND_DISPLAY', 'MUJOCO_GL', 'PYOPENGL_PLATFORM')
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [sys.executable, '-c', code],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


WORLD = """
import sys
import mujoco
import numpy as np
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

world = World(load_robot('arm'), WorldSettings(engine='mujoco'))
world.step(world.position.copy(), np.zeros(len(world.position)))
print(mujoco.__version__, world.time, 'OpenGL' in sys.modules)
"""


def test_mujoco_needs_no_display():
    """It is imported and steps, and loads nothing of GL; of the version that is pinned."""
    run = without_a_display(WORLD)
    assert run.returncode == 0, run.stderr
    pinned = re.search(r'^mujoco==(.*)$', REQUIREMENTS.read_text(), re.MULTILINE)
    assert run.stdout.split() == [pinned[1], '0.001', 'False']


def test_graphics_that_are_not_there_are_named():
    """MuJoCo refuses to be imported with them: our own sentence says which variable to unset."""
    run = without_a_display(WORLD.replace('import mujoco\n', ''), MUJOCO_GL='nonsense')
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith('softshell_kinematics.errors.SoftshellError: engine mujoco cannot')
    assert "MUJOCO_GL is 'nonsense', expected it unset" in last


def test_a_process_has_one_window(monkeypatch):
    """A second one is refused in words; it may be opened once the first world was closed.

    One that did not open does not count.
    """

    class Shown(EngineLife):
        _opening_window = EngineWindow._opening_window

        def _close(self):
            """Nothing."""

    monkeypatch.setattr('softshell_sim.physics.engine_window.check_display', lambda: None)
    failed, first, second = Shown(), Shown(), Shown()
    with pytest.raises(OSError, match='no window'), failed._opening_window():
        raise OSError('no window')
    with first._opening_window():
        pass
    with (
        pytest.raises(SoftshellError, match=r'another world .* has a window \(gui\)'),
        second._opening_window(),
    ):
        pytest.fail('it opens')
    first.close()
    with second._opening_window():
        pass
    second.close()
