"""Requests to the stack's nodes, from a node of the program's own."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.client import Client
from rclpy.node import Node

from softshell_client.ros.asking import Asker, Question
from softshell_client.ros.peer import Peer
from softshell_kinematics.errors import SoftshellError

#: Longest wait for something that needs no motion [s, wall]: a node of the stack, the first
#: message of a topic, an answer.
TIMEOUT = 10.0
#: Once a node takes requests, all of its services are discovered within this time [s, wall].
OFFER_TIME = 3.0
#: What to do where no node answers.
HINT = 'start the stack with ./softshell up, or set the ROS_DOMAIN_ID of the one that runs'


class Connection:
    """A node that a thread spins, and requests that are made in that thread.

    Args:
        node: a node with all its publishers, subscriptions and clients.
        timeout: longest wait for a node of the stack to appear [s, wall].

    Attributes:
        timeout: longest wait for a node of the stack to appear [s, wall].
    """

    def __init__(self, node: Node, timeout: float) -> None:
        self._node = node
        self.timeout = timeout
        self._asker: Asker | None = Asker(node, node.context)

    @property
    def asker(self) -> Asker:
        """Makes requests.

        Raises:
            SoftshellError: the connection is closed.
        """
        if self._asker is None:
            raise SoftshellError('the client is closed')
        return self._asker

    def close(self) -> bool:
        """End the thread. Returns False if it was closed before."""
        if self._asker is None:
            return False
        self._asker.close()
        self._asker = None
        return True

    def find(self, peer: Peer) -> None:
        """Return once a node of the stack takes requests.

        Raises:
            SoftshellError: not within `timeout`; says whether the node is starting, or in which
                other namespaces there is one.
        """
        self.asker.check()
        if peer.wait(peer.is_ready, self.timeout):
            return
        self.asker.check()
        namespace = self._node.get_namespace()
        within = f' within {self.timeout:g} s' if self.timeout else ''
        if peer.is_starting():
            raise SoftshellError(
                f'the {peer.name} in namespace {namespace} has started but is not ready{within}: '
                'its log says what it waits for'
            )
        elsewhere = ', '.join(peer.elsewhere())
        hint = f'there is one in namespace {elsewhere}' if elsewhere else HINT
        raise SoftshellError(f'no {peer.name} in namespace {namespace}{within}: {hint}')

    def ask(
        self,
        peer: Peer,
        client: Client,
        request: Any,
        read: Callable[[Any], Any] = lambda answer: answer,
        moves: bool = False,
    ) -> Question[Any]:
        """Call a service without waiting for its answer.

        Args:
            peer: the node that offers the service.
            client: client of the service.
            request: the request message.
            read: called with the response message; what it returns is the answer, what it raises
                is raised by `Question.answer`.
            moves: whether the answer comes only after a motion; it then has no time limit.

        Raises:
            SoftshellError: the node is not there, or does not offer this service.
        """
        self.find(peer)
        name = client.srv_name.rpartition('/')[2]
        if not peer.wait(client.service_is_ready, min(self.timeout, OFFER_TIME)):
            raise SoftshellError(
                f'the {peer.name} in namespace {self._node.get_namespace()} offers no {name}: '
                'this robot cannot do that'
            )
        still_there = peer.watch(name)
        longest = max(self.timeout, TIMEOUT)
        end = time.monotonic() + longest

        async def carry_out() -> Any:
            return read(await client.call_async(request))

        def check() -> None:
            still_there()
            if not moves and time.monotonic() > end:
                raise SoftshellError(
                    f'{name}: no answer from the {peer.name} within {longest:g} s'
                )

        return self.asker.ask(carry_out, check)
