"""The service that stops a bridge whatever else it is asked for at the time."""

import threading
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from std_srvs.srv import Trigger

from softshell_common.ros.qos import SERVICE
from softshell_common.ros.unattended import Unattended

#: Time between two checks whether the thread is to end, while nobody calls [ns].
LOOK_PERIOD = 100_000_000


class StopService:
    """`~/emergency_stop`, served by a thread of its own.

    The node's executor waits while the control loop carries out another service, such as
    `~/activate`; that is interrupted.

    Args:
        node: offers the service.
        serve: stops; takes and returns the response, after the request.
    """

    def __init__(self, node: Node, serve: Callable[[Any, Any], Any]) -> None:
        self._node, self._serve = node, serve
        name, group = '~/emergency_stop', Unattended()
        self._service = node.create_service(
            Trigger, name, serve, qos_profile=SERVICE, callback_group=group
        )
        self._ending = False
        self._thread = threading.Thread(target=self._run, name='emergency stop', daemon=True)
        self._thread.start()

    def _run(self) -> None:
        """Wait for calls and answer them, with the same calls as rclpy's executors."""
        context = self._node.context
        wait_set = rclpy_implementation.WaitSet(0, 0, 0, 0, 1, 0, context.handle)
        while not self._ending and context.ok():
            wait_set.clear_entities()
            wait_set.add_service(self._service.handle)
            wait_set.wait(LOOK_PERIOD)
            if not wait_set.get_ready_entities('service'):
                continue
            request, header = self._service.handle.service_take_request(Trigger.Request)
            if header is None:
                continue
            try:
                self._service.send_response(self._serve(request, Trigger.Response()), header)
            except Exception:  # the next call is served all the same
                told = traceback.format_exc()
                self._node.get_logger().error(f'an emergency stop was not answered:\n{told}')

    def close(self) -> None:
        """End the thread."""
        self._ending = True
        self._thread.join()
