"""The kinematics node: solve_ik, solve_fk and solve_body_ik of the robot's chains."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from softshell_common.parameters import declare, parameter
from softshell_common.run import run
from softshell_description.model import load_robot
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.requests import RefusalError
from softshell_kinematics.service import KinematicsService
from softshell_kinematics.solution import IkOptions


@dataclass(frozen=True)
class Parameters:
    """Defaults of the search."""

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
    """Parameters and wiring; `KinematicsService` answers."""

    def __init__(self) -> None:
        super().__init__('kinematics')
        parameters = declare(self, Parameters, self._configure)
        begin = time.perf_counter()
        self._service = KinematicsService(load_robot(), _options(parameters))
        self._service.warm_up()
        for kind, name, serve in (
            (SolveIK, 'solve_ik', self._service.solve_ik),
            (SolveFK, 'solve_fk', self._service.solve_fk),
            (SolveBodyIK, 'solve_body_ik', self._service.solve_body_ik),
        ):
            self.create_service(kind, name, self._guarded(kind, name, serve))
        chains = ', '.join(self._service.robot.chains)
        self.get_logger().info(f'ready after {time.perf_counter() - begin:.2f} s: {chains}')

    def _configure(self, parameters: Parameters) -> None:
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
