"""Compiled code is kept for all processes that run the same sources, by whatever path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import softshell_kinematics
from softshell_kinematics.kernels import compiled

PROGRAM = """
import module
module.twice(1.5)
print(sum(module.twice.stats.cache_hits.values()))
"""


def test_what_was_compiled_by_one_path_is_found_by_a_link_to_it(tmp_path):
    """As in a workspace that links to its sources: what they compiled ahead is not done again."""
    real, link = tmp_path / 'real', tmp_path / 'link'
    real.mkdir()
    link.symlink_to(real)
    (real / 'module.py').write_text(
        'from softshell_kinematics.kernels.compiled import entry\n\n\n'
        '@entry\ndef twice(x):\n    return 2.0 * x\n'
    )
    package = str(Path(softshell_kinematics.__file__).parents[1])

    def hits(folder: Path) -> int:
        paths = os.pathsep.join([str(folder), package])
        variables = {'PYTHONPATH': paths, 'NUMBA_CACHE_DIR': str(tmp_path / 'cache')}
        command = [sys.executable, '-c', PROGRAM]
        run = subprocess.run(
            command, env=os.environ | variables, capture_output=True, text=True, check=True
        )
        return int(run.stdout)

    assert hits(real) == 0
    assert hits(link) == 1
    assert hits(real) == 1


def test_a_user_without_a_home_has_a_cache():
    """As in a container with a number for a user: compiled code is kept elsewhere."""
    program = (
        'import os, pathlib\n'
        'def home():\n    raise RuntimeError\n'
        'pathlib.Path.home = home\n'
        "os.environ.pop('XDG_CACHE_HOME', None)\n"
        'from softshell_kinematics.kernels.compiled import CACHE\n'
        'print(CACHE.is_dir())\n'
    )
    run = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert run.stdout == 'True\n', run.stderr


def test_machine_code_that_another_user_left_in_the_temporary_folder_is_not_run(
    tmp_path, monkeypatch
):
    """Whoever makes the folder first, under the name that will be looked for, would choose it."""
    monkeypatch.setattr(compiled.tempfile, 'gettempdir', lambda: str(tmp_path))
    monkeypatch.setattr(compiled.config, 'CACHE_DIR', '')
    monkeypatch.setattr(compiled, 'SOURCES', Path(os.devnull))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    assert compiled.cache_folder().is_relative_to(tmp_path / 'cache')
    assert [path.name for path in tmp_path.iterdir()] == ['cache']  # it is the last resort
    monkeypatch.setenv('XDG_CACHE_HOME', os.devnull)
    kept = compiled.cache_folder()
    own = tmp_path / f'softshell_kinematics-{os.getuid()}'
    assert kept.parent == own
    assert own.stat().st_mode & 0o077 == 0

    other = os.getuid() + 1
    own.rename(tmp_path / f'softshell_kinematics-{other}')
    monkeypatch.setattr(compiled.os, 'getuid', lambda: other)
    with pytest.raises(OSError, match='no folder'):
        compiled.cache_folder()
