"""Bags without definitions of their messages, as ROS 2 Humble writes them."""

import sqlite3
from pathlib import Path

import pytest
from bag_rig import STORE

from softshell_kinematics.errors import SoftshellError
from softshell_recording.reading import decoded_messages_of, opened

METADATA = """\
rosbag2_bagfile_information:
  version: 5
  storage_identifier: sqlite3
  duration: {{nanoseconds: {last}}}
  starting_time: {{nanoseconds_since_epoch: 0}}
  message_count: {count}
  topics_with_message_count:
{topics}
  compression_format: ""
  compression_mode: ""
  relative_file_paths: [bag_0.db3]
  files:
    - path: bag_0.db3
      starting_time: {{nanoseconds_since_epoch: 0}}
      duration: {{nanoseconds: {last}}}
      message_count: {count}
"""
TOPIC = """\
    - topic_metadata: {{name: {name}, type: {kind}, serialization_format: cdr,
        offered_qos_profiles: ""}}
      message_count: 1
"""
TABLES = """
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
    serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,
    timestamp INTEGER NOT NULL, data BLOB NOT NULL);
"""


def humble(path: Path, kinds: dict[str, float]) -> Path:
    """A bag with a number on a topic of each type, all of which are as std_msgs/Float64."""
    path.mkdir()
    with sqlite3.connect(path / 'bag_0.db3') as bag:
        bag.executescript(TABLES)
        for place, (kind, value) in enumerate(kinds.items()):
            number = STORE.types['std_msgs/msg/Float64'](value)
            data = bytes(STORE.serialize_cdr(number, 'std_msgs/msg/Float64'))
            topic = (place + 1, f'/topic_{place}', kind, 'cdr', '')
            bag.execute('INSERT INTO topics VALUES (?, ?, ?, ?, ?)', topic)
            bag.execute(
                'INSERT INTO messages VALUES (?, ?, ?, ?)', (place, place + 1, place, data)
            )
    topics = ''.join(TOPIC.format(name=f'/topic_{k}', kind=kind) for k, kind in enumerate(kinds))
    text = METADATA.format(last=len(kinds) - 1, count=len(kinds), topics=topics)
    (path / 'metadata.yaml').write_text(text)
    return path


def test_it_is_read_by_the_definitions_that_are_installed(tmp_path, monkeypatch):
    """Those of ROS, and those of packages; a type that is not installed is named."""
    folder = tmp_path / 'prefix/share/mine/msg'
    folder.mkdir(parents=True)
    (folder / 'Number.msg').write_text('float64 data\n')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    kinds = {'std_msgs/msg/Float64': 0.5, 'mine/msg/Number': 1.5, 'mine/msg/Unknown': 2.5}
    path, told = humble(tmp_path / 'bag', kinds), []
    with opened(path, told.append) as reader:
        messages = decoded_messages_of(reader, path, reader.connections)
        found = [next(messages)[2].data for _ in range(2)]
        with pytest.raises(SoftshellError, match=f'{path}: no definition of mine/msg/Unknown'):
            next(messages)
    assert found == [0.5, 1.5]
    assert told == [
        f'{path} has no definitions of its messages: those that are installed are used'
    ]
