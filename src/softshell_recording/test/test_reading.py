"""Bags that are read again."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from bag_rig import STORE, number, text, written
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from softshell_kinematics.errors import SoftshellError
from softshell_recording.mending import RECORD
from softshell_recording.reading import decoded_messages_of, opened

#: Writes a bag without an end.
ENDLESS = """
import sys, time
from pathlib import Path
from bag_rig import number
from softshell_recording.bag import BagWriter
from softshell_recording.definitions import Definitions
bag = BagWriter(Path(sys.argv[1]), Definitions([]))
k = 0
while True:
    bag.write(number(float(k), k))
    k += 1
    if k == 100_000:
        print('many', flush=True)
    if k > 100_000:
        time.sleep(0.001)
"""


def values(path: Path, told: list[str] | None = None) -> list[object]:
    with opened(path, [].append if told is None else told.append) as reader:
        return [one.data for _, _, one in decoded_messages_of(reader, path, reader.connections)]


def test_a_bag_is_its_folder_or_its_file(tmp_path):
    path, told = written(tmp_path / 'bag', [text('a', 0), number(1.0, 1)]), []
    assert values(path, told) == values(path / 'bag.mcap', told) == ['a', 1.0]
    assert told == []


def test_what_a_killed_recorder_has_written_is_read(tmp_path):
    """All pieces that were whole when it was killed, in their order, and the file is untouched."""
    path, told = tmp_path / 'bag', []
    here = str(Path(__file__).parent)
    environment = {**os.environ, 'PYTHONPATH': f'{here}:{os.environ.get("PYTHONPATH", "")}'}
    with subprocess.Popen(
        [sys.executable, '-c', ENDLESS, str(path)], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout.readline() == b'many\n'
        process.send_signal(signal.SIGKILL)
    before = (path / 'bag.mcap').read_bytes()
    found = values(path, told)
    assert 10_000 < len(found) <= 200_000
    assert found == [float(k) for k in range(len(found))]
    assert told == [f'{path} was never ended: it is read up to its last whole chunk']
    assert (path / 'bag.mcap').read_bytes() == before


@pytest.mark.parametrize('part', [0.2, 0.5, 0.9])
def test_a_file_that_was_cut_is_read_up_to_there(tmp_path, part):
    """Wherever, also in the middle of a message."""
    sent = [text('x' * 1000, k) for k in range(5000)]
    path = written(tmp_path / 'bag', sent)
    whole = (path / 'bag.mcap').read_bytes()
    cut = tmp_path / 'cut.mcap'
    cut.write_bytes(whole[: int(part * len(whole))])
    found = values(cut)
    assert set(found) == {'x' * 1000}
    assert part * 5000 - 2100 < len(found) <= part * 5100  # the index comes last


def test_a_file_whose_folder_has_no_metadata_is_read(tmp_path):
    """The disk was full when they were to be written, or only the file was copied."""
    path, told = written(tmp_path / 'bag', [text('a', 0), number(1.0, 1)]), []
    (path / 'metadata.yaml').unlink()
    assert values(path, told) == ['a', 1.0]
    assert told == []
    (path / 'more.mcap').write_bytes((path / 'bag.mcap').read_bytes())
    with pytest.raises(SoftshellError, match=f'{path} is no bag: it has 2 MCAP files; expected'):
        values(path)


def test_an_unended_bag_without_room_for_its_copy_names_the_folder_and_the_room(
    tmp_path, monkeypatch
):
    cut, folder = tmp_path / 'cut.mcap', tmp_path / 'temporary'
    path = written(tmp_path / 'bag', [text('x' * 1000, k) for k in range(5000)])
    cut.write_bytes((path / 'bag.mcap').read_bytes()[:5_000_000])
    folder.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))
    monkeypatch.setattr(shutil, 'disk_usage', lambda path: SimpleNamespace(free=4_000_000))
    with pytest.raises(SoftshellError) as caught:
        values(cut)
    assert f'{cut} was never ended' in str(caught.value)
    assert f'a copy of 5 MB is made in {folder}, where 4 MB are free' in str(caught.value)
    assert 'TMPDIR' in str(caught.value)
    assert not [*folder.iterdir()]


@pytest.mark.parametrize('length', [2**62, 2**63, 2**64 - 1])
def test_a_file_that_goes_on_with_garbage_is_read_up_to_there(tmp_path, length):
    """A record that claims to be longer than any file is none."""
    whole = (written(tmp_path / 'bag', [text('a', 0)]) / 'bag.mcap').read_bytes()
    cut = tmp_path / 'cut.mcap'
    cut.write_bytes(whole[: whole.index(RECORD.pack(0x0F, 4))] + RECORD.pack(0x05, length))
    assert values(cut) == ['a']


@pytest.mark.parametrize('compressed', [False, True])
@pytest.mark.parametrize('part', [0.3, 0.7])
def test_a_file_that_goes_on_with_zeros_is_read_up_to_there(tmp_path, part, compressed):
    """They were allotted when the power failed, and never written; quickly, whatever they are."""
    path = tmp_path / 'bag'
    chance = random.Random(1)
    sent = [str(k) + chance.randbytes(500).hex() for k in range(5000)]
    compression = CompressionMode.STORAGE if compressed else CompressionMode.NONE
    writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(compression, CompressionFormat.ZSTD)
    with writer:
        kind = 'std_msgs/msg/String'
        connection = writer.add_connection('/text', kind, typestore=STORE)
        for stamp, content in enumerate(sent):
            data = STORE.serialize_cdr(STORE.types[kind](content), kind)
            writer.write(connection, stamp, data)
    whole = next(path.glob('*.mcap')).read_bytes()
    cut = tmp_path / 'cut.mcap'
    cut.write_bytes(whole[: int(part * len(whole))] + bytes(2_000_000))
    found = values(cut)
    assert found == sent[: len(found)]
    assert part * 5000 - 1100 < len(found) <= part * 5100  # a chunk has about 1000


@pytest.mark.parametrize('damage', [lambda whole: b'', lambda whole: whole[: len(whole) // 2],
                                    lambda whole: bytes(len(whole))])  # fmt: skip
def test_a_whole_file_is_read_beside_metadata_that_are_none(tmp_path, damage):
    """Empty, half or zeros, as after a power loss; what is wrong with them is told."""
    path, told = written(tmp_path / 'bag', [text('a', 0), number(1.0, 1)]), []
    metadata = path / 'metadata.yaml'
    metadata.write_bytes(damage(metadata.read_bytes()))
    assert values(path, told) == ['a', 1.0]
    assert len(told) == 1
    assert told[0].startswith(f'{metadata} is not used, but the MCAP files beside it: ')


def split(folder: Path, *parts: list[str]) -> list[Path]:
    """A bag of several files, of a folder without metadata."""
    files = []
    folder.mkdir()
    for place, part in enumerate(parts):
        sent = [text(content, 1000 * place + k) for k, content in enumerate(part)]
        one = written(folder.parent / f'part_{place}', sent) / f'part_{place}.mcap'
        files.append(one.rename(folder / f'bag_{place}.mcap'))
    return files


@pytest.mark.parametrize('left', [0.0, 0.5])
def test_what_is_whole_of_a_split_bag_is_read(tmp_path, left):
    """The last file was cut, or nothing of it was written; that file is named."""
    path, told = tmp_path / 'bag', []
    sent = [str(k) + 900 * 'x' for k in range(9000)]
    first, second = split(path, sent[:900], sent[900:])
    assert values(path, told) == sent
    assert told == []
    whole = second.read_bytes()
    second.write_bytes(whole[: int(left * len(whole))])
    found = values(path, told)
    assert found == sent[: len(found)]
    assert (len(found) > 3800) if left else (len(found) == 900)
    assert len(told) == 1
    assert told[0].startswith(str(second))
    first.write_bytes(b'')
    second.write_bytes(b'')
    with pytest.raises(SoftshellError, match=f'{path}: none of its 2 MCAP files can be read'):
        values(path)


@pytest.mark.long
@pytest.mark.parametrize('part', ['bag.mcap', 'metadata.yaml'])
def test_a_damaged_bag_is_read_or_named(tmp_path, part):
    """Bits are flipped, pieces overwritten and ends cut off, everywhere."""
    path = written(tmp_path / 'bag', [m for k in range(9) for m in (text('a', k), number(1.0, k))])
    whole = (path / part).read_bytes()
    chance, problems = random.Random(1), []
    for place in range(1, len(whole), len(whole) // 200 + 1):
        content = bytearray(whole)
        content[place] ^= 1 << chance.randrange(8)
        old = content[place : place + 9]
        content[place : place + 9] = chance.choice([old, b'', b'\xff' * 9, chance.randbytes(9)])
        (path / part).write_bytes(content[: chance.choice([len(content), place + 9])])
        try:
            values(path)
        except SoftshellError as error:
            problems.append(str(error))
    if part == 'bag.mcap':
        assert len(problems) > 20
    else:  # the file beside them is read
        assert problems == []
    assert all(problem.startswith(str(path)) for problem in problems)


@pytest.mark.parametrize(
    ('make', 'problem'),
    [
        (lambda path: None, 'is not there; expected a folder with metadata.yaml, or FILE.mcap'),
        (lambda path: path.mkdir(), 'is no bag: it has 0 MCAP files; expected a folder'),
        (lambda path: path.write_bytes(b'text'), ': '),
        (lambda path: path.write_bytes(b''), ': '),
    ],
)
def test_what_is_no_bag_is_named(tmp_path, make, problem):
    path = tmp_path / 'bag'
    make(path)
    with pytest.raises(SoftshellError, match=f'{path}.*{problem}'):
        values(path)
