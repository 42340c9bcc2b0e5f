"""Messages that outlive who had them."""

import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from bag_rig import STORE
from rosbags.highlevel import AnyReader

from softshell_recording.handover import MARK, begin_writing, make_room
from softshell_recording.topic import Message, Topic

TOPIC = Topic('/text', 'std_msgs/msg/String')
#: [s] a safety net, no measure of anything.
PATIENCE = 60.0
#: Hands many messages over, and is gone before they are written.
HASTY = """
import os, sys
from pathlib import Path
from softshell_recording.handover import begin_writing
from softshell_recording.topic import Message, Topic
topic = Topic('/text', 'std_msgs/msg/String')
messages = [Message(topic, number, bytes.fromhex(sys.argv[2])) for number in range(30_000)]
begin_writing(Path(sys.argv[1]), messages, 3)
os._exit(0)
"""


def made(path: Path) -> None:
    """A folder like that of a bag of a black box."""
    path.mkdir()
    (path / MARK).touch()


def text(content: str) -> bytes:
    kind = 'std_msgs/msg/String'
    return bytes(STORE.serialize_cdr(STORE.types[kind](content), kind))


def test_they_are_written_though_who_had_them_is_gone(tmp_path):
    path = tmp_path / 'bag'
    subprocess.run(
        [sys.executable, '-c', HASTY, str(path), text('last words').hex()],
        check=True, timeout=PATIENCE,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while not (path / 'metadata.yaml').exists():
        assert time.monotonic() < end, 'it was not written'
        time.sleep(0.05)
    with AnyReader([path]) as reader:
        assert reader.message_count == 30_000


def test_they_are_written_by_no_module_of_the_folder_of_a_start(tmp_path, monkeypatch):
    """A file there may be called like a library."""
    (tmp_path / 'pickle.py').write_text('raise SystemExit(9)')
    monkeypatch.chdir(tmp_path)
    process = begin_writing(tmp_path / 'bag', [Message(TOPIC, 1, text('x'))], 3)
    assert process.wait(PATIENCE) == 0


def test_handing_over_takes_little_memory(tmp_path):
    """It would not be given back: what is kept next is put between what is left."""
    messages = [Message(TOPIC, number, text('x')) for number in range(30_000)]
    tracemalloc.start()
    writing = begin_writing(tmp_path / 'bag', messages, 3)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64 * len(messages)
    assert writing.wait(PATIENCE) == 0


def test_what_cannot_be_written_is_told(tmp_path, capfd):
    (tmp_path / 'bag').mkdir()
    writing = begin_writing(tmp_path / 'bag', [Message(TOPIC, 1, text('x'))], 3)
    assert writing.wait(PATIENCE) == 1
    assert 'the black box cannot be written' in capfd.readouterr().err


def test_room_is_made_before_so_a_clock_that_is_behind_does_not_remove_what_was_written(tmp_path):
    """The name of the new bag is the oldest; of those that were there one is left."""
    for name in ('2025-05-01-120000', '2026-01-31-000000'):
        made(tmp_path / name)
    path = tmp_path / '1970-01-01-000010'
    assert begin_writing(path, [Message(TOPIC, 1, text('x'))], 2).wait(PATIENCE) == 0
    assert {one.name for one in tmp_path.iterdir()} == {path.name, '2026-01-31-000000'}
    assert (path / 'metadata.yaml').exists()


@pytest.mark.parametrize('most', [0, 1, 2, 5])
def test_the_oldest_go_and_what_is_called_otherwise_stays(tmp_path: Path, most):
    dated = ['2024-05-01-120000', '2025-05-01-120000-one', '2026-01-31-000000']
    for name in (*dated, 'mine', '2026-01-31'):
        made(tmp_path / name)
    make_room(tmp_path, most)
    assert {path.name for path in tmp_path.iterdir()} == {
        *dated[max(3 - most, 0) :],
        'mine',
        '2026-01-31',
    }


def test_only_what_a_black_box_has_written_goes(tmp_path):
    """A recording of somebody else stays and does not count, although its name is a date."""
    foreign = tmp_path / '2020-01-01-000000'
    foreign.mkdir()
    first, second = (tmp_path / f'2025-05-0{day}-120000' for day in (1, 2))
    for path in (first, second):
        assert begin_writing(path, [Message(TOPIC, 1, text('x'))], 1).wait(PATIENCE) == 0
    assert {path.name for path in tmp_path.iterdir()} == {foreign.name, second.name}
    with AnyReader([second]) as reader:
        assert reader.message_count == 1
