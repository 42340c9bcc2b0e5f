"""Bags of texts and numbers."""

from pathlib import Path

from rosbags.typesys import Stores, get_typestore

from softshell_recording.bag import BagWriter
from softshell_recording.definitions import Definitions
from softshell_recording.topic import Message, Topic

STORE = get_typestore(Stores.ROS2_JAZZY)
TEXT = Topic('/text', 'std_msgs/msg/String', latched=True)
NUMBER = Topic('/number', 'std_msgs/msg/Float64', reliable=False)


def text(content: str, stamp: int) -> Message:
    String = STORE.types['std_msgs/msg/String']
    return Message(TEXT, stamp, bytes(STORE.serialize_cdr(String(content), TEXT.kind)))


def number(value: float, stamp: int) -> Message:
    Float64 = STORE.types['std_msgs/msg/Float64']
    return Message(NUMBER, stamp, bytes(STORE.serialize_cdr(Float64(value), NUMBER.kind)))


def written(path: Path, messages: list[Message]) -> Path:
    with BagWriter(path, Definitions([])) as bag:
        for message in messages:
            bag.write(message)
    return path
