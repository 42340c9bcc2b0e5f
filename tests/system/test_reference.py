"""The pages of topics and of parameters have what the nodes of a stack have."""

from pathlib import Path

import pytest

from softshell_bringup import nodes
from softshell_tools.reference import parameters
from softshell_tools.reference.topics import MEANINGS, graph_of, topics_page

PAGE = Path(__file__).parents[2] / 'docs' / 'reference' / 'topics.md'


@pytest.mark.long
def test_topics_services_and_actions_are_those_of_running_stacks():
    """All of them have a meaning, and types and nodes are as the page says."""
    graph = graph_of()
    for kind, meanings in MEANINGS.items():
        assert {*graph[kind]} == {*meanings}
    assert PAGE.read_text(encoding='utf-8') == topics_page(graph), 'run ./softshell reference'


def test_the_parameters_of_every_node_are_looked_up():
    """Of every node of ours in the node table, and of the keyboard, which runs beside them."""
    names = {title.partition(',')[0] for title in parameters.NODES}
    assert names == {row.name for row in nodes.NODES if row.ours} | {'keyboard'}
