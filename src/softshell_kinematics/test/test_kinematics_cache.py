"""Compiled code is kept for all processes that run the same sources, by whatever path."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

import softshell_kinematics
from softshell_kinematics.kernels import compiled

PROGRAM = """
import module
module.twice(1.5)
print(sum(module.twice.stats.cache_hits.values()))
"""


def with_module(tmp_path: Path) -> Path:
    """A folder with the module that PROGRAM imports."""
    real = tmp_path / 'real'
    real.mkdir()
    (real / 'module.py').write_text(
        'from softshell_kinematics.kernels.compiled import entry\n\n\n'
        '@entry\ndef twice(x):\n    return 2.0 * x\n'
    )
    return real


def hits(folder: Path, cache: Path) -> int:
    """How often a process that runs PROGRAM finds its code in the cache."""
    package = str(Path(softshell_kinematics.__file__).parents[1])
    paths = os.pathsep.join([str(folder), package])
    variables = {'PYTHONPATH': paths, 'NUMBA_CACHE_DIR': str(cache)}
    command = [sys.executable, '-c', PROGRAM]
    run = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    return int(run.stdout)


@pytest.mark.long
def test_what_was_compiled_by_one_path_is_found_by_a_link_to_it(tmp_path):
    """As in a workspace that links to its sources: what they compiled ahead is not done again."""
    real, link, cache = with_module(tmp_path), tmp_path / 'link', tmp_path / 'cache'
    link.symlink_to(real)
    assert hits(real, cache) == 0
    assert hits(link, cache) == 1
    assert hits(real, cache) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ('suffix', 'left'),
    [('nbi', 0), ('nbi', 7), ('nbi', 0.5), ('nbc', 0), ('nbc', 7), ('nbc', 0.5)],
)
def test_what_was_cut_off_on_the_disk_is_compiled_anew(tmp_path, suffix, left):
    """As by a power cut, which may leave an index or the code empty; once is enough."""
    real, cache = with_module(tmp_path), tmp_path / 'cache'
    assert hits(real, cache) == 0
    files = list(cache.rglob(f'*.{suffix}'))
    assert files
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content[: int(left * len(content)) if left < 1 else left])
    assert hits(real, cache) == 0
    assert hits(real, cache) == 1


def test_a_full_disk_costs_no_answer(monkeypatch):
    """The code is not kept, and the next process compiles it again."""

    def full(*_):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(IndexDataCacheFile, 'save', full)

    @compiled.entry
    def twice(x):
        return 2.0 * x

    assert twice(1.5) == 3.0


def test_each_kind_of_processor_has_a_folder_of_its_own(tmp_path, monkeypatch):
    """In a home that machines share, numba would let one overwrite the code of another."""
    monkeypatch.setattr(compiled.config, 'CACHE_DIR', str(tmp_path))
    monkeypatch.setattr(compiled.config, 'CPU_NAME', None)
    here = compiled.cache_folder()
    assert compiled.cache_folder() == here
    monkeypatch.setattr(compiled.codegen.ll, 'get_host_cpu_name', lambda: 'another')
    assert compiled.cache_folder() != here


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
