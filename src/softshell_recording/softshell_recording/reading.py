"""Reads bags, also those that were never ended; needs no ROS."""

import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection

from softshell_kinematics.errors import SoftshellError

#: The file that tells a folder of rosbag2.
METADATA = 'metadata.yaml'
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
        except SoftshellError:
            raise
        except AnyReaderError as error:
            raise SoftshellError(f'{path}: {" ".join(str(error).split())}') from error
        except OSError as error:
            raise SoftshellError(f'{path}: {error.strerror or error}') from error
        except Exception as error:
            raise SoftshellError(_damage(path, error)) from error
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
        except Exception as error:
            raise SoftshellError(_damage(path, error)) from error
        yield message


def decoded_messages_of(
    reader: AnyReader, path: Path, connections: Sequence[Connection]
) -> Iterator[tuple[Connection, int, Any]]:
    """As `messages_of`, with messages that are decoded.

    Raises:
        SoftshellError: the bag is damaged; what came before was whole.
    """
    for connection, stamp, data in messages_of(reader, path, connections):
        try:
            message = reader.deserialize(data, connection.msgtype)
        except Exception as error:
            raise SoftshellError(_damage(path, error)) from error
        yield connection, stamp, message


def _damage(path: Path, error: Exception) -> str:
    """What a user is told; on damaged bytes a reader raises anything."""
    return f'{path} is damaged: {type(error).__name__}: {" ".join(str(error).split())}'


def _readable(path: Path, stack: ExitStack, tell: Callable[[str], None]) -> Path:
    """The path that can be read: the bag itself, or a copy with an end that `stack` removes.

    Raises:
        SoftshellError: there is no bag, or no room for a copy.
        OSError: it cannot be read, or copied.
    """
    file = _file_of(path)
    if file is None:
        return path
    if _ends(file):
        return path if (path / METADATA).is_file() else file
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
    if len(files) != 1 and not (path / METADATA).is_file():
        there = f'is no bag: it has {len(files)} MCAP files' if path.is_dir() else 'is not there'
        raise SoftshellError(f'{path} {there}; expected a folder with {METADATA}, or FILE.mcap')
    return files[0] if len(files) == 1 else None


def _ends(file: Path) -> bool:
    """Whether an MCAP file was ended; true for files of another format."""
    with file.open('rb') as content:
        begins = content.read(len(MAGIC)) == MAGIC
        size = content.seek(0, 2)
        content.seek(max(0, size - len(MAGIC)))
        return not begins or (size > len(MAGIC) and content.read() == MAGIC)


def _mended(file: Path, folder: Path) -> Path:
    """A copy of the whole records of a file, with an end.

    Raises:
        SoftshellError: there is no room for it.
        OSError: the file cannot be read, or the copy written.
    """
    mended = folder / file.name
    size, free = file.stat().st_size, shutil.disk_usage(folder).free
    if free < size + len(END):
        raise SoftshellError(
            f'{file} was never ended, and to read it a copy of {size / 1e6:.0f} MB is made in '
            f'{folder.parent}, where {free / 1e6:.0f} MB are free; expected more, or a variable '
            'TMPDIR with another folder'
        )
    with file.open('rb') as content:
        whole = content.seek(len(MAGIC))
        while len(head := content.read(RECORD.size)) == RECORD.size:
            end = content.tell() + RECORD.unpack(head)[1]
            if end > size:
                break
            whole = content.seek(end)
        content.seek(0)
        with mended.open('wb') as copy:
            shutil.copyfileobj(content, copy)
            copy.truncate(whole)
            copy.seek(whole)
            copy.write(END)
    return mended
