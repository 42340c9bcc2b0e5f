"""Folders that results are written to: looked at first, and without half files."""

import contextlib
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_common.output_folder import OutputFolder, see_writable
from softshell_kinematics.errors import SoftshellError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_made_relative_to_where_the_user_stands(tmp_path, monkeypatch):
    """With those above it; a folder that is there is taken as it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'there').mkdir()
    assert OutputFolder(tmp_path / 'there').path == tmp_path / 'there'
    output = OutputFolder(Path('a/b'))
    assert output.path == tmp_path / 'a/b'
    assert output.path.is_dir()


@pytest.mark.parametrize('below', ['', 'x', 'x/y'])
def test_a_file_in_the_way_is_named(tmp_path, below):
    """The path itself or one above it may not be a file."""
    (tmp_path / 'file').write_text('kept')
    with pytest.raises(SoftshellError, match=f'{tmp_path / "file"} is a file; expected a folder'):
        OutputFolder(tmp_path / 'file' / below)
    assert (tmp_path / 'file').read_text() == 'kept'


def test_space_is_looked_at_before_anything_is_made(tmp_path):
    """More than any disk has is refused with what is free and what is needed."""
    with pytest.raises(SoftshellError, match=r'MB are free on its disk; expected at least 1\d+\.'):
        OutputFolder(tmp_path / 'out', 1e24)
    assert names(tmp_path) == []


def test_a_place_without_the_right_to_write_is_named():
    """Nobody may make files in /proc, not even root."""
    with pytest.raises(SoftshellError, match=r'in /proc/self; expected a place where files may'):
        OutputFolder(Path('/proc/self/out'), 0.0)


def test_a_file_that_cannot_be_written_is_told_first(tmp_path):
    """Its folder is made, it itself is not."""
    see_writable(tmp_path / 'deep/one.npz')
    assert names(tmp_path / 'deep') == []
    with pytest.raises(SoftshellError, match='/dev/null is a file; expected a folder'):
        see_writable(Path('/dev/null/one.npz'))
    with pytest.raises(SoftshellError, match=f'{tmp_path}/deep is a folder; expected a file'):
        see_writable(tmp_path / 'deep')


def test_a_file_is_there_when_it_is_whole(tmp_path):
    """Meanwhile it has another name with the same suffix; an error leaves the old one."""
    output = OutputFolder(tmp_path)
    with output.new_file('a.txt') as path:
        path.write_text('one')
        assert path.suffix == '.txt'
        assert not (tmp_path / 'a.txt').exists()
    assert names(tmp_path) == ['a.txt']
    with contextlib.suppress(ZeroDivisionError), output.new_file('a.txt') as path:
        path.write_text('tw')
        raise ZeroDivisionError
    assert names(tmp_path) == ['a.txt']
    assert (tmp_path / 'a.txt').read_text() == 'one'


def test_a_file_that_cannot_be_written_is_named_with_the_reason(tmp_path):
    """As on a full disk, here by a limit on the size of files: the old file stays."""
    (tmp_path / 'a.txt').write_text('old')
    program = (
        'import sys; from pathlib import Path\n'
        'from softshell_common.output_folder import OutputFolder\n'
        'with OutputFolder(Path(sys.argv[1])).new_file("a.txt") as path:\n'
        '    path.write_text("x" * 5000)\n'
    )
    run = subprocess.run(
        [sys.executable, '-c', program, tmp_path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f'{tmp_path}/a.txt could not be written: File too large' in run.stderr
    assert names(tmp_path) == ['a.txt']
    assert (tmp_path / 'a.txt').read_text() == 'old'
