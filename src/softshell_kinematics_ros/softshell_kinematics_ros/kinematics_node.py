"""The kinematics node: solve_ik, solve_fk and solve_body_ik of any robot's chains."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from rclpy.service import Service
from std_msgs.msg import String

from softshell_common.ros import qos
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.solution import IkOptions
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_kinematics.warm_up import warm_up
from softshell_kinematics_ros.chains import read_chains
from softshell_kinematics_ros.requests import RefusalError
from softshell_kinematics_ros.service import KinematicsService


@dataclass(frozen=True)
class Parameters:
    """The robot, its chains, and the defaults of the search."""

    robot_description: str = parameter('', 'URDF; empty: that of the topic robot_description')
    base: str = parameter('', 'link from which chains to all leaves start; empty: the root')
    chains: str = parameter(
        '', 'chains as `NAME BASE TIP, NAME BASE TIP ...`; empty: from the base to every leaf'
    )
    tolerance: float = parameter(
        1e-8, 'weighted residual that counts as solved [m] and [rad]', 1e-12, 1e-1, live=True
    )
    max_iterations: int = parameter(60, 'steps tried from one seed', 1, 10000, live=True)
    restarts: int = parameter(
        20, 'further seeds tried where a search fails, not along a warm-started path',
        0, 1000, live=True,
    )  # fmt: skip
    position_weight: float = parameter(
        1.0, 'weight of x, y, z in the residual [1/m]', 1e-3, 1e3, live=True
    )
    rotation_weight: float = parameter(
        1.0, 'weight of the angles in the residual [1/rad]', 1e-3, 1e3, live=True
    )


class KinematicsNode(Node):
    """Parameters and wiring; `KinematicsService` answers.

    The services appear once the robot is known: from the parameter `robot_description`, else from
    the latched topic of that name. A new description on the topic replaces the robot.
    """

    def __init__(self) -> None:
        super().__init__('kinematics')
        self._settings = declare(self, Parameters, self._configure)
        begin = time.perf_counter()
        warm_up()
        self.get_logger().info(f'solvers ready after {time.perf_counter() - begin:.2f} s')
        self._service: KinematicsService | None = None
        self._served: list[Service] = []
        if self._settings.robot_description:
            self._serve(self._settings.robot_description)
        else:
            self.create_subscription(
                String, 'robot_description', self._on_description, qos.LATCHED
            )

    def _on_description(self, message: String) -> None:
        try:
            self._serve(message.data)
        except SoftshellError as error:
            self.get_logger().error(f'robot_description is of no use: {error}')

    def _serve(self, text: str) -> None:
        """Answer for the robot of a URDF."""
        urdf = parse_urdf(text)
        chains = read_chains(urdf, self._settings.chains, self._settings.base)
        self._service = service = KinematicsService(urdf, chains, _options(self._settings))
        service.warm_up()
        for old in self._served:
            self.destroy_service(old)
        self._served = [
            self.create_service(kind, name, self._guarded(kind, name, answer))
            for kind, name, answer in (
                (SolveIK, 'solve_ik', service.solve_ik),
                (SolveFK, 'solve_fk', service.solve_fk),
                (SolveBodyIK, 'solve_body_ik', service.solve_body_ik),
            )
        ]
        self.get_logger().info(f'{urdf.name}: {", ".join(service.chains)}')

    def _configure(self, parameters: Parameters) -> None:
        self._settings = parameters
        if self._service is not None:
            self._service.options = _options(parameters)

    def _guarded(self, kind: Any, name: str, serve: Callable) -> Callable:
        """Whatever a request holds, it gets an answer and the node lives on."""

        def answer(request: Any, response: Any) -> Any:
            try:
                return serve(request, response)
            except RefusalError as refusal:
                status, message = refusal.status, str(refusal)
            except Exception as error:
                self.get_logger().error(f'{name}: {traceback.format_exc()}')
                status, message = kind.Response.INTERNAL_ERROR, f'internal error: {error}'
            self.get_logger().warning(f'{name} refused: {message}', throttle_duration_sec=1.0)
            return kind.Response(status=status, message=message)

        return answer


def _options(parameters: Parameters) -> IkOptions:
    return IkOptions(
        tolerance=parameters.tolerance,
        max_iterations=parameters.max_iterations,
        restarts=parameters.restarts,
        position_weight=parameters.position_weight,
        rotation_weight=parameters.rotation_weight,
    )


def main() -> int:
    """Run the node."""
    return run(KinematicsNode)
