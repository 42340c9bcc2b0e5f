"""A folder to which results are written."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from softshell_kinematics.errors import SoftshellError

MEGABYTE = 1e6  # [B]


class OutputFolder:
    """A folder that is checked before the work begins, and never holds half a file.

    Args:
        path: path of the folder, from the working directory; it is made, with its parents.
        needed: space that the results may take [B].

    Attributes:
        path: absolute path of the folder.
        written: names of the files that were written, in their order.

    Raises:
        SoftshellError: the folder cannot be made or written to, or its disk has less space than
            is needed. No folder is made then.
    """

    def __init__(self, path: Path, needed: float = MEGABYTE) -> None:
        self.path = path.absolute()
        self.written: list[str] = []
        above = next(
            folder for folder in (self.path, *self.path.parents) if os.path.exists(folder)
        )
        if not above.is_dir():
            raise SoftshellError(
                f'output folder {self.path}: {above} is a file; expected a folder'
            )
        free = shutil.disk_usage(above).free
        if free < needed:
            raise SoftshellError(
                f'output folder {self.path}: {_megabytes(free)} are free on its disk; expected at '
                f'least {_megabytes(needed)}'
            )
        try:
            with tempfile.TemporaryFile(dir=above):
                pass
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SoftshellError(
                f'output folder {self.path}: {error.strerror} in {above}; expected a place where '
                'files may be written'
            ) from error

    @contextmanager
    def new_file(self, name: str) -> Iterator[Path]:
        """A temporary path to write to, which becomes the file `name` at the end of the block.

        If the block raises, the temporary file is removed, and an older file stays as it was.

        Args:
            name: name of the file; the temporary path has the same suffix, by which many writers
                choose a format.

        Raises:
            SoftshellError: the file could not be written.
        """
        final = self.path / name
        path = final.with_name(f'.{final.stem}.{os.getpid()}{final.suffix}')
        try:
            yield path
            path.replace(final)
            self.written.append(name)
        except OSError as error:
            reason = error.strerror or str(error)
            if self.path.is_dir():
                reason += f'; {_megabytes(shutil.disk_usage(self.path).free)} are free on its disk'
            raise SoftshellError(f'{final} could not be written: {reason}') from error
        finally:
            path.unlink(missing_ok=True)


def see_writable(file: Path) -> None:
    """Check that a file can be written, before the work whose result it is; its folder is made.

    Raises:
        SoftshellError: it cannot be written.
    """
    OutputFolder(file.parent)
    if file.is_dir():
        raise SoftshellError(f'{file} is a folder; expected a file')


def _megabytes(size: float) -> str:
    return f'{size / MEGABYTE:.1f} MB'
