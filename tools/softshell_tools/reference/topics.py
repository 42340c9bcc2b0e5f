"""The page on topics, services and actions, made by looking at running stacks."""

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from softshell_bringup.domain import free_domain
from softshell_bringup.ros.graph import Observer
from softshell_bringup.runner import Stack
from softshell_common.ros.qos import CHANGES
from softshell_tools.reference.markdown import code, page, table

MEANINGS: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_name('topics.yaml').read_text(encoding='utf-8')
)
#: Arguments of stacks that together have all nodes and topics.
STACKS: tuple[Mapping[str, str], ...] = (
    {'bridge': 'sim', 'fingers': '6', 'gui': 'web', 'params_file': 'examples/noisy.yaml'},
    {'bridge': 'hardware', 'wiring': 'emulated'},
    {'bridge': 'mock', 'policy': 'src/softshell_studies/softshell_studies/gym/trained/Walk.npz'},
)
#: Topics that have absolute names in ROS.
ABSOLUTE = ('/clock', '/tf', '/tf_static')
#: Node that subscribes to all small topics; the page does not list it for each.
HEARS_ALL = 'black_box'
#: Name of the camera in examples/sensors.yaml, which the simulated stack uses.
CAMERA = 'front'
#: A stack is complete if nothing new appears for this time [s]; longest wait for that [s].
QUIET, LONGEST = 2.0, 40.0
#: Topics of which the action manager takes one message when it has to know: a look may miss that.
AT_TIMES = ('joint_states', 'finger_states', 'imu', 'contacts')


@dataclass
class Seen:
    """What was seen of a topic, a service or an action.

    Attributes:
        types: its types.
        offers: names of the nodes that publish or serve it.
        takes: names of the nodes that subscribe.
        latched: whether a late subscriber gets the last message.
        lossy: whether messages may be lost (best effort).
    """

    types: set[str] = field(default_factory=set)
    offers: set[str] = field(default_factory=set)
    takes: set[str] = field(default_factory=set)
    latched: bool = False
    lossy: bool = False


#: By kind (`topics`, `services`, `actions`) and name.
Graph = dict[str, dict[str, Seen]]


def look(node: Node, graph: Graph) -> None:
    """Add what a node sees of the graph now, without what every node of ROS has."""
    for topic, types in node.get_topic_names_and_types():
        if not _own(topic):
            continue
        seen = graph['topics'][_shown(topic)]
        seen.types |= {*types}
        for info in node.get_publishers_info_by_topic(topic):
            seen.offers |= _node(info.node_name)
            seen.latched |= info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
            seen.lossy |= info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
        for info in node.get_subscriptions_info_by_topic(topic):
            seen.takes |= _node(info.node_name)
    for other, namespace in node.get_node_names_and_namespaces():
        owner = _node(other) or {other} - {node.get_name()}
        found = {
            'services': node.get_service_names_and_types_by_node(other, namespace),
            'actions': get_action_server_names_and_types_by_node(node, other, namespace),
        }
        for kind, offered in found.items():
            for name, types in offered:
                if _own(name):
                    graph[kind][_shown(name)].types |= {*types}
                    graph[kind][_shown(name)].offers |= owner


def _node(name: str) -> set[str]:
    """The name of a node on the page, in a set; empty if the page does not list the node.

    A node's client counts as the node.
    """
    shown = re.sub(r'_client_\d+$', '', name)
    return set() if shown.startswith('_') or shown == HEARS_ALL else {shown}


def _shown(name: str) -> str:
    """The name of a topic, service or action on the page."""
    return name if name in ABSOLUTE else re.sub(f'^{CAMERA}/', 'CAMERA/', name.lstrip('/'))


def _own(name: str) -> bool:
    """Whether a name is one of ours, not one that every node or action of ROS has."""
    last = name.rpartition('/')[2]
    theirs = ('rosout', 'parameter_events', 'get_type_description')
    return not (last in theirs or 'parameter' in last or '_action/' in name or last[:1] == '_')


def graph_of(stacks: tuple[Mapping[str, str], ...] = STACKS) -> Graph:
    """Start stacks one after the other, and collect what they have."""
    graph: Graph = {kind: defaultdict(Seen) for kind in MEANINGS}
    for arguments in stacks:
        with Stack(arguments, domain=free_domain()) as stack:
            stack.wait_ready()
            watch(stack.domain, {node.full_name for node in stack.nodes}, graph)
    for topic in AT_TIMES:
        graph['topics'][topic].takes.add('action_manager')
    return graph


def watch(domain: int, nodes: set[str], graph: Graph) -> None:
    """Add what is on a domain, until it has these nodes and nothing new appears."""
    with Observer(domain) as observer:
        begin = quiet = time.monotonic()
        known = -1
        while time.monotonic() < min(begin + LONGEST, quiet + QUIET):
            observer.look()
            look(observer.node, graph)
            count = sum(
                len(seen.types) + len(seen.offers) + len(seen.takes)
                for kind in graph.values()
                for seen in kind.values()
            )
            if count != known or not nodes <= {*observer.node_names()}:
                known, quiet = count, time.monotonic()
            time.sleep(0.1)


def topics_page(graph: Graph) -> str:
    """The page, in Markdown."""
    heads = {
        'topics': ('topic', 'type', 'from', 'to', 'meaning'),
        'services': ('service', 'type', 'of', 'meaning'),
        'actions': ('action', 'type', 'of', 'meaning'),
    }
    sections = []
    for kind, head in heads.items():
        sections += [f'## {kind.capitalize()}', table(head, _rows(kind, graph[kind]))]
    return page(
        'Topics, services and actions',
        'Seen in running stacks: simulation, emulated servos and mock. Names that begin with a '
        'slash are remapped in a namespace; all others are relative. A latched topic gives a late '
        'subscriber its last message, `bridge_status` up to '
        f'{CHANGES.depth} of them, as many as the subscriber keeps; messages of a lossy one may '
        'be lost. An empty column is for your own programs. The black box subscribes to all small '
        'topics.',
        sections,
    )


def _rows(kind: str, found: Mapping[str, Seen]) -> Iterator[tuple[str, ...]]:
    """The rows of a table, in the order of topics.yaml."""
    for name, meaning in MEANINGS[kind].items():
        seen = found.get(name, Seen())
        remarks = [word for word in ('latched', 'lossy') if getattr(seen, word)]
        told = meaning + (f' ({", ".join(remarks)})' if remarks else '')
        middle = [_nodes(seen.offers), _nodes(seen.takes)] if kind == 'topics' else [
            _nodes(seen.offers)
        ]  # fmt: skip
        types = ', '.join(code(one) for one in sorted(seen.types))
        yield code(name), types, *middle, told


def _nodes(names: set[str]) -> str:
    return ', '.join(sorted(names))
