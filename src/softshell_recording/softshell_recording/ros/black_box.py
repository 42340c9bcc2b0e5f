"""The black box: keeps the latest messages of a stack, and has them written after a fault.

It writes after a fault or an emergency stop of the bridge, when the bridge is gone without having
told that it ends, on a call of `~/write`, and on SIGUSR1, which the program that runs the stack
sends when another node dies.
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rclpy.clock import Clock, ClockType
from rclpy.logging import get_logging_directory
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_srvs.srv import Trigger

from softshell_common import onlooker
from softshell_common.bridge_mode import STOPPED, BridgeMode
from softshell_common.reason import ReasonCode
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.qos import SERVICE
from softshell_common.ros.run import run
from softshell_interfaces.msg import BridgeStatus
from softshell_recording.handover import begin_writing
from softshell_recording.memory import Memory
from softshell_recording.ros.listener import FEEDBACK, Listener
from softshell_recording.topic import Message

#: Types of messages that take much room or come often, and that no report needs.
LEFT_OUT = (
    'sensor_msgs/msg/Image', 'sensor_msgs/msg/CompressedImage', 'sensor_msgs/msg/PointCloud2',
    'visualization_msgs/msg/MarkerArray', 'softshell_interfaces/msg/BodyContacts',
)  # fmt: skip
#: Topic of the log of all nodes of a domain.
LOG = '/rosout'
#: Time between two checks whether something is to be written [s].
LOOK_PERIOD = 0.1


@dataclass(frozen=True)
class BlackBoxParameters:
    """Parameters of the black box."""

    duration: float = parameter(30.0, 'how long messages are kept [s]', 1.0, 3600.0)
    after: float = parameter(2.0, 'how long after a fault it is written [s]', 0.0, 60.0)
    most_megabytes: int = parameter(200, 'memory for messages at most [MB]', 1, 100_000)
    most_bags: int = parameter(30, 'bags in the folder at most; the oldest go', 1, 100_000)
    folder: str = parameter('', "where bags are written; default black_box where ROS's logs are")


class BlackBox(Node):
    """Listens to the stack in its namespace; see `BlackBoxParameters`."""

    def __init__(self) -> None:
        super().__init__('black_box')
        self._settings = declare(self, BlackBoxParameters)
        self._memory = Memory(self._settings.duration, self._settings.most_megabytes * 10**6)
        self._prefix = self.get_namespace().rstrip('/') + '/'
        self._mode: BridgeMode | None = None
        self._began = time.time_ns()
        self._due: float | None = None
        self._why = self._told = ''
        self._farewell = self._asked = self._saw_death = False
        self._path, self._problem = Path(), ''
        self._writing: subprocess.Popen[bytes] | None = None
        self._listener = Listener(self, self._take, self._is_wanted, modest=True)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_PERIOD, self._look, clock=steady)
        self.create_service(Trigger, '~/write', self._on_write, qos_profile=SERVICE)
        signal.signal(signal.SIGUSR1, self._ask)

    def is_ending(self) -> bool:
        """Whether the bridge, which was there, has not said yet that it ends as well."""
        return self._mode is not None and not self._farewell and not self._saw_death

    def close(self) -> None:
        """Have written what there is after a fault, or if the bridge is gone without a word."""
        self._listener.sweep()
        if self._due is None and self.is_ending():
            self._why, self._asked = 'the bridge is gone', True
        if self._due is not None or self._asked:
            self._write()
        if self._writing is not None:
            self.get_logger().warning(
                f'{self._told}: the last {self._settings.duration:g} s go into {self._path}; '
                f'./softshell report {self._path}'
            )

    def _is_wanted(self, name: str, kind: str) -> bool:
        if name == LOG:
            return True
        own = name.startswith(self._prefix) and name.removeprefix(self._prefix)
        if not own or kind in LEFT_OUT or own == 'odom_estimated':
            return False
        return '/' not in own or own.endswith(FEEDBACK)

    def _take(self, message: Message) -> None:
        self._memory.add(message)
        # What was sent before is kept for late joiners, and may be over long since.
        is_news = message.sent is None or message.sent >= self._began
        if is_news and message.topic.name == f'{self._prefix}bridge_status':
            self._judge(deserialize_message(message.data, BridgeStatus))

    def _judge(self, status: BridgeStatus) -> None:
        """Plan to write if the bridge has just stopped."""
        mode = BridgeMode(status.mode)
        self._farewell = ReasonCode.ENDING in status.codes
        if mode in STOPPED and self._mode not in STOPPED and self._due is None:
            self._why = '; '.join(status.reasons) or mode.name.lower()
            self._due = time.monotonic() + self._settings.after
        self._mode = mode

    def _look(self) -> None:
        self._listener.sweep()
        if self._writing is not None:
            if (status := self._writing.poll()) is not None:
                self._tell_end(status)
        elif self._asked or (self._due is not None and time.monotonic() >= self._due):
            self._write()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        """Take SIGUSR1: the program that runs the stack has seen a node die."""
        self._why = self._why or 'a node has ended by itself'
        self._asked = self._saw_death = True

    def _on_write(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._writing is not None:
            response.message = f'{self._path} is being written'
            return response
        self._why = self._why or 'asked for'
        self._write()
        response.success = self._writing is not None
        response.message = str(self._path) if response.success else self._problem
        return response

    def _write(self) -> None:
        """Have all that is kept written into a new bag."""
        self._due, self._asked = None, False
        folder = Path(self._settings.folder or get_logging_directory() / Path('black_box'))
        name = '-'.join((time.strftime('%Y-%m-%d-%H%M%S'), *self._prefix.split('/'))).strip('-')
        path = folder / name
        if path == self._path or os.path.exists(path):  # the last one may not be there yet
            path = folder / f'{name}-{time.time_ns() % 10**9:09}'
        self._path = path
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._writing = begin_writing(
                self._path, self._memory.messages(), self._settings.most_bags
            )
        except OSError as error:
            self._problem = f'the black box cannot be written: {error}'
            self.get_logger().error(self._problem)
        self._told, self._why = self._why, ''

    def _tell_end(self, status: int) -> None:
        """Log where the bag is; if it failed, the process that wrote it has logged why."""
        self._writing = None
        if status == 0:
            self.get_logger().warning(
                f'{self._told}: the last {self._settings.duration:g} s are in {self._path}; '
                f'./softshell report {self._path}'
            )


def main() -> int:
    """Run the node, at a low priority: on a busy machine nodes that move the robot come first."""
    os.nice(onlooker.NICE)
    return run(BlackBox)
