"""Commands of a bag that name one before them, which may not be in the bag."""

from rclpy.serialization import deserialize_message, serialize_message
from unique_identifier_msgs.msg import UUID

from softshell_recording.ros.listener import message_type

#: Types whose `after` has the id of another command: a bridge refuses them without it.
KINDS = (
    'softshell_interfaces/msg/TrajectoryCommand', 'softshell_interfaces/msg/ControllerCommand',
)  # fmt: skip


class Commands:
    """Lets commands whose predecessor was not sent again follow any.

    A bag may begin in the middle of a walk, or lack messages; what a bridge refused when it was
    recorded, it refuses again.
    """

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def freed(self, kind: str, data: bytes) -> bytes:
        """A serialised message of a type, without `after` if that command was not sent."""
        if kind not in KINDS:
            return data
        try:
            message = deserialize_message(data, message_type(kind))
        except Exception:  # damaged, or of another version: whoever reads it says so
            return data
        after = bytes(message.after.uuid)
        self._sent.add(bytes(message.id.uuid))
        if after in self._sent or not any(after):
            return data
        message.after = UUID()
        return bytes(serialize_message(message))
