"""Bags that are read again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bag_rig import number, text, written

from softshell_kinematics.errors import SoftshellError
from softshell_recording.reading import opened

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
        return [reader.deserialize(data, one.msgtype).data for one, _, data in reader.messages()]


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


@pytest.mark.parametrize(
    ('make', 'problem'),
    [
        (lambda path: None, 'is not there; expected a folder with metadata.yaml, or FILE.mcap'),
        (lambda path: path.mkdir(), 'is no bag'),
        (lambda path: path.write_bytes(b'text'), ': '),
        (lambda path: path.write_bytes(b''), ': '),
    ],
)
def test_what_is_no_bag_is_named(tmp_path, make, problem):
    path = tmp_path / 'bag'
    make(path)
    with pytest.raises(SoftshellError, match=f'{path}.*{problem}'):
        values(path)
