"""The black box: keeps what was said within the last while, and writes it down after a fault."""

import time
from dataclasses import dataclass
from pathlib import Path

from rclpy.clock import Clock, ClockType
from rclpy.logging import get_logging_directory
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import ReasonCode
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.errors import SoftshellError
from softshell_recording.memory import Memory
from softshell_recording.ros.listener import FEEDBACK, Listener
from softshell_recording.topic import Message

#: Kinds of messages that take much room or come often, and tell what others tell as well.
LEFT_OUT = (
    'rosgraph_msgs/msg/Clock', 'tf2_msgs/msg/TFMessage', 'sensor_msgs/msg/Image',
    'sensor_msgs/msg/CompressedImage', 'sensor_msgs/msg/PointCloud2',
    'visualization_msgs/msg/MarkerArray', 'softshell_interfaces/msg/BodyContacts',
    'softshell_interfaces/msg/WorldPoses',
)  # fmt: skip
#: Of all nodes of a domain.
LOG = '/rosout'
#: From here on the bridge has stopped by itself, or was told to.
STOPPED = (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
#: Between two looks whether something is to be written [s].
LOOK_PERIOD = 0.1


@dataclass(frozen=True)
class BlackBoxParameters:
    """Parameters of the black box."""

    duration: float = parameter(30.0, 'how long messages are kept [s]', 1.0, 3600.0)
    after: float = parameter(2.0, 'how long after a fault it is written [s]', 0.0, 60.0)
    most_megabytes: int = parameter(200, 'memory for messages at most [MB]', 1, 100_000)
    folder: str = parameter('', "where bags are written; default black_box where ROS's logs are")


class BlackBox(Node):
    """Listens to the stack in its namespace; see `BlackBoxParameters`."""

    def __init__(self) -> None:
        super().__init__('black_box')
        self._settings = declare(self, BlackBoxParameters)
        self._memory = Memory(self._settings.duration, self._settings.most_megabytes * 10**6)
        self._prefix = self.get_namespace().rstrip('/') + '/'
        self._mode: BridgeMode | None = None
        self._due: float | None = None
        self._why = ''
        self._ended, self._farewell = False, False
        Listener(self, self._take, self._is_wanted)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_PERIOD, self._look, clock=steady)

    def begin_ending(self) -> None:
        """From now on it waits for the bridge to say that it ends as well."""
        self._ended = True

    def is_ending(self) -> bool:
        """Whether the bridge has not said so yet, though it was there."""
        return self._mode is not None and not self._farewell

    def close(self) -> None:
        """Write what there is after a fault, or if the bridge is gone without a word."""
        if self._due is None and self.is_ending():
            self._why = 'the bridge is gone'
            self._due = 0.0
        if self._due is not None:
            self._write()

    def _is_wanted(self, name: str, kind: str) -> bool:
        if name == LOG:
            return True
        own = name.startswith(self._prefix) and name.removeprefix(self._prefix)
        if not own or kind in LEFT_OUT or own == 'odom_estimated':
            return False
        return '/' not in own or own.endswith(FEEDBACK)

    def _take(self, message: Message) -> None:
        self._memory.add(message)
        if message.topic.name == f'{self._prefix}bridge_status':
            self._judge(deserialize_message(message.data, BridgeStatus))

    def _judge(self, status: BridgeStatus) -> None:
        """See whether the bridge has stopped."""
        mode = BridgeMode(status.mode)
        self._farewell = ReasonCode.ENDING in status.codes
        if mode in STOPPED and self._mode not in (*STOPPED, None) and self._due is None:
            self._why = '; '.join(status.reasons) or mode.name.lower()
            self._due = time.monotonic() + self._settings.after
        self._mode = mode

    def _look(self) -> None:
        if self._due is not None and time.monotonic() >= self._due:
            self._write()

    def _write(self) -> None:
        """Write all that is kept into a new bag."""
        # What writes is only imported now: this node starts with every stack.
        from softshell_recording.bag import BagWriter, Taker
        from softshell_recording.definitions import Definitions

        self._due = None
        folder = Path(self._settings.folder or get_logging_directory() / Path('black_box'))
        path = folder / time.strftime('%Y-%m-%d-%H%M%S')
        log = self.get_logger()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with BagWriter(path, Definitions()) as bag:
                taker = Taker(bag, log.warning)
                for message in self._memory.messages():
                    taker.take(message)
        except (SoftshellError, OSError) as error:
            log.error(f'the black box cannot be written: {error}')
            return
        log.warning(
            f'{self._why}: the last {self._settings.duration:g} s are in {path}; '
            f'./softshell report {path}'
        )


def main() -> int:
    """Run the node."""
    return run(BlackBox)
