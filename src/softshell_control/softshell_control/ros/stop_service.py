"""The service that stops a bridge whatever else it is asked for at the time."""

import threading
import time
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
#: Time from an error of rcl to the next try [s].
RETRY = 0.1
#: After each so many errors in a row, at least 5 s, the bridge is stopped: nobody else can.
MOST_ERRORS = 50


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

    @property
    def _goes_on(self) -> bool:
        return not self._ending and self._node.context.ok()

    def _run(self) -> None:
        """Serve calls until the end, whatever errors rcl has; each row of them is told once."""
        errors = 0
        while self._goes_on:
            try:
                self._serve_next()
                errors = 0
            except Exception:
                if self._goes_on:
                    errors += 1
                    self._tell(errors)
                    time.sleep(RETRY)

    def _serve_next(self) -> None:
        """Wait for a call and answer it, with the same calls as rclpy's executors."""
        wait_set = rclpy_implementation.WaitSet(0, 0, 0, 0, 1, 0, self._node.context.handle)
        wait_set.clear_entities()
        wait_set.add_service(self._service.handle)
        wait_set.wait(LOOK_PERIOD)
        if not wait_set.get_ready_entities('service'):
            return
        request, header = self._service.handle.service_take_request(Trigger.Request)
        if header is not None:
            self._stop(request, lambda response: self._service.send_response(response, header))

    def _stop(self, request: Any, answer: Callable[[Any], None]) -> None:
        try:
            answer(self._serve(request, Trigger.Response()))
        except Exception:  # the next call is served all the same
            told = traceback.format_exc()
            self._node.get_logger().error(f'an emergency stop was not answered:\n{told}')

    def _tell(self, errors: int) -> None:
        """Tell of the first of some errors in a row; stop if there are too many."""
        if errors == 1:
            told = traceback.format_exc()
            self._node.get_logger().error(f'no emergency stop is served, until this ends:\n{told}')
        elif errors % MOST_ERRORS == 0:
            text = 'no emergency stop could be asked for, for too long: the bridge is stopped'
            self._node.get_logger().error(text)
            self._stop(Trigger.Request(), lambda response: None)

    def close(self) -> None:
        """End the thread."""
        self._ending = True
        self._thread.join()
