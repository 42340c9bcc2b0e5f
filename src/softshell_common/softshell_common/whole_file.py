"""Files that are written completely or not at all."""

import contextlib
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
        sync: whether it is on the disk at the end, whatever happens then; else it may be lost,
            or cut off, where the machine stops.

    Raises:
        OSError: the file cannot be written.
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


def write_whole(path: Path, content: bytes, mode: int | None = None, sync: bool = True) -> None:
    """Write a file completely or not at all; see `whole_file`."""
    with whole_file(path, mode, sync) as file:
        file.write(content)
