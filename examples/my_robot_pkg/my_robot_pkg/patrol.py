"""A node that has the robot walk up and down and greet at either end.

ros2 run my_robot_pkg patrol --ros-args -p distance:=0.4 -p times:=2
"""

import math
import sys

import rclpy
from rclpy.node import Node

from softshell_client import Shell, SoftshellError


class Patrol(Node):
    """Walks up and down.

    Parameters: `distance` of each walk [m], `times` how often.
    """

    def __init__(self) -> None:
        super().__init__('patrol')
        self._distance = self.declare_parameter('distance', 0.3).value
        self._times = self.declare_parameter('times', 1).value

    def run(self) -> None:
        """Walk up and down, and come back.

        Raises:
            SoftshellError: no stack runs, or an action failed.
        """
        with Shell(namespace=self.get_namespace().strip('/')) as robot:
            robot.perform('stand')
            for _ in range(2 * self._times):
                robot.perform('walk', distance=self._distance)
                robot.perform('greet')
                robot.perform('turn', angle=math.pi)
            robot.wait_for_odometry()
            x, y, _ = robot.position
            robot.perform('idle')
        self.get_logger().info(f'came back to {x:+.3f} m, {y:+.3f} m')


def main() -> int:
    """Run the node; an error is logged, with exit status 1."""
    rclpy.init(args=sys.argv)
    node = Patrol()
    try:
        node.run()
    except SoftshellError as error:
        node.get_logger().error(str(error))
        return 1
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
