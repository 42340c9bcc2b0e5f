"""A node of the program's own on the stack's ROS graph, and requests of the stack's nodes."""

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.client import Client
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node

from softshell_client.ros.asking import Asker
from softshell_client.ros.latest import Latest
from softshell_client.ros.peer import Peer
from softshell_kinematics.errors import SoftshellError

_HINT = 'start the stack with ./softshell up, or set the ROS_DOMAIN_ID of the one that runs'


class Connection:
    """A node, and the thread that spins it.

    Args:
        namespace: of the stack.
        timeout: longest wait for a node of the stack to appear [s, wall].
        context: an initialised rclpy context; None: one of its own.

    Attributes:
        node: for publishers, subscriptions and clients.
        timeout: as given.

    Raises:
        SoftshellError: the namespace is not valid.
    """

    def __init__(self, namespace: str, timeout: float, context: Context | None) -> None:
        self._owned = context is None
        self._context = context or Context()
        self.timeout = timeout
        if self._owned:
            # Without arguments: those of a command line, e.g. distance:=0.5, are not ROS's.
            rclpy.init(args=[], context=self._context)
        try:
            self.node = Node(
                'client',
                namespace=namespace,
                context=self._context,
                start_parameter_services=False,
            )
        except InvalidNamespaceException:
            if self._owned:
                self._context.try_shutdown()
            raise SoftshellError(
                f'namespace is {namespace!r}; expected letters, digits and _, levels apart by /'
            ) from None
        self._asker: Asker | None = None

    @property
    def asker(self) -> Asker:
        """Makes requests.

        Raises:
            SoftshellError: the connection is closed.
        """
        if self._asker is None:
            raise SoftshellError('the client is closed')
        return self._asker

    def spin(self) -> None:
        """Begin to spin: once publishers, subscriptions and clients are made."""
        self._asker = Asker(self.node, self._context)

    def close(self, let_go: Callable[[], object]) -> None:
        """End the thread and the node; the stack goes on.

        Args:
            let_go: called once nothing spins and before the node is destroyed: where what the node
                does not destroy by itself is destroyed.
        """
        if self._asker is None:
            return
        self._asker.close()
        self._asker = None
        let_go()
        self.node.destroy_node()
        if self._owned:
            self._context.try_shutdown()

    def find(self, peer: Peer, ready: Callable[[], bool]) -> None:
        """Return once a node of the stack is there and can be asked.

        Raises:
            SoftshellError: not within `timeout`; tells in which namespaces there is one.
        """
        self.asker.check()
        if peer.wait(ready, self.timeout):
            return
        self.asker.check()
        if peer.identities():
            raise SoftshellError(
                f'the {peer.name} in namespace {self.node.get_namespace()} was not ready within '
                f'{self.timeout:g} s: its log says what it waits for'
            )
        elsewhere = ', '.join(peer.elsewhere())
        hint = f'there is one in namespace {elsewhere}' if elsewhere else _HINT
        raise SoftshellError(
            f'no {peer.name} in namespace {self.node.get_namespace()} within '
            f'{self.timeout:g} s: {hint}'
        )

    def call(self, peer: Peer, client: Client, request: Any, in_time: bool = False) -> Any:
        """The answer of a service.

        Args:
            peer: the node that serves it.
            client: of the service.
            request: the message.
            in_time: the answer must come within `timeout`; else it may take as long as it takes.

        Raises:
            ServerGoneError: the node ended before it answered.
            SoftshellError: the node is not there, or its answer did not come in time.
        """
        self.find(peer, client.service_is_ready)
        name = client.srv_name.rpartition('/')[2]
        still_there = peer.watch(name)
        end = time.monotonic() + self.timeout

        async def ask() -> Any:
            return await client.call_async(request)

        def check() -> None:
            still_there()
            if in_time and time.monotonic() > end:
                raise SoftshellError(
                    f'{name}: no answer of the {peer.name} within {self.timeout:g} s'
                )

        return self.asker.ask(ask).answer(check)

    def first(self, topic: Latest, timeout: float, hint: str = 'is a bridge running?') -> Any:
        """The newest message of a topic of the bridge, once there is one.

        Args:
            topic: of the bridge.
            timeout: [s, wall].
            hint: what to look at if none comes.

        Raises:
            SoftshellError: none within `timeout` [s, wall].
        """
        if topic.wait(timeout):
            return topic.message
        raise SoftshellError(f'no {topic.name} within {timeout:g} s: {hint}')
