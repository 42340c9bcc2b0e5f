"""The `keyboard` node: drives the robot from a terminal."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import rclpy
from ament_index_python.packages import get_package_share_directory
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from softshell_common.ros.context import initialise
from softshell_common.ros.parameters import declare, parameter
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.ros.remote import Remote
from softshell_teleop.screen import Screen
from softshell_teleop.session import Session
from softshell_teleop.settings import Settings, load_settings
from softshell_teleop.terminal import Signals, Terminal


@dataclass(frozen=True)
class Parameters:
    """Parameters of the node."""

    key_map: str = parameter('', 'YAML file of keys, speeds and steps; empty: the installed one')


def settings_of(node: Node) -> Settings:
    """The settings in the file that the node's parameter names.

    Raises:
        ProblemsError: names the file, and every problem in it with its line.
        SoftshellError: the parameter is no text.
    """
    path = declare(node, Parameters).key_map or os.path.join(
        get_package_share_directory('softshell_teleop'), 'config', 'teleop.yaml'
    )
    return load_settings(Path(path))


def main(arguments: list[str] | None = None) -> int:
    """Run the keyboard interface in this terminal.

    Returns:
        The process's exit status: 0; 1 for a bad key map, parameter or argument of ROS; 2 without
        a terminal.
    """
    fd = 0
    if not os.isatty(fd):
        print(
            'error: the keyboard interface reads keys from a terminal, but stdin is not one; '
            'run it in its own terminal, not in a launch file or pipe',
            file=sys.stderr,
        )
        return 2
    node = remote = None
    with Signals() as signals:
        try:
            initialise(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
            node = Node('keyboard')
            settings = settings_of(node)
            screen = Screen(sys.stdout)
            remote = Remote(node, lambda text, problem: screen.print(text, '33' * problem))
            with Terminal(fd, 1 if screen.interactive else None) as terminal:
                Session(settings, remote, screen, terminal, signals, fd).run()
        except (
            SoftshellError,
            InvalidParameterValueException,
            InvalidParameterTypeException,
        ) as error:
            print(f'error: {error}', file=sys.stderr, flush=True)
            return 1
        finally:
            if remote is not None:
                remote.close()
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
    return 0
