"""Bags of texts and numbers, and of any messages."""

from pathlib import Path

import numpy as np
from rosbags.typesys import Stores, get_typestore

from softshell_recording.bag import BagWriter
from softshell_recording.definitions import Definitions
from softshell_recording.topic import Message, Topic

STORE = get_typestore(Stores.ROS2_JAZZY)
Time = STORE.types['builtin_interfaces/msg/Time']
Header = STORE.types['std_msgs/msg/Header']
TEXT = Topic('/text', 'std_msgs/msg/String', latched=True)
NUMBER = Topic('/number', 'std_msgs/msg/Float64', reliable=False)
SECOND = 1_000_000_000
#: The clock of a `Recorded` bag begins here, that of its stack at 0 and runs twice as fast [ns].
BEGIN = 1_700_000_000 * SECOND


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


class Recorded:
    """A bag that is filled with messages."""

    def __init__(self, path: Path) -> None:
        self.definitions = Definitions()
        self.definitions.of('softshell_interfaces/msg/BridgeStatus')
        self.store = self.definitions.store
        self.bag = BagWriter(path, self.definitions)

    def add(self, topic: str, kind: str, time: float, /, **fields) -> None:
        """A message of a moment [s] of the stack's clock."""
        data = self.store.serialize_cdr(self.message(kind, time, **fields), kind)
        self.bag.write(Message(Topic(topic, kind), BEGIN + round(time / 2 * SECOND), bytes(data)))

    def message(self, kind: str, time: float = 0.0, /, **fields):
        """A message whose other fields are those of an empty one."""
        values = {}
        for name, (_, described) in self.store.fielddefs[kind][1]:
            if name in fields:
                values[name] = fields[name]
            elif described == 'std_msgs/msg/Header':
                values[name] = Header(Time(int(time), round(time % 1 * SECOND)), '')
            elif isinstance(described, str):
                values[name] = self.message(described, time)
            elif isinstance(described[0], tuple):  # some of them
                (_, item), length = described
                numbers = isinstance(item, tuple) and item[0] != 'string'
                values[name] = np.zeros(length, item[0]) if numbers else []
            else:
                values[name] = {'string': '', 'bool': False}.get(described[0], 0)
        return self.store.types[kind](**values)

    def joints(self, name: str, time: float, position: float) -> None:
        values = np.array([position, -position])
        self.add(
            name, 'sensor_msgs/msg/JointState', time,
            name=['a', 'b'], position=values, velocity=values, effort=values,
        )  # fmt: skip
