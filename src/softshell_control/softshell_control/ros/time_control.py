"""The services that pause the time of a simulation."""

import math
from concurrent.futures import Future
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from softshell_common.bridge_mode import BridgeMode
from softshell_common.ros.qos import SERVICE
from softshell_control.bridge import BridgeCore
from softshell_control.ros.requests import answer
from softshell_interfaces.srv import StepTime
from softshell_kinematics.errors import SoftshellError

#: Longest time that one call of `~/step` lets pass [s].
LONGEST = 3600.0


class TimeControl:
    """`~/pause`, `~/resume` and `~/step` of a bridge that is the clock of its stack.

    Args:
        node: offers the services.
        core: carries them out.
    """

    def __init__(self, node: Node, core: BridgeCore) -> None:
        self._node, self._core = node, core
        self._ended: list[tuple[RosFuture, Future[str]]] = []
        # The control loop reports ends in its own thread; calls belong to the executor's thread.
        self._wake = node.create_guard_condition(self._tell)
        for change in (core.flow.pause, core.flow.resume):
            name = f'~/{change.__name__}'
            serve = answer(node, core, change)
            node.create_service(Trigger, name, serve, qos_profile=SERVICE)
        node.create_service(
            StepTime,
            '~/step',
            self._step,
            qos_profile=SERVICE,
            # In the node's own group no other callback would run until time has passed.
            callback_group=ReentrantCallbackGroup(),
        )

    async def _step(self, request: Any, response: Any) -> Any:
        """Answer when the time has passed; other calls are served in between."""
        duration = request.duration
        if not 0.0 < duration <= LONGEST:
            response.message = (
                f'duration is {duration} s; expected more than 0, up to {LONGEST:g} s'
            )
            return response
        periods = math.ceil(duration / self._core.period - 1e-9)
        passed = RosFuture()

        def begin() -> str:
            done = self._core.flow.step(periods)
            done.add_done_callback(lambda ended: self._end(passed, ended))
            return ''

        begun = self._core.request(begin)
        begun.add_done_callback(
            lambda started: self._end(passed, started) if started.exception() else None
        )
        ended = await passed
        try:
            ended.result()
            response.message = f'{periods * self._core.period:g} s have passed'
            if self._core.mode in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP):
                response.message += f', in mode {self._core.mode.name}'
            response.success = True
        except SoftshellError as error:
            response.message = str(error)
        return response

    def _end(self, call: RosFuture, ended: 'Future[str]') -> None:
        self._ended.append((call, ended))
        self._wake.trigger()

    def _tell(self) -> None:
        while self._ended:
            call, ended = self._ended.pop(0)
            call.set_result(ended)
