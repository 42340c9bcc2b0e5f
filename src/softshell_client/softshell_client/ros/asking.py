"""Requests to other nodes, made by a node that a thread of its own spins."""

import threading
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from softshell_common.ros.line import Line
from softshell_kinematics.errors import SoftshellError

Answer = TypeVar('Answer')

#: Time between two checks whether the server still lives [s].
LOOK_PERIOD = 0.2


class Question(Generic[Answer]):
    """A request that was made and may not be answered yet.

    Args:
        asker: spins the node that makes the request.
        request: a coroutine function that makes the request and returns the answer; awaited in
            the spinning thread.
        check: called repeatedly while there is no answer; raises SoftshellError if none can come.
    """

    def __init__(
        self,
        asker: 'Asker',
        request: Callable[[], Awaitable[Answer]],
        check: Callable[[], None],
    ) -> None:
        self._asker, self._check = asker, check
        self._answer: Future[Answer] = Future()
        self._problem: SoftshellError | None = None

        ticket = asker.line.ask()

        async def carry_out() -> None:
            await asker.line.begin(ticket)
            try:
                self._answer.set_result(await request())
            except Exception as error:
                self._answer.set_exception(error)

        task = asker.executor.create_task(carry_out)

        def give_up() -> None:
            task.cancel()
            asker.line.leave(ticket)

        self._give_up = give_up

    def done(self) -> bool:
        """Whether it has ended, with an answer or an error: `answer` then does not wait."""
        if self._answer.done() or self._problem is not None:
            return True
        self._problem = self._found()
        if self._problem is not None:
            self._asker.do(self._give_up)
        return self._problem is not None

    def _found(self) -> SoftshellError | None:
        """The error for which no answer can come; None if one can.

        Raises:
            RuntimeError: rclpy failed although ROS was not shut down.
        """
        try:
            self._asker.check()
            try:
                self._check()
            except RuntimeError:  # rclpy raises it if ROS is shut down meanwhile, e.g. by a signal
                self._asker.check()
                raise
        except SoftshellError as problem:
            return problem
        return None

    def answer(self) -> Answer:
        """Wait for the answer, and return it or raise its error.

        Raises:
            ServerGoneError: the node ended before it answered.
            SoftshellError: the node refused, did not answer in time, or ROS was shut down.
        """
        # A bounded wait keeps Ctrl-C deliverable.
        while self._problem is None and not wait([self._answer], LOOK_PERIOD).done:
            self.done()
        if self._problem is not None and not self._answer.done():
            raise self._problem
        return self._answer.result()


class Asker:
    """Spins a node in a thread, and makes requests in that thread, in order.

    Made in another thread, a request could be answered before rclpy has noted it, and the answer
    would be lost. An exception of a callback of the node is logged; spinning goes on.

    Args:
        node: the node to spin.
        context: rclpy context of the node.

    Attributes:
        executor: runs the node's callbacks and the requests.
        line: keeps the requests in order.
    """

    def __init__(self, node: Node, context: Context) -> None:
        self._node, self._context = node, context
        self.executor = SingleThreadedExecutor(context=context)
        self.line = Line()
        self.executor.add_node(node)
        self._running = True
        self._thread = threading.Thread(target=self._spin, name='softshell client', daemon=True)
        self._thread.start()

    def ask(
        self,
        request: Callable[[], Awaitable[Answer]],
        check: Callable[[], None],
    ) -> Question[Answer]:
        """Begin a request.

        Args:
            request, check: see `Question`.

        Raises:
            SoftshellError: ROS was shut down; or this was called in a callback of the node, which
                would block the thread that has to receive the answer.
        """
        if threading.current_thread() is self._thread:
            raise SoftshellError(
                'a callback of the node asks and waits, but the answer can only come after the '
                'callback has returned; ask from another thread'
            )
        self.check()
        return Question(self, request, check)

    def do(self, action: Callable[[], object]) -> None:
        """Call a function in the spinning thread, without waiting; does nothing once closed."""
        if self._running:
            self.executor.create_task(action)

    def check(self) -> None:
        """Check that answers can come.

        Raises:
            SoftshellError: ROS was shut down, or this was closed.
        """
        if not (self._running and self._thread.is_alive() and self._context.ok()):
            raise SoftshellError('ROS was shut down in this program, or the client was closed')

    def close(self) -> None:
        """End the thread."""
        self._running = False
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self.executor.shutdown()

    def _spin(self) -> None:
        while self._running and self._context.ok():
            try:
                self.executor.spin_once(timeout_sec=0.1)
            except ExternalShutdownException:
                return
            except Exception:
                self._node.get_logger().error(f'a callback failed:\n{traceback.format_exc()}')
