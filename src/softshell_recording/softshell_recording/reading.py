"""Reads bags, also those that were never ended; needs no ROS."""

import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection

from softshell_kinematics.errors import SoftshellError

#: How MCAP begins and ends.
MAGIC = b'\x89MCAP0\r\n'
#: Its records begin with their kind and their length [B].
RECORD = struct.Struct('<BQ')
#: Records that end a file without an index: end of data, and a footer of zeros.
END = RECORD.pack(0x0F, 4) + bytes(4) + RECORD.pack(0x02, 20) + bytes(20) + MAGIC


@contextmanager
def opened(path: Path, tell: Callable[[str], None] = lambda line: None) -> Iterator[AnyReader]:
    """Open a bag for reading, by its folder or its MCAP file.

    One that was never ended, since its recorder was killed, is read up to the last whole chunk,
    of about a megabyte; the file itself stays as it is.

    Args:
        path: of the bag.
        tell: takes a line if the bag was never ended.

    Raises:
        SoftshellError: there is no bag, or it cannot be read.
    """
    with ExitStack() as stack:
        try:
            reader = stack.enter_context(AnyReader([_readable(path, stack, tell)]))
        except AnyReaderError as error:
            raise SoftshellError(f'{path}: {" ".join(str(error).split())}') from error
        except OSError as error:
            raise SoftshellError(f'{path}: {error.strerror}') from error
        yield reader


def messages_of(
    reader: AnyReader, path: Path, connections: Sequence[Connection]
) -> Iterator[tuple[Connection, int, bytes]]:
    """Messages of some connections, in the order in which they came, with their times [ns].

    Raises:
        SoftshellError: the bag is damaged; what came before was whole.
    """
    if not connections:
        return  # the reader takes an empty list for all
    messages = iter(reader.messages(connections))
    while True:
        try:
            message = next(messages)
        except StopIteration:
            return
        except Exception as error:  # a reader raises anything on damaged bytes
            raise SoftshellError(
                f'{path} is damaged: {type(error).__name__}: {" ".join(str(error).split())}'
            ) from error
        yield message


def _readable(path: Path, stack: ExitStack, tell: Callable[[str], None]) -> Path:
    """The path that can be read: the bag itself, or a copy with an end that `stack` removes.

    Raises:
        SoftshellError: there is no bag.
        OSError: it cannot be read, or copied.
    """
    file = _file_of(path)
    if file is None or _ends(file):
        return path
    tell(f'{path} was never ended: it is read up to its last whole chunk')
    return _mended(file, Path(stack.enter_context(TemporaryDirectory())))


def _file_of(path: Path) -> Path | None:
    """The file of a bag; None for a folder of several, or of another format.

    Raises:
        SoftshellError: there is none.
    """
    if path.is_file():
        return path
    files = sorted(path.glob('*.mcap'))
    if not files and not (path / 'metadata.yaml').is_file():
        there = 'is no bag' if path.is_dir() else 'is not there'
        raise SoftshellError(f'{path} {there}; expected a folder with metadata.yaml, or FILE.mcap')
    return files[0] if len(files) == 1 else None


def _ends(file: Path) -> bool:
    """Whether an MCAP file was ended; true for files of another format."""
    with file.open('rb') as content:
        begins = content.read(len(MAGIC)) == MAGIC
        size = content.seek(0, 2)
        content.seek(max(0, size - len(MAGIC)))
        return not begins or (size > len(MAGIC) and content.read() == MAGIC)


def _mended(file: Path, folder: Path) -> Path:
    """A copy of the whole records of a file, with an end."""
    mended = folder / file.name
    size = file.stat().st_size
    with file.open('rb') as content:
        whole = content.seek(len(MAGIC))
        while len(head := content.read(RECORD.size)) == RECORD.size:
            end = content.seek(RECORD.unpack(head)[1], 1)
            if end > size:
                break
            whole = end
        content.seek(0)
        with mended.open('wb') as copy:
            shutil.copyfileobj(content, copy)
            copy.truncate(whole)
            copy.seek(whole)
            copy.write(END)
    return mended
