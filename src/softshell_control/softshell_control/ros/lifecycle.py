"""The services that activate, stop and reset a bridge."""

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger

from softshell_common.ros.qos import SERVICE
from softshell_control.bridge import BridgeCore
from softshell_control.ros.requests import answer
from softshell_control.ros.stop_service import StopService

Serve = Callable[[Any, Any], Any]
#: After a stop in the middle of another service, a reset is refused for so long [s]: it may have
#: been asked for before, and have waited.
STALE = 0.5


class Lifecycle:
    """`~/activate`, `~/deactivate`, `~/clear_fault`, `~/emergency_stop` and `~/reset`.

    Args:
        node: offers the services; its executor waits while the control loop carries one out, but
            not with an emergency stop.
        core: carries them out.
        on_reset: called after a reset.
    """

    def __init__(self, node: Node, core: BridgeCore, on_reset: Callable[[], None]) -> None:
        self._serving, self._stopped = False, -math.inf
        stop = answer(node, core, core.emergency_stop, must=True, stops=True)
        services = {
            'activate': answer(node, core, core.activate),
            'deactivate': answer(node, core, core.deactivate, stops=True),
            'clear_fault': answer(node, core, core.clear_fault),
            'reset': self._unless_stale(answer(node, core, core.reset, then=on_reset)),
        }
        for name, serve in services.items():
            node.create_service(Trigger, f'~/{name}', self._noted(serve), qos_profile=SERVICE)
        self._stop = StopService(node, self._stopping(stop))

    def close(self) -> None:
        """Serve no emergency stop any more."""
        self._stop.close()

    def _stopping(self, serve: Serve) -> Serve:
        """A callback before which others may wait, which are to come to nothing."""

        def stopping(request: Any, response: Any) -> Any:
            if not self._serving:
                return serve(request, response)
            self._stopped = math.inf
            try:
                return serve(request, response)
            finally:
                self._stopped = time.monotonic()

        return stopping

    def _noted(self, serve: Serve) -> Serve:
        """A callback during which others wait."""

        def noted(request: Any, response: Any) -> Any:
            self._serving = True
            try:
                return serve(request, response)
            finally:
                self._serving = False

        return noted

    def _unless_stale(self, serve: Serve) -> Serve:
        """A callback that may have waited while the robot was stopped."""

        def unless_stale(request: Any, response: Any) -> Any:
            if time.monotonic() - self._stopped > STALE:
                return serve(request, response)
            response.message = 'an emergency stop came while this waited; expected it once more'
            return response

        return unless_stale
