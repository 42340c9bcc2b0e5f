"""A node of its own for a single question to a running node, for the command line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.shell import checked_namespace
from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError

#: Number of calls within the time for an answer, where repeating one does no harm.
ATTEMPTS = 4
#: The graph counts as known once it has not changed for this time [s].
SETTLED = 2.0


def kind_of(type_: str) -> Any | None:
    """The class of a type, e.g. of `std_srvs/srv/Trigger`; None if it is not installed here."""
    package, _, name = type_.partition('/srv/')
    try:
        return getattr(import_module(f'{package}.srv'), name)
    except (ImportError, AttributeError):
        return None


class Lone:
    """Asks one node; see `lone`.

    Args:
        node: spun only while an answer is awaited.
        executor: spins it.
    """

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self.node, self._executor = node, executor

    @property
    def namespace(self) -> str:
        """The namespace, which ends in a slash."""
        return str(self.node.get_namespace()).rstrip('/') + '/'

    def services(self) -> Mapping[str, str]:
        """The type of each service in the namespace, by its name there, as far as known now."""
        found = self.node.get_service_names_and_types()
        inside = self.namespace
        return {
            name.removeprefix(inside): types[0]
            for name, types in found
            if name.startswith(inside) and types
        }

    def all_services(self, timeout: float = TIMEOUT) -> Mapping[str, str]:
        """As `services`, once there are some and no more are found.

        Args:
            timeout: longest wait for the first [s, wall].
        """
        end, found, seen_at = monotonic() + timeout, self.services(), monotonic()
        while monotonic() < (seen_at + SETTLED if found else end):
            self._executor.spin_once(timeout_sec=0.1)
            if (now := self.services()) != found:
                found, seen_at = now, monotonic()
        return found

    def type_of(self, service: str, timeout: float = TIMEOUT) -> Any | None:
        """The class of a service, e.g. `std_srvs.srv.Trigger`; None if there is none in time.

        Raises:
            SoftshellError: its type is not installed here.
        """
        end = monotonic() + timeout
        while (name := self.services().get(service)) is None:
            if monotonic() >= end:
                return None
            self._executor.spin_once(timeout_sec=0.05)
        if (kind := kind_of(name)) is None:
            raise SoftshellError(f'{service} is of type {name}, which is not installed here')
        return kind

    def ask(
        self,
        service: str,
        kind: Any,
        request: Any,
        who: str,
        hint: str,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
    ) -> Any:
        """Call one service; arguments, return value and errors as of `servos.ask`.

        Args:
            service, kind, request, who, hint, timeout: as there.
            attempts: number of calls; 1 where repeating one would do harm.

        Raises:
            SoftshellError: there is no such service, or no answer.
        """
        client = self.node.create_client(kind, service)
        if not client.wait_for_service(timeout):
            place = self.node.get_namespace()
            raise SoftshellError(f'no {who} in namespace {place} within {timeout:g} s: {hint}')
        # A service drops its answer to a client that it has not discovered yet, so call it again.
        for _ in range(attempts):
            future = client.call_async(request)
            self._executor.spin_until_future_complete(future, timeout / attempts)
            if future.done():
                return future.result()
        raise SoftshellError(f'{service}: no answer from the {who} within {timeout:g} s')


@contextmanager
def lone(namespace: str) -> Iterator[Lone]:
    """A node for one question, and the end of it.

    Args:
        namespace: namespace of the stack.

    Raises:
        SoftshellError: the namespace is not valid, or ROS cannot be initialised.
    """
    namespace = checked_namespace(namespace)
    context = new_context()
    node = Node(
        'command_line', namespace=namespace, context=context, start_parameter_services=False
    )
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield Lone(node, executor)
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
