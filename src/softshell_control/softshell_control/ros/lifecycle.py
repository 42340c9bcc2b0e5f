"""The services that activate, stop and reset a bridge."""

from collections.abc import Callable

from rclpy.node import Node
from std_srvs.srv import Trigger

from softshell_common.ros.qos import SERVICE
from softshell_control.bridge import BridgeCore
from softshell_kinematics.errors import SoftshellError

#: A control loop that has not answered for so long is stuck [s].
PATIENCE = 5.0


class Lifecycle:
    """`~/activate`, `~/deactivate`, `~/clear_fault`, `~/emergency_stop` and `~/reset`.

    Args:
        node: offers the services; its executor waits while the control loop carries one out.
        core: carries them out.
        on_reset: called after a reset.
    """

    def __init__(self, node: Node, core: BridgeCore, on_reset: Callable[[], None]) -> None:
        self._node, self._core, self._on_reset = node, core, on_reset
        for change in (
            core.activate,
            core.deactivate,
            core.clear_fault,
            core.emergency_stop,
            core.reset,
        ):
            name = f'~/{change.__name__}'
            node.create_service(Trigger, name, self._server(change), qos_profile=SERVICE)

    def _server(
        self, change: Callable[[], str]
    ) -> Callable[[Trigger.Request, Trigger.Response], Trigger.Response]:
        def serve(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            answer = self._core.request(change)
            try:
                response.message = answer.result(PATIENCE)
                response.success = True
                if change == self._core.reset:
                    self._on_reset()
            except SoftshellError as error:
                response.message = str(error)
            except TimeoutError:
                response.message = f'the control loop has not answered for {PATIENCE:g} s'
                if change == self._core.emergency_stop:
                    response.message += '; it stops as soon as it does'
                else:
                    answer.cancel()  # what nobody waits for any more is not done later
            except Exception as error:
                self._node.get_logger().error(f'{change.__name__}: {error!r}')
                response.message = f'{type(error).__name__}: {error}'
            log = self._node.get_logger()
            # One call site for each severity, as rclpy wants it.
            if response.success:
                log.info(f'{change.__name__}: {response.message}')
            else:
                log.warning(f'{change.__name__} failed: {response.message}')
            return response

        return serve
