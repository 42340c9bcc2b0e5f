"""The services that activate, stop and reset a bridge."""

from collections.abc import Callable

from rclpy.node import Node
from std_srvs.srv import Trigger

from softshell_common.ros.qos import SERVICE
from softshell_control.bridge import BridgeCore
from softshell_control.ros.requests import answer


class Lifecycle:
    """`~/activate`, `~/deactivate`, `~/clear_fault`, `~/emergency_stop` and `~/reset`.

    Args:
        node: offers the services; its executor waits while the control loop carries one out.
        core: carries them out.
        on_reset: called after a reset.
    """

    def __init__(self, node: Node, core: BridgeCore, on_reset: Callable[[], None]) -> None:
        services = {
            'activate': answer(node, core, core.activate),
            'deactivate': answer(node, core, core.deactivate),
            'clear_fault': answer(node, core, core.clear_fault),
            'emergency_stop': answer(node, core, core.emergency_stop, must=True),
            'reset': answer(node, core, core.reset, then=on_reset),
        }
        for name, serve in services.items():
            node.create_service(Trigger, f'~/{name}', serve, qos_profile=SERVICE)
