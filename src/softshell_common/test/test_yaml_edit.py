"""Values of a YAML file change alone, and the file is written whole or not at all."""

import errno
import os

import pytest
import yaml

from softshell_common.yaml_edit import YamlEdit
from softshell_kinematics.errors import ProblemsError, SoftshellError

TEXT = """\
# The head: stays.
robot: arm   # so does this

buses: {body: {port: /dev/ttyUSB0, family: ax}}   # [bus]
joints:
  elbow:   {id: 1, direction: 1, offset: null}  # ä, and a { brace
  wrist: {id: 2,}
  thumb:
    # within
    id: 3  # last
    offset:
  'odd name': {id: 4, offset: -0.25}
"""


@pytest.fixture
def path(tmp_path):
    result = tmp_path / 'wiring.yaml'
    result.write_bytes(TEXT.encode())
    return result


def test_only_the_values_change(path):
    """Existing ones, empty ones and new ones, in both styles; every comment stays."""
    edit = YamlEdit(path)
    edit.set(('joints', 'elbow', 'offset'), 0.125)
    edit.set(('joints', 'elbow', 'direction'), -1)
    edit.set(('joints', 'wrist', 'offset'), -1.5)
    edit.set(('joints', 'thumb', 'offset'), 2.0)
    edit.set(('joints', 'thumb', 'direction'), -1)
    edit.set(('joints', 'odd name', 'offset'), 0.0)
    edit.set(('buses', 'body', 'port'), '/dev/pts/7')
    edit.write()
    expected = (
        TEXT.replace('direction: 1, offset: null', 'direction: -1, offset: 0.125')
        .replace('{id: 2,}', '{id: 2, offset: -1.5,}')
        .replace('    id: 3', '    direction: -1\n    id: 3')
        .replace('    offset:\n', '    offset: 2.0\n')
        .replace('-0.25', '0.0')
        .replace('/dev/ttyUSB0', '/dev/pts/7')
    )  # fmt: skip
    assert path.read_text() == expected
    assert yaml.safe_load(expected)['joints']['thumb'] == {'id': 3, 'direction': -1, 'offset': 2.0}


def test_line_ends_and_texts_that_need_quotes_are_kept(path):
    """As of a file from elsewhere."""
    path.write_bytes(b'a: 1 # one\r\nb:\r\n  c: 2\r\n')
    edit = YamlEdit(path)
    edit.set(('a',), 'x: y')
    edit.set(('b', 'd'), 3)
    edit.write()
    assert path.read_bytes() == b"a: 'x: y' # one\r\nb:\r\n  d: 3\r\n  c: 2\r\n"


def test_what_would_change_another_entry_is_refused(path):
    """An alias stands for its anchor; the lines are named, and nothing is changed.

    Other entries can be changed all the same.
    """
    path.write_text('joints:\n  a: &a {offset: 1}\n  b: *a\n')
    edit = YamlEdit(path)
    with pytest.raises(ProblemsError, match=r'line 3: joints\.b: is an alias'):
        edit.set(('joints', 'b', 'offset'), 2)
    path.write_text('a: &x 1\nb: *x\nc: 3\n')
    edit = YamlEdit(path)
    with pytest.raises(ProblemsError, match=r'line 1: a: cannot be changed without .*; write 2'):
        edit.set(('a',), 2)
    assert not edit.changed
    with pytest.raises(ProblemsError, match="there is no 'd' to write it in"):
        edit.set(('d', 'e'), 2)
    edit.set(('c',), 4)
    assert edit.text == 'a: &x 1\nb: *x\nc: 4\n'


def test_what_only_libyaml_reads_is_refused_before_any_change(path):
    """A tab within braces; its line is named. A file that is taken can be changed everywhere."""
    path.write_text('joints: {a: {id: 1,\n\toffset: null}, b: {id: 2}}\n')
    with pytest.raises(ProblemsError, match=r"line 2: is not YAML: found character '\\t'"):
        YamlEdit(path)


def test_a_link_is_followed_and_the_mode_kept(path, tmp_path):
    """The link stays one, as to the sources of an installed robot."""
    link = tmp_path / 'link.yaml'
    link.symlink_to(path)
    path.chmod(0o640)
    edit = YamlEdit(link)
    edit.set(('robot',), 'leg')
    edit.write()
    assert link.is_symlink()
    assert path.read_text() == TEXT.replace('robot: arm', 'robot: leg')
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize('name', ['fsync', 'replace', 'fchmod'])
@pytest.mark.parametrize('error', [OSError(errno.ENOSPC, 'disk full'), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file(path, monkeypatch, name, error):
    """A full disk or Ctrl-C, at any step; and no other file is left."""

    def fail(*arguments):
        raise error

    edit = YamlEdit(path)
    edit.set(('robot',), 'leg')
    monkeypatch.setattr(os, name, fail)
    with pytest.raises((SoftshellError, KeyboardInterrupt)) as caught:
        edit.write()
    if isinstance(error, OSError):
        assert 'cannot be written: disk full; the file stays as it was' in str(caught.value)
    assert path.read_text() == TEXT
    assert os.listdir(path.parent) == [path.name]


def test_a_disk_that_fails_after_the_new_file_is_there_is_told(path, monkeypatch):
    """Nobody is told that the file stayed as it was."""
    sync = os.fsync

    def fail_for_folders(handle):
        if os.path.samestat(os.fstat(handle), path.parent.stat()):
            raise OSError(errno.EIO, 'disk broken')
        sync(handle)

    edit = YamlEdit(path)
    edit.set(('robot',), 'leg')
    monkeypatch.setattr(os, 'fsync', fail_for_folders)
    with pytest.raises(SoftshellError, match=r'disk broken; the file is changed, but may not'):
        edit.write()
    assert path.read_text() == TEXT.replace('robot: arm', 'robot: leg')


def test_a_change_by_somebody_else_is_not_lost(path):
    """An editor that saves while offsets are measured."""
    edit = YamlEdit(path)
    edit.set(('robot',), 'leg')
    path.write_text(TEXT + '# mine\n')
    with pytest.raises(SoftshellError, match='was changed since it was read'):
        edit.write()
    assert path.read_text() == TEXT + '# mine\n'


def test_the_difference_shows_the_changed_lines_only(path):
    """With the path of the file."""
    edit = YamlEdit(path)
    assert (edit.diff(), edit.changed) == ('', False)
    edit.set(('robot',), 'leg')
    lines = edit.diff().splitlines()
    assert lines[0] == f'--- {path}'
    assert lines[-2:] == ['-robot: arm   # so does this', '+robot: leg   # so does this']
    assert edit.changed
