"""Services whose calls the control loop carries out."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from rclpy.node import Node

from softshell_control.bridge import BridgeCore
from softshell_kinematics.errors import SoftshellError

#: A request that the control loop has not begun after so long is given up [s].
PATIENCE = 5.0
#: A request that it has begun may take so much longer [s]; it cannot be cancelled any more.
LONGEST = 30.0
#: Longest wait until the bridge has reported what it did [s].
REPORTED = 1.0
#: Time between two looks whether the bridge ends [s].
LOOK_PERIOD = 0.1


def carry_out(
    node: Node,
    core: BridgeCore,
    name: str,
    change: Callable[[], str],
    must: bool = False,
    query: bool = False,
    stops: bool = False,
) -> tuple[bool, str]:
    """Have the control loop do something, wait for it, and log the result.

    Args:
        node: its log.
        core: of the control loop.
        name: of what is done, for people.
        change: does it, and says what it did.
        must: whether it is still done after the caller has given up waiting.
        query: whether it only reads; then only a failure is logged.
        stops: whether what the control loop is carrying out is interrupted for it.

    Returns:
        Whether it was done, and what was done, or why not.
    """
    request, done = core.request(change, stops), False
    try:
        text = _result(core, request, must)
        done = True
    except SoftshellError as error:
        text = str(error)
    except Exception as error:
        node.get_logger().error(f'{name}: {error!r}')
        text = f'{type(error).__name__}: {error}'
    # One call site for each severity, as rclpy wants it.
    if not done:
        node.get_logger().warning(f'{name} failed: {text}')
    elif not query:
        node.get_logger().info(f'{name}: {text}')
    return done, text


def _result(core: BridgeCore, request: 'Future[str]', must: bool) -> str:
    """The result of a request; it is cancelled if the control loop does not begin in time.

    Raises:
        SoftshellError: it refused, or has not answered for too long, or the bridge ends.
        Exception: that of the request.
    """

    def gives_up() -> bool:
        return core.ending and not must

    if _has_ended(request, PATIENCE, gives_up):
        return request.result()
    late = f'the control loop has not answered for {PATIENCE:g} s'
    if must:
        raise SoftshellError(f'{late}; the robot stops as soon as it does')
    if request.cancel():
        raise SoftshellError('the bridge is ending' if core.ending else late)
    if _has_ended(request, LONGEST, gives_up):
        return request.result()
    if core.ending:
        raise SoftshellError('the bridge is ending')
    raise SoftshellError(
        f'the control loop has not finished this within {LONGEST:g} s, and goes on with it; '
        'look at the state of the bridge later'
    )


def _has_ended(request: 'Future[str]', seconds: float, gives_up: Callable[[], bool]) -> bool:
    """Wait for a request; unlike that of `result`, its own TimeoutError is not mistaken."""
    latest = time.monotonic() + seconds
    while (left := latest - time.monotonic()) > 0.0 and not gives_up():
        if wait((request,), min(left, LOOK_PERIOD)).done:
            break
    return request.done()


def answer(
    node: Node,
    core: BridgeCore,
    change: Callable[[], str],
    must: bool = False,
    then: Callable[[], None] = lambda: None,
    stops: bool = False,
) -> Callable[[Any, Any], Any]:
    """The callback of a service without arguments, named after what it calls.

    Args:
        node, core, change, must, stops: see `carry_out`.
        then: called after it was done.
    """

    def serve(request: Any, response: Any) -> Any:
        name = change.__name__
        done = carry_out(node, core, name, change, must, stops=stops)
        response.success, response.message = done
        if response.success:
            then()
            # By the next tick the new mode has been published: who hears of it by that report and
            # who is answered here know the same.
            _has_ended(core.request(lambda: ''), REPORTED, lambda: core.ending)
        return response

    return serve
