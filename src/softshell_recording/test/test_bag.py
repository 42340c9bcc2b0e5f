"""Recordings in files, read back by rosbags' own readers."""

from pathlib import Path

import numpy as np
import pytest
from bag_rig import TEXT, number, text, written
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability, QosReliability

from softshell_kinematics.errors import SoftshellError
from softshell_recording import bag as bags
from softshell_recording.bag import BagError, BagWriter
from softshell_recording.definitions import Definitions
from softshell_recording.topic import Message, Topic


def read(path: Path) -> list[tuple[str, int, object]]:
    with AnyReader([path]) as reader:
        return [
            (connection.topic, stamp, reader.deserialize(data, connection.msgtype).data)
            for connection, stamp, data in reader.messages()
        ]


def test_what_is_written_is_read(tmp_path):
    """Topic, time and content of each message, by a reader that knows none of the types."""
    values = np.random.default_rng(1).normal(size=200).tolist()
    messages = [number(value, 10 * k) for k, value in enumerate(values)] + [text('a', 5_000)]
    path = written(tmp_path / 'bag', messages)
    expected = [('/number', 10 * k, value) for k, value in enumerate(values)]
    assert read(path) == [*expected, ('/text', 5_000, 'a')]


def test_a_player_learns_what_was_promised(tmp_path):
    """Latched or not, reliable or not; also of a topic on which nothing came."""
    with BagWriter(tmp_path / 'bag', Definitions([])) as bag:
        bag.add(TEXT)
        bag.write(number(1.0, 0))
    with AnyReader([tmp_path / 'bag']) as reader:
        offers = {one.topic: one.ext.offered_qos_profiles[0] for one in reader.connections}
    assert offers['/text'].durability is QosDurability.TRANSIENT_LOCAL
    assert offers['/text'].reliability is QosReliability.RELIABLE
    assert offers['/number'].durability is QosDurability.VOLATILE
    assert offers['/number'].reliability is QosReliability.BEST_EFFORT


def test_nothing_is_written_over(tmp_path):
    """A folder that is there stays as it is."""
    path = written(tmp_path / 'bag', [text('first', 0)])
    with pytest.raises(BagError, match='exists already; expected a new folder'):
        BagWriter(path, Definitions([]))
    assert read(path) == [('/text', 0, 'first')]


def test_a_disk_that_is_full_ends_a_recording_that_can_be_read(tmp_path, monkeypatch):
    """Before all of it is taken: the error says so, and what came before is there."""
    bag = BagWriter(tmp_path / 'bag', Definitions([]))
    bag.write(text('before', 0))
    monkeypatch.setattr(bags, 'LEFT_FREE', 10**18)
    large = 'x' * bags.LOOK_EVERY
    with pytest.raises(BagError, match=r'MB are free; expected .* the recording ends here'):
        bag.write(text(large, 1))
    bag.close()
    assert read(tmp_path / 'bag') == [('/text', 0, 'before')]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(BagError, match='file/bag: Not a directory'):
        BagWriter(tmp_path / 'file' / 'bag', Definitions([]))


def test_a_bag_that_cannot_be_begun_leaves_no_folder(tmp_path):
    """Its name is too long only for the file in it."""
    with pytest.raises(BagError, match='File name too long'):
        BagWriter(tmp_path / (253 * 'x'), Definitions([]))
    assert list(tmp_path.iterdir()) == []


def test_a_type_without_definition_is_not_written(tmp_path):
    """The error names it; the rest of the recording goes on."""
    with BagWriter(tmp_path / 'bag', Definitions([])) as bag:
        with pytest.raises(SoftshellError, match='no definition of mine/msg/Thing'):
            bag.write(Message(Topic('/thing', 'mine/msg/Thing'), 0, b''))
        bag.write(text('after', 1))
    assert read(tmp_path / 'bag') == [('/text', 1, 'after')]
