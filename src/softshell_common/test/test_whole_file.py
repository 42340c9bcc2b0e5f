"""Files that are written completely or not at all."""

import errno
import os

import pytest

from softshell_common.whole_file import write_whole


def test_a_link_stays_a_link(tmp_path):
    """As of a wiring that stands in another folder."""
    file, link = tmp_path / 'robots' / 'wiring.yaml', tmp_path / 'wiring.yaml'
    file.parent.mkdir()
    file.write_bytes(b'old')
    link.symlink_to(file)
    write_whole(link, b'new')
    assert link.is_symlink()
    assert file.read_bytes() == b'new'
    assert [*file.parent.iterdir()] == [file]


@pytest.mark.skipif(os.getuid() != 0, reason='only root may give files away')
def test_a_file_keeps_its_owner_and_its_permissions(tmp_path):
    """Or who calibrates as root could not edit the wiring afterwards."""
    file = tmp_path / 'wiring.yaml'
    file.write_bytes(b'old')
    file.chmod(0o640)
    os.chown(file, 1234, 1235)
    write_whole(file, b'new')
    found = file.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 1235, 0o640)


@pytest.fixture
def calls(monkeypatch):
    """What is synced, as device and number, and 'replaced' where the new name is given."""
    made, replace = [], os.replace

    def note(handle):
        found = os.fstat(handle)
        made.append((found.st_dev, found.st_ino))

    def note_replacement(old, new):
        made.append('replaced')
        replace(old, new)

    monkeypatch.setattr(os, 'fsync', note)
    monkeypatch.setattr(os, 'replace', note_replacement)
    return made


def test_content_and_then_the_name_are_brought_to_the_disk(tmp_path, calls):
    """POSIX: a rename outlives a power cut once its folder is synced; not asked for, none is."""
    file = tmp_path / 'wiring.yaml'
    write_whole(file, b'new')
    identities = [(found.st_dev, found.st_ino) for found in (file.stat(), tmp_path.stat())]
    assert calls == [identities[0], 'replaced', identities[1]]
    calls.clear()
    write_whole(file, b'newer', sync=False)
    assert calls == ['replaced']


@pytest.mark.parametrize(
    ('number', 'told'), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)]
)
def test_a_file_system_that_cannot_sync_folders_is_no_error(tmp_path, monkeypatch, number, told):
    """A disk that fails is one. The file has its new content in each case."""
    sync = os.fsync

    def fail_for_folders(handle):
        if os.path.samestat(os.fstat(handle), tmp_path.stat()):
            raise OSError(number, os.strerror(number))
        sync(handle)

    monkeypatch.setattr(os, 'fsync', fail_for_folders)
    if told:
        with pytest.raises(OSError, match=os.strerror(number)):
            write_whole(tmp_path / 'wiring.yaml', b'new')
    else:
        write_whole(tmp_path / 'wiring.yaml', b'new')
    assert (tmp_path / 'wiring.yaml').read_bytes() == b'new'
