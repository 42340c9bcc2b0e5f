"""The page of topics is what running stacks have."""

from pathlib import Path

import pytest

from softshell_tools.reference.topics import MEANINGS, graph_of, topics_page

PAGE = Path(__file__).parents[2] / 'docs' / 'reference' / 'topics.md'


@pytest.mark.long
def test_topics_services_and_actions_are_those_of_running_stacks():
    """All of them have a meaning, and types and nodes are as the page says."""
    graph = graph_of()
    for kind, meanings in MEANINGS.items():
        assert {*graph[kind]} == {*meanings}
    assert PAGE.read_text(encoding='utf-8') == topics_page(graph), 'run ./softshell reference'
