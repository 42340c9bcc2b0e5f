"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def whole_file(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write that takes the place of one that may be there, which stays if this fails.

    Args:
        path: of the file; its folder is there.
        mode: permissions; default those of the file that is there, else 0o644.

    Raises:
        OSError: it cannot be written.
    """
    if mode is None:
        mode = path.stat().st_mode if path.exists() else 0o644
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
    try:
        with os.fdopen(handle, 'wb') as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write all of a file at once, as `whole_file` does."""
    with whole_file(path, mode) as file:
        file.write(content)
