"""The bridge without physics, as a node."""

import sys

from softshell_common.ros.run import run
from softshell_control.mock import MockBackend
from softshell_control.ros.bridge_node import BridgeNode
from softshell_control.ros.bridge_parameters import BridgeParameters
from softshell_description.model import RobotModel


def make_backend(robot: RobotModel, parameters: BridgeParameters) -> MockBackend:
    """The mock, in the robot's start pose."""
    return MockBackend(robot)


def main() -> int:
    """Entry point."""
    # Otherwise the control loop would wait up to 5 ms for a callback to release the interpreter.
    sys.setswitchinterval(0.001)
    return run(lambda: BridgeNode(make_backend))
