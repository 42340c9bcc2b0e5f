"""Commands that are replayed from the middle of a walk: the first follows one that is not sent."""

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from rclpy.serialization import deserialize_message, serialize_message
from unique_identifier_msgs.msg import UUID

from softshell_interfaces.msg import ControllerCommand, TrajectoryCommand
from softshell_recording.ros.commands import Commands


def identity(number):
    return UUID(uuid=[number] * 16) if number else UUID()


@pytest.mark.parametrize('kind', [TrajectoryCommand, ControllerCommand])
def test_only_who_follows_what_is_missing_is_freed(kind):
    """2 follows 1, which is not in the bag. 4 follows 2 although 3 came between: a bridge refused
    it, and does so again."""
    commands, name = Commands(), f'softshell_interfaces/msg/{kind.__name__}'
    sent = {}
    for number, after in ((2, 1), (3, 2), (4, 2), (5, 0)):
        message = kind(id=identity(number), sender='walker', after=identity(after))
        data = commands.freed(name, bytes(serialize_message(message)))
        sent[number] = deserialize_message(data, kind)
    assert [one.after.uuid[0] for one in sent.values()] == [0, 2, 2, 0]
    assert [one.id.uuid[0] for one in sent.values()] == [2, 3, 4, 5]
    assert {one.sender for one in sent.values()} == {'walker'}


def test_other_messages_and_damaged_ones_stay_as_they_are():
    """Bit for bit."""
    commands = Commands()
    for kind in ('std_msgs/msg/String', 'softshell_interfaces/msg/TrajectoryCommand'):
        assert commands.freed(kind, b'\x00\x01\x00\x00\x07') == b'\x00\x01\x00\x00\x07'
