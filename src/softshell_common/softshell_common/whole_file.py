"""Files that are written completely or not at all."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def whole_file(path: Path, mode: int | None = None, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a temporary file that becomes the file at `path` at the end of the block.

    If the block raises, an older file at `path` stays as it was. The file keeps its owner, where
    that is permitted; a link at `path` stays a link.

    Args:
        path: path of the file, in a folder that exists.
        mode: permissions; default: those of the older file, else 0o644.
        sync: whether it is on the disk at the end, whatever happens then, as far as the file
            system can tell; else it may be lost, or cut off, where the machine stops.

    Raises:
        OSError: the file cannot be written, or not be brought to the disk.
    """
    path = Path(os.path.realpath(path))
    older = path.stat() if path.exists() else None
    if mode is None:
        mode = 0o644 if older is None else older.st_mode
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
    try:
        with os.fdopen(handle, 'wb') as file:
            yield file
            file.flush()
            if older is not None:
                with contextlib.suppress(OSError):
                    os.fchown(file.fileno(), older.st_uid, older.st_gid)
            os.fchmod(file.fileno(), mode)
            if sync:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if sync:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where its file system can do so.

    A file that was renamed and synced may have its old content again after a power cut: the new
    name is in the folder, which has to be synced as well.

    Raises:
        OSError: the disk fails.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # files may be put there, but nobody may look
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes, mode: int | None = None, sync: bool = True) -> None:
    """Write a file completely or not at all; see `whole_file`."""
    with whole_file(path, mode, sync) as file:
        file.write(content)
