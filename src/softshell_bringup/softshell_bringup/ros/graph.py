"""Looks at the nodes of a stack on the ROS graph."""

from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Self

import rclpy
from rclpy.executors import SingleThreadedExecutor

from softshell_bringup.nodes import NodeStart
from softshell_common.ros.context import new_context
from softshell_common.ros.qos import LATCHED
from softshell_kinematics.errors import SoftshellError

PROBE_PERIOD = 0.05  # [s]


class Observer:
    """A ROS node in its own context, independent of what else this process does with ROS.

    Args:
        domain: the ROS domain.

    Attributes:
        node: the node.
    """

    def __init__(self, domain: int) -> None:
        self._context = new_context(domain)
        # A name that begins with an underscore is hidden from listings.
        self.node = rclpy.create_node('_observer', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def look(self, seconds: float = PROBE_PERIOD) -> None:
        """Handle the first message or other event that arrives within this time [s]."""
        self._executor.spin_once(timeout_sec=seconds)

    def node_names(self) -> list[str]:
        """Full names of the other nodes on the domain, sorted; one entry for each node."""
        mine = self.node.get_fully_qualified_name()
        names = [
            f'{namespace.rstrip("/")}/{name}'
            for name, namespace in self.node.get_node_names_and_namespaces()
        ]
        return sorted(name for name in names if name != mine)


class ReadinessProbe(Observer):
    """Finds out which nodes of a stack are ready.

    Args:
        nodes: the nodes of the stack.
        domain: the ROS domain of the stack.
    """

    def __init__(self, nodes: Sequence[NodeStart], domain: int) -> None:
        super().__init__(domain)
        self._nodes = tuple(node for node in nodes if not node.row.optional)
        self._published: set[str] = set()
        for node in self._nodes:
            if node.row.ready_topic:
                self._listen(_full_name(node, node.row.ready_topic), node.row.ready_type)

    def _listen(self, topic: str, kind: str) -> None:
        module, _, name = kind.partition(':')
        self.node.create_subscription(
            getattr(import_module(module), name),
            topic,
            lambda message: self._published.add(topic),
            LATCHED,
        )

    def missing(self) -> list[str]:
        """A text for each node that is not ready yet; optional nodes do not count.

        Raises:
            SoftshellError: two nodes have the same name.
        """
        self.look()
        names = self.node_names()
        missing = []
        for node in self._nodes:
            name = _full_name(node, node.name)
            if names.count(name) > 1:
                raise SoftshellError(
                    f'{names.count(name)} nodes named {name} are on this domain: another stack '
                    'runs here, e.g. by ros2 launch; stop it, or set another ROS_DOMAIN_ID'
                )
            service = node.row.ready_service and _full_name(node, node.row.ready_service)
            if (
                node.row.ready_topic
                and _full_name(node, node.row.ready_topic) not in self._published
            ):
                missing.append(f'{node.name} (no message on {node.row.ready_topic})')
            elif service and not self.node.count_services(service):
                missing.append(f'{node.name} (no service {node.row.ready_service})')
        return missing


def _full_name(node: NodeStart, name: str) -> str:
    return f'/{node.namespace}/{name}' if node.namespace else f'/{name}'
