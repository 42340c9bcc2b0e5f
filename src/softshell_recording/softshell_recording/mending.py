"""Copies of MCAP files that were never ended, with an end; needs no ROS."""

import shutil
import struct
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from rosbags.rosbag2.storage_mcap import decompress

from softshell_kinematics.errors import SoftshellError

#: How MCAP begins and ends.
MAGIC = b'\x89MCAP0\r\n'
#: Its records begin with their kind and their length [B].
RECORD = struct.Struct('<BQ')
#: Kinds: a chunk of records, the last of those that MCAP defines, and the first of those
#: that programs may define. There is no kind 0: a file may go on with zeros, which were allotted
#: and never written.
CHUNK, LAST, OWN = 0x06, 0x0F, 0x80
#: A chunk begins with its times, its size once decompressed, its checksum, and how long the name
#: of its compression is; after that name comes the size of its records.
CHUNK_HEAD, CHUNK_SIZE = struct.Struct('<QQQII'), struct.Struct('<Q')
#: Records that end a file without an index: end of data, and a footer of zeros.
END = RECORD.pack(LAST, 4) + bytes(4) + RECORD.pack(0x02, 20) + bytes(20) + MAGIC


def ends(file: Path) -> bool:
    """Whether an MCAP file was ended; true for files of another format.

    Raises:
        OSError: it cannot be read.
    """
    with file.open('rb') as content:
        begins = content.read(len(MAGIC)) == MAGIC
        size = content.seek(0, 2)
        content.seek(max(0, size - len(MAGIC)))
        return not begins or (size > len(MAGIC) and content.read() == MAGIC)


def mended(file: Path, folder: Path) -> Path:
    """A copy of the whole records of a file, with an end.

    Raises:
        SoftshellError: there is no room for it.
        OSError: the file cannot be read, or the copy written.
    """
    copied = folder / file.name
    size, free = file.stat().st_size, shutil.disk_usage(folder).free
    if free < size + len(END):
        raise SoftshellError(
            f'{file} was never ended, and to read it a copy of {size / 1e6:.0f} MB is made in '
            f'{folder.parent}, where {free / 1e6:.0f} MB are free; expected more, or a variable '
            'TMPDIR with another folder'
        )
    with file.open('rb') as content:
        content.seek(len(MAGIC))
        whole = _whole_until(content, size)
        content.seek(0)
        with copied.open('wb') as copy:
            shutil.copyfileobj(content, copy)
            copy.truncate(whole)
            copy.seek(whole)
            copy.write(END)
    return copied


def _whole_until(content: BinaryIO, size: int) -> int:
    """Where the records that are whole end, from where a file is now.

    A chunk counts if what is in it is whole: its length alone may stand before zeros.

    Raises:
        OSError: it cannot be read.
    """
    whole = content.tell()
    while len(head := content.read(RECORD.size)) == RECORD.size:
        kind, length = RECORD.unpack(head)
        end = content.tell() + length
        if end > size or not (0 < kind <= LAST or kind >= OWN):
            break
        if kind == CHUNK and not _is_whole(content.read(length)):
            break
        whole = content.seek(end)
    return whole


def _is_whole(chunk: bytes) -> bool:
    """Whether a chunk can be decompressed, has its checksum, and consists of whole records."""
    try:
        *_, size, checksum, name = CHUNK_HEAD.unpack_from(chunk)
        begin = CHUNK_HEAD.size + name
        compression = chunk[CHUNK_HEAD.size : begin].decode()
        (length,) = CHUNK_SIZE.unpack_from(chunk, begin)
        packed = chunk[begin + CHUNK_SIZE.size :][:length]
        records = decompress(packed, compression, size, checksum)
    except Exception:  # on damaged bytes a decompressor raises anything
        return False
    return _whole_until(BytesIO(records), len(records)) == len(records)
