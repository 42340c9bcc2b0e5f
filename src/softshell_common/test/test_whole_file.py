"""Files that are written completely or not at all."""

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
