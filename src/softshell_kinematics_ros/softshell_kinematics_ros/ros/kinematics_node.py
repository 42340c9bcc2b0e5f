"""The kinematics node: solve_ik, solve_fk and solve_body_ik of any robot's chains."""

import dataclasses
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from softshell_common.ros import qos
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics.warm_up import warm_up
from softshell_kinematics_ros.chains import check_form, left_out, read_chains
from softshell_kinematics_ros.ros.requests import RefusalError
from softshell_kinematics_ros.ros.service import KinematicsService
from softshell_kinematics_ros.slices import Slices, Turns

OPTIONS = {each.name: each for each in dataclasses.fields(IkOptions)}


def search_parameter(name: str) -> Any:
    """An option of the search as a live parameter: default, meaning and range are `IkOptions`'."""
    option = OPTIONS[name]
    low, high = option.metadata['range']
    return parameter(option.default, option.metadata['meaning'], low, high, live=True)


@dataclass(frozen=True)
class Parameters:
    """The robot, its chains, and the default options of the search."""

    robot_description: str = parameter('', 'URDF; empty: that of the topic robot_description')
    base: str = parameter(
        '', 'link from which chains to all leaves start; empty: the root, and for what hangs on a '
        'floating or planar joint its child link',
    )  # fmt: skip
    chains: str = parameter(
        '', 'chains as `NAME BASE TIP, NAME BASE TIP ...`; empty: from the base to every leaf'
    )
    tolerance: float = search_parameter('tolerance')
    max_iterations: int = search_parameter('max_iterations')
    restarts: int = search_parameter('restarts')
    position_weight: float = search_parameter('position_weight')
    rotation_weight: float = search_parameter('rotation_weight')
    threads: int = search_parameter('threads')


class KinematicsNode(Node):
    """Parameters and wiring; `KinematicsService` answers.

    The services appear once the robot is known: from the parameter `robot_description`, else from
    the latched topic of that name. A new description on the topic replaces the robot.
    """

    def __init__(self) -> None:
        super().__init__('kinematics')
        self._settings = declare(self, Parameters, self._configure)
        if self._settings.robot_description:
            urdf = parse_urdf(self._settings.robot_description)
            read_chains(urdf, self._settings.chains, self._settings.base)
        else:
            check_form(self._settings.chains)
        self._warm_up()
        self._service: KinematicsService | None = None
        self._turns = Turns(self._wake)
        if self._settings.robot_description:
            self._serve(self._settings.robot_description)
        else:
            self.create_subscription(
                String, 'robot_description', self._on_description, qos.LATCHED
            )

    def _warm_up(self) -> None:
        """Load the solvers or, the first time, compile them: the log tells how far that is."""
        log = self.get_logger()
        took = warm_up(
            lambda text: log.info(f'compiling the solvers, once on this machine: {text}')
        )
        log.info(f'solvers ready after {took:.2f} s')

    def _on_description(self, message: String) -> None:
        try:
            self._serve(message.data)
        except SoftshellError as error:
            self.get_logger().error(f'robot_description is refused: {error}')

    def _serve(self, text: str) -> None:
        """Answer for the robot of a URDF from now on.

        Raises:
            SoftshellError: the URDF or a chain is wrong, or there is no chain.
        """
        urdf = parse_urdf(text)
        chains = read_chains(urdf, self._settings.chains, self._settings.base)
        if said := left_out(urdf, self._settings.chains, self._settings.base):
            self.get_logger().warning(said)
        service = KinematicsService(urdf, chains, _options(self._settings))
        service.warm_up()
        first = self._service is None
        self._service = service
        if first:
            # A request can be taken up while others are being solved in slices.
            group = ReentrantCallbackGroup()
            for kind, name, task in (
                (SolveIK, 'solve_ik', KinematicsService.solve_ik),
                (SolveFK, 'solve_fk', KinematicsService.solve_fk),
                (SolveBodyIK, 'solve_body_ik', KinematicsService.solve_body_ik),
            ):
                answer = self._guarded(kind, name, task)
                self.create_service(
                    kind, name, answer, qos_profile=qos.SERVICE, callback_group=group
                )
        self.get_logger().info(f'{urdf.name}: {", ".join(service.chains)}')

    def _configure(self, parameters: Parameters) -> None:
        self._settings = parameters
        if self._service is not None:
            self._service.options = _options(parameters)

    def _guarded(
        self, kind: Any, name: str, task: Callable[..., Slices]
    ) -> Callable[[Any, Any], Awaitable[Any]]:
        """A callback that answers every request, also one that a task refuses or fails on."""

        async def answer(request: Any, response: Any) -> Any:
            try:
                begin = time.monotonic()
                await self._turns.run(task(self._service, request, response))
                took = time.monotonic() - begin
                self.get_logger().debug(f'{name} answered after {1e3 * took:.2f} ms')
                return response
            except RefusalError as refusal:
                status, message = refusal.status, str(refusal)
            except Exception as error:
                self.get_logger().error(f'{name}: {traceback.format_exc()}')
                status, message = kind.Response.INTERNAL_ERROR, f'internal error: {error}'
            self.get_logger().warning(f'{name} refused: {message}', throttle_duration_sec=1.0)
            return kind.Response(status=status, message=message)

        return answer

    def _wake(self) -> None:
        if self.executor is not None:
            self.executor.wake()


def _options(parameters: Parameters) -> IkOptions:
    values = dataclasses.asdict(parameters)
    return IkOptions(**{name: value for name, value in values.items() if name in OPTIONS})


def main() -> int:
    """Run the node."""
    return run(KinematicsNode)
