"""Reads bags, also those that were never ended; needs no ROS."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.typesys.store import Typestore

from softshell_kinematics.errors import SoftshellError
from softshell_recording.definitions import Definitions
from softshell_recording.mending import ends, mended

#: The file that tells a folder of rosbag2.
METADATA = 'metadata.yaml'
#: The names of the files of a bag that was split: that of the bag, and a number.
SPLIT = re.compile(r'(.+)_\d+')


@contextmanager
def opened(path: Path, tell: Callable[[str], None] = lambda line: None) -> Iterator[AnyReader]:
    """Open a bag for reading, by its folder or its MCAP file.

    One that was never ended, since its recorder was killed, is read up to the last whole chunk,
    of about a megabyte; the file itself stays as it is. Without metadata that can be read, its
    MCAP files are. Of a bag without definitions of its messages those that are installed count.

    Args:
        path: of the bag.
        tell: takes a line if the bag was never ended, or something of it cannot be used.

    Raises:
        SoftshellError: there is no bag, or it cannot be read.
    """
    with ExitStack() as stack:
        try:
            reader = _reader(path, stack, tell)
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
        SoftshellError: the bag is damaged, and what came before was whole; or a type has no
            definition.
    """
    for connection, stamp, data in messages_of(reader, path, connections):
        try:
            message = reader.deserialize(data, connection.msgtype)
        except Exception as error:
            kind = connection.msgtype
            if kind not in reader.typestore.fielddefs:
                raise SoftshellError(
                    f'{path}: no definition of {kind} is in the bag; expected one, or a package '
                    'installed that has it'
                ) from error
            raise SoftshellError(_damage(path, error)) from error
        yield connection, stamp, message


def _damage(path: Path, error: Exception) -> str:
    """What a user is told; on damaged bytes a reader raises anything."""
    return f'{path} is damaged: {type(error).__name__}: {" ".join(str(error).split())}'


def _reader(path: Path, stack: ExitStack, tell: Callable[[str], None]) -> AnyReader:
    """A reader of a bag, which `stack` closes.

    Raises:
        SoftshellError: there is no bag, none of its files can be read, or no room for a copy.
        AnyReaderError, OSError: it cannot be read, or copied.
    """
    files, metadata, problem = _files_of(path), path / METADATA, ''
    if not files:
        return _entered([path], stack, tell)
    if metadata.is_file():
        try:
            return _entered([path], stack, tell)
        except Exception as error:
            problem = ' '.join(str(error).split())
    reader = _reader_of_files(path, files, stack, tell)
    if problem and all(map(ends, files)):
        tell(f'{metadata} is not used, but the MCAP files beside it: {problem}')
    return reader


def _reader_of_files(
    path: Path, files: Sequence[Path], stack: ExitStack, tell: Callable[[str], None]
) -> AnyReader:
    """A reader of the MCAP files of a bag; of several those that cannot be read are told.

    Raises:
        SoftshellError: none can be read, or there is no room for a copy.
        AnyReaderError, OSError: the only one cannot be read, or copied.
    """
    if len(files) == 1:
        return _entered([_whole(path, files[0], stack, tell)], stack, tell)
    usable = []
    for file in files:
        try:
            one = _whole(file, file, stack, tell)
            with Reader(one):
                usable.append(one)
        except SoftshellError:
            raise
        except Exception as error:
            tell(f'{file} is left out: {" ".join(str(error).split())}')
    if not usable:
        raise SoftshellError(f'{path}: none of its {len(files)} MCAP files can be read')
    return _entered(usable, stack, tell)


def _entered(paths: Sequence[Path], stack: ExitStack, tell: Callable[[str], None]) -> AnyReader:
    """A reader of a folder or of files, with definitions that are installed if these have none.

    Raises:
        AnyReaderError: it cannot be read.
    """
    try:
        return stack.enter_context(AnyReader(paths))
    except AnyReaderError as error:
        if 'no type definitions' not in str(error):
            raise
    tell(f'{paths[0]} has no definitions of its messages: those that are installed are used')
    return stack.enter_context(AnyReader(paths, default_typestore=_installed(paths)))


def _installed(paths: Sequence[Path]) -> Typestore:
    """The installed definitions of the types of bags; what is not installed is not among them."""
    definitions = Definitions()
    for path in paths:
        with Reader(path) as reader:
            kinds = {one.msgtype for one in reader.connections}
        for kind in kinds:
            with suppress(SoftshellError):
                definitions.of(kind)
    return definitions.store


def _whole(path: Path, file: Path, stack: ExitStack, tell: Callable[[str], None]) -> Path:
    """A file that can be read: itself, or a copy with an end that `stack` removes.

    Args:
        path: what a user knows it by.
        file: of MCAP, or of another format.
        stack: removes the copy.
        tell: takes a line if it was never ended.

    Raises:
        SoftshellError: there is no room for a copy.
        OSError: it cannot be read, or copied.
    """
    if ends(file):
        return file
    tell(f'{path} was never ended: it is read up to its last whole chunk')
    return mended(file, Path(stack.enter_context(TemporaryDirectory())))


def _files_of(path: Path) -> list[Path]:
    """The MCAP files of a bag, or the one file that it is; none for a folder of another format.

    Raises:
        SoftshellError: there is no bag.
    """
    if path.is_file():
        return [path]
    files = sorted(path.glob('*.mcap'))
    names = {match[1] if (match := SPLIT.fullmatch(file.stem)) else '' for file in files}
    split = len(names) == 1 and '' not in names
    if len(files) != 1 and not split and not (path / METADATA).is_file():
        there = f'is no bag: it has {len(files)} MCAP files' if path.is_dir() else 'is not there'
        raise SoftshellError(f'{path} {there}; expected a folder with {METADATA}, or FILE.mcap')
    return files
