"""The parameter `robot` of a node."""

from dataclasses import dataclass

from rclpy.node import Node

from softshell_common.ros.parameters import declare, parameter
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_description.robots import DEFAULT_ROBOT


@dataclass(frozen=True)
class RobotParameter:
    """Which robot a node is for."""

    robot: str = parameter(DEFAULT_ROBOT, 'name of an installed robot, or path of its folder')


def declare_robot(node: Node) -> RobotModel:
    """Declare the parameter `robot` on a node, and load the robot that it names.

    Raises:
        SoftshellError: there is no such robot, or it is wrong.
    """
    return load_robot(declare(node, RobotParameter).robot)
