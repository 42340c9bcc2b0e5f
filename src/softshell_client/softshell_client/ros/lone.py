"""A node of its own for a single question to a running node, for the command line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic
from typing import Any

from rcl_interfaces.srv import ListParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.parameter import Parameter
from rclpy.task import Future

from softshell_client.errors import ServerGoneError
from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.shell import checked_namespace
from softshell_common.discovery import DISCOVERY
from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError

#: Number of calls within the time for an answer, where repeating one does no harm.
ATTEMPTS = 4
#: The graph counts as known once it has not changed for this time [s].
SETTLED = DISCOVERY
#: Longest time from Ctrl-C to its effect [s].
SLICE = 0.1


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

    def inside(self, name: str) -> str:
        """The name in the namespace, e.g. `bridge/reset`, of `/one/bridge/reset`."""
        return name.removeprefix(self.namespace).strip('/')

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
            self._executor.spin_once(timeout_sec=SLICE)
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
            attempts: number of calls; 1 where repeating one would do harm. The answer to that one
                is awaited for as long as the service is there.

        Raises:
            ServerGoneError: the service ended before it answered.
            SoftshellError: there is no such service, or no answer to several calls in time.
        """
        client = self.node.create_client(kind, service)
        if not client.wait_for_service(timeout):
            place = self.node.get_namespace()
            raise SoftshellError(f'no {who} in namespace {place} within {timeout:g} s: {hint}')
        # A service drops its answer to a client that it has not discovered yet: call it again, or
        # only once it has.
        if attempts == 1:
            self._meet(service)
        begin, futures = monotonic(), list[Future]()
        while attempts == 1 or monotonic() < begin + timeout:
            due = 1 + int((monotonic() - begin) * attempts / timeout)
            if len(futures) < min(due, attempts):
                futures.append(client.call_async(request))
            is_there = client.service_is_ready()
            self._executor.spin_once(timeout_sec=SLICE)
            for future in futures:
                if future.done():
                    return future.result()
            if not is_there:
                raise ServerGoneError(service, who)
        told = f'no answer from the {who} within {timeout:g} s; it may have been done'
        raise SoftshellError(f'{service}: {told}')

    def _meet(self, service: str) -> None:
        """Return once the node that offers a service knows the clients that this one has.

        Nodes learn of them in order: it has answered one that was made later. Else they know each
        other after `DISCOVERY`.
        """
        end = monotonic() + DISCOVERY
        while (listing := self._listing(service)) is None:
            if monotonic() >= end:
                return
            self._executor.spin_once(timeout_sec=0.05)
        with suppress(SoftshellError):
            self.ask(listing, ListParameters, ListParameters.Request(), '', '', DISCOVERY)

    def _listing(self, service: str) -> str | None:
        """The service that lists the parameters of the node that offers a service, if known."""
        for name, place in self.node.get_node_names_and_namespaces():
            try:
                offered = dict(self.node.get_service_names_and_types_by_node(name, place))
            except NodeNameNonExistentError:  # it has just ended
                continue
            listing = f'{place.rstrip("/")}/{name}/list_parameters'
            if self.namespace + service in offered and listing in offered:
                return listing
        return None


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
        'command_line',
        namespace=namespace,
        context=context,
        start_parameter_services=False,
        # What it offers itself would count as found.
        parameter_overrides=[Parameter('start_type_description_service', value=False)],
    )
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield Lone(node, executor)
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
