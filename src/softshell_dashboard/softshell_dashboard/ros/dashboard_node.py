"""The node `dashboard`: serves the page of one robot."""

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from rcl_interfaces.msg import Log
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from softshell_client.ros import messages
from softshell_common import onlooker
from softshell_common.bridge_mode import STOPPED, BridgeMode
from softshell_common.ports import free_port
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.qos import CHANGES_CONSUMER
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

#: How many ports are tried for the page.
PORTS = 20
#: Time between two checks whether the server still runs [s].
LOOK_PERIOD = 0.5


@dataclass(frozen=True)
class DashboardParameters:
    """Parameters of the dashboard."""

    robot: str = parameter('', 'name of the robot, or path of its folder; empty: any robot')
    web_host: str = parameter(
        '127.0.0.1', 'address to listen on; one that other machines reach needs a token'
    )
    web_port: int = parameter(
        0, f'port of the page; 0: the first free one from {onlooker.PORT}', 0, 65535
    )
    web_token: str = parameter(
        '', 'token that is needed to see the page; empty: a random one if web_host needs one'
    )
    key_map: str = parameter(
        '', 'YAML file with keys, speeds and steps; empty: the one of the keyboard'
    )
    config: str = parameter('', 'YAML file with settings of the page; empty: the installed one')


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
        self._began = time.time_ns()
        self._ended: tuple[str, int, int] | None = None
        self._asker = Node(
            f'{onlooker.CLIENT}_{os.getpid()}',
            namespace=self.get_namespace(),
            start_parameter_services=False,
            use_global_arguments=False,  # they would give it the name of the dashboard node
        )
        feed = Feed(self._asker, known, Cameras(self), look_up=_installed)
        self._robot = DashboardRobot(self._asker, self._say, feed.base)
        self._view = View(_free_port('127.0.0.1', 0))
        station = Station(keys, page, self._robot, feed, self._view, self._journal)
        port = settings.web_port or _free_port(settings.web_host, onlooker.PORT)
        self._server = Server(station, access, settings.web_host, port, self._view.port)
        self.create_timer(LOOK_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        told: Any = self._on_status  # with the message's times, which rclpy's types leave out
        self.create_subscription(BridgeStatus, 'bridge_status', told, CHANGES_CONSUMER)
        self.create_subscription(Log, '/rosout', self._on_log, 100)
        self.get_logger().info(
            f'{onlooker.SAYS}{access.address(_shown_host(settings.web_host), port)}'
        )

    def close(self) -> None:
        """Stop the robot if a page drives it, and end server and scene."""
        for part in ('_server', '_robot'):
            if hasattr(self, part):
                getattr(self, part).close()
        if hasattr(self, '_view'):
            self._view.stop()
        if hasattr(self, '_asker'):
            self._asker.destroy_node()

    def _look(self) -> None:
        """Check that the server still runs.

        Raises:
            SoftshellError: it has ended by an error; this ends the node.
        """
        if self._server.problem is not None:
            raise SoftshellError(self._server.problem)

    def _say(self, text: str, problem: bool) -> None:
        self._note(Kind.REFUSED if problem else Kind.DONE, text)

    def _note(self, kind: Kind, text: str) -> None:
        self._journal.add(kind, text, time.time())  # of the day, whatever ROS has for time

    def _on_status(self, message: BridgeStatus, about: Mapping[str, int]) -> None:
        """Log stops of the bridge with their reasons, and trajectories that it refused.

        What was sent before this node began is kept for late joiners, and may be over long since.
        """
        if 0 < about['source_timestamp'] < self._began:  # 0: not known
            return
        state = messages.bridge_state(message)
        if state.mode != self._mode:
            text = f'the bridge is in {state.mode.words}'
            self._mode = state.mode
            kind = Kind.FAULT if state.mode in STOPPED else Kind.NOTE
            if kind is Kind.FAULT or state.mode is BridgeMode.INACTIVE:
                self._note(kind, '; '.join((text, *state.reasons)))
        refused = message.trajectory
        ended = refused.sender, refused.id, refused.state
        if ended != self._ended and refused.state == refused.REJECTED and refused.reasons:
            reasons = '; '.join(refused.reasons)
            self._note(Kind.REFUSED, f'trajectory of {refused.sender}: {reasons}')
        self._ended = ended

    def _on_log(self, message: Log) -> None:
        """Log warnings and errors of nodes in this namespace."""
        level = (
            int.from_bytes(message.level) if isinstance(message.level, bytes) else message.level
        )
        warning = int.from_bytes(Log.WARN) if isinstance(Log.WARN, bytes) else Log.WARN
        if level >= warning and self._is_own(message.name):
            self._note(Kind.WARNING, f'{message.name}: {message.msg}')

    def _is_own(self, logger: str) -> bool:
        """Whether a logger is of a node in this namespace, and not in one within it.

        Within its namespace a logger is called as its node, then maybe a dot and a further name.
        """
        space = self.get_namespace().strip('/').replace('/', '.')
        prefix = f'{space}.' if space else ''
        if not logger.startswith(prefix):
            return False
        name, dot, _ = logger.removeprefix(prefix).partition('.')
        return not dot or (name, self.get_namespace()) in self.get_node_names_and_namespaces()


def _known(robot: str) -> Known:
    """What is known of a robot from its folder; nothing if no robot is named."""
    if not robot:
        return Known()
    model = load_robot(robot)
    return Known(
        model.base.link,
        model.legs.feet if model.legs is not None else (),
        {name: channel.range for name, channel in model.channels.items()},
        model.urdf.name,
    )


def _installed(name: str) -> Known:
    """What is known of the installed robot of a name; nothing if its description has another."""
    try:
        known = Known() if '/' in name else _known(name)  # a description names no folder
    except SoftshellError:
        return Known()
    return known if known.name == name else Known()


def _file(given: str, package: str, name: str) -> Path:
    """The given file or, if that is empty, a file in `config/` of a package."""
    return Path(given or os.path.join(get_package_share_directory(package), 'config', name))


def _shown_host(host: str) -> str:
    """The host in the page's address: this machine's name if it listens on all addresses."""
    return socket.gethostname() if host in ('0.0.0.0', '::') else host


def _free_port(host: str, first: int) -> int:
    """A port on which no program listens.

    Args:
        host: address on which to listen.
        first: first of `PORTS` ports that are tried; 0: any port.

    Raises:
        SoftshellError: all these ports are taken, or this machine has no such address.
    """
    problem = ''
    for port in range(first, first + (PORTS if first else 1)):
        try:
            return free_port(host, port)
        except OSError as error:
            problem = error.strerror or str(error)
    tried = f'ports {first} to {first + PORTS - 1}' if first else 'any port'
    raise SoftshellError(
        f'the dashboard cannot listen on {tried} of {host}: {problem}; choose another address '
        'with web_host:= or another port with web_port:='
    )


def main() -> int:
    """Run the node, with a lower priority than the nodes that move the robot."""
    os.nice(onlooker.NICE)
    return run(DashboardNode)
