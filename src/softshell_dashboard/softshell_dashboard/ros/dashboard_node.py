"""The node `dashboard`: serves the page of one robot."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from rcl_interfaces.msg import Log
from rclpy.node import Node

from softshell_client.ros import messages
from softshell_common import onlooker
from softshell_common.bridge_mode import BridgeMode
from softshell_common.ports import free_port
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.qos import CHANGES
from softshell_common.ros.run import run
from softshell_dashboard.access import Access
from softshell_dashboard.journal import Journal, Kind
from softshell_dashboard.ros.cameras import Cameras
from softshell_dashboard.ros.feed import Feed, Known
from softshell_dashboard.ros.robot import DashboardRobot
from softshell_dashboard.scene.view import View
from softshell_dashboard.server import Server
from softshell_dashboard.settings import load_page_settings
from softshell_dashboard.station import Station
from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.settings import load_settings

#: The port of the page, and how many after it are tried where it is taken.
PORT, PORTS = 8642, 20
STOPPED = (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)


@dataclass(frozen=True)
class DashboardParameters:
    """Parameters of the dashboard."""

    robot: str = parameter('', 'name of the robot or path of its folder; empty: any')
    web_host: str = parameter('127.0.0.1', 'address to listen on; any but this needs a token')
    web_port: int = parameter(0, f'port of the page; 0: the first free one from {PORT}', 0, 65535)
    web_token: str = parameter('', 'needed to see the page; empty: one is made where it is needed')
    key_map: str = parameter(
        '', 'YAML file of keys, speeds and steps; empty: that of the keyboard'
    )
    config: str = parameter('', 'YAML file of the page; empty: the installed one')


class DashboardNode(Node):
    """Serves the page; see `DashboardParameters`."""

    def __init__(self) -> None:
        super().__init__(onlooker.NODE)
        settings = declare(self, DashboardParameters)
        access = Access(settings.web_host, settings.web_token)
        keys = load_settings(_file(settings.key_map, 'softshell_teleop', 'teleop.yaml'))
        page = load_page_settings(_file(settings.config, 'softshell_dashboard', 'dashboard.yaml'))
        known = _known(settings.robot)
        self._journal = Journal()
        self._mode: BridgeMode | None = None
        self._ended: tuple[str, int, int] | None = None
        self._asker = Node(
            f'{onlooker.CLIENT}_{os.getpid()}',
            namespace=self.get_namespace(),
            start_parameter_services=False,
            use_global_arguments=False,  # which would give it the name of this one
        )
        feed = Feed(self._asker, known, Cameras(self))
        self._robot = DashboardRobot(self._asker, self._say, lambda: feed.snapshot(False).base)
        self._view = View(_free_port('127.0.0.1', 0))
        station = Station(keys, page, self._robot, feed, self._view, self._journal)
        port = settings.web_port or _free_port(settings.web_host, PORT)
        self._server = Server(
            station, access, settings.web_host, port, self._view.port, self.get_logger().error
        )
        self.create_subscription(BridgeStatus, 'bridge_status', self._on_status, CHANGES)
        self.create_subscription(Log, '/rosout', self._on_log, 100)
        self.get_logger().info(
            f'{onlooker.SAYS}{access.address(_shown_host(settings.web_host), port)}'
        )

    def close(self) -> None:
        """Stop what a page drives, and end."""
        for part in ('_server', '_robot'):
            if hasattr(self, part):
                getattr(self, part).close()
        if hasattr(self, '_view'):
            self._view.stop()
        if hasattr(self, '_asker'):
            self._asker.destroy_node()

    def _say(self, text: str, problem: bool) -> None:
        self._note(Kind.REFUSED if problem else Kind.DONE, text)

    def _note(self, kind: Kind, text: str) -> None:
        self._journal.add(kind, text, self.get_clock().now().nanoseconds * 1e-9)

    def _on_status(self, message: BridgeStatus) -> None:
        """Write down why the bridge stopped, and what it refused or limited."""
        state = messages.bridge_state(message)
        if state.mode != self._mode:
            text = f'the bridge: {state.mode.name.lower().replace("_", " ")}'
            self._mode = state.mode
            kind = Kind.FAULT if state.mode in STOPPED else Kind.NOTE
            if kind is Kind.FAULT or state.mode is BridgeMode.INACTIVE:
                self._note(kind, '; '.join((text, *state.reasons)))
        refused = message.trajectory
        ended = refused.sender, refused.id, refused.state
        if ended != self._ended and refused.state == refused.REJECTED and refused.reasons:
            self._note(Kind.REFUSED, f'{refused.sender}: {"; ".join(refused.reasons)}')
        self._ended = ended

    def _on_log(self, message: Log) -> None:
        """Write down what nodes of this stack warn of."""
        level = (
            int.from_bytes(message.level) if isinstance(message.level, bytes) else message.level
        )
        warning = int.from_bytes(Log.WARN) if isinstance(Log.WARN, bytes) else Log.WARN
        space = self.get_namespace().strip('/').replace('/', '.')
        if level >= warning and f'{message.name}.'.startswith(f'{space}.' if space else ''):
            self._note(Kind.WARNING, f'{message.name}: {message.msg}')


def _known(robot: str) -> Known:
    """Base link and feet of a robot; nothing of one that is not named."""
    if not robot:
        return Known()
    model = load_robot(robot)
    return Known(
        model.base.link,
        model.legs.feet if model.legs is not None else (),
        {name: channel.range for name, channel in model.channels.items()},
    )


def _file(given: str, package: str, name: str) -> Path:
    return Path(given or os.path.join(get_package_share_directory(package), 'config', name))


def _shown_host(host: str) -> str:
    """By what name people reach an address."""
    return socket.gethostname() if host in ('0.0.0.0', '::') else host


def _free_port(host: str, first: int) -> int:
    """A port that nobody listens on.

    Args:
        host: address.
        first: that is tried, then those after it; 0: any.

    Raises:
        SoftshellError: they are all taken, or this machine has no such address.
    """
    problem = ''
    for port in range(first, first + (PORTS if first else 1)):
        try:
            return free_port(host, port)
        except OSError as error:
            problem = error.strerror or str(error)
    raise SoftshellError(
        f'no port of {host} from {first} to {first + PORTS - 1} can be had: {problem}'
    )


def main() -> int:
    """Run the node. On a busy machine whoever moves the robot comes first."""
    os.nice(onlooker.NICE)
    return run(DashboardNode)
