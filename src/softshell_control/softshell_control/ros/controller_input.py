"""`controller_command`: runs of the bridge's controllers, and new references for them."""

from rclpy.node import Node

from softshell_common.reason import texts
from softshell_common.ros.qos import ORDERS
from softshell_control.bridge import BridgeCore
from softshell_control.controller import (
    Instruction,
    check_run,
    controllers_of,
    reference_problems,
    repeated,
)
from softshell_control.ros.messages import read_after
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.trajectory import UNNAMED, Identity
from softshell_description.model import RobotModel
from softshell_interfaces.msg import ControllerCommand
from softshell_kinematics.errors import UnknownNameError


class ControllerInput:
    """Hands commands of controllers to the control loop.

    Args:
        node: listens.
        robot: names its controllers; if it has none there is no topic.
        core: of the control loop.
    """

    def __init__(self, node: Node, robot: RobotModel, core: BridgeCore) -> None:
        self._node, self._core = node, core
        self._controllers = controllers_of(robot, core.limits, core.period)
        core.follower.controllers = tuple(self._controllers.values())
        if self._controllers:
            node.create_subscription(
                ControllerCommand, 'controller_command', self._on_command, ORDERS
            )

    def _on_command(self, message: ControllerCommand) -> None:
        identity = Identity(message.sender or UNNAMED, bytes(message.id.uuid))
        references = {entry.name: entry.value for entry in message.references}
        twice = repeated([entry.name for entry in message.references])
        if message.request == ControllerCommand.BEGIN:
            run = check_run(
                identity,
                message.controller,
                references,
                message.queue,
                self._controllers,
                read_after(message.after),
            )
            self._core.offer(Refusal(identity, twice) if twice else run)
            return
        if message.request == ControllerCommand.FINISH:
            self._core.offer(Instruction(identity, finish=True))
            return
        controller = self._controllers.get(message.controller)
        if controller is None:
            error = UnknownNameError('controller', message.controller, self._controllers)
            self._refuse(str(error))
            return
        problems = (*twice, *reference_problems(controller, references))
        if problems:
            self._refuse(f'{message.controller}: {"; ".join(texts(problems))}')
            return
        self._core.offer(Instruction(identity, references, controller=controller))

    def _refuse(self, text: str) -> None:
        self._node.get_logger().warning(
            f'controller_command refused: {text}', throttle_duration_sec=1.0
        )
