"""Bad messages are sent to all that takes messages from outside, or answers requests."""

import sys
from pathlib import Path

import pytest
from pages import REFERENCE, tables, text_of
from reference_names import endpoints

BENCHMARKS = Path(__file__).parents[1] / 'benchmarks'
#: What they are not sent to, and why.
SPARED = {
    '/clock': 'it is time itself, which only goes forward',
    'policy/cmd_vel': 'a policy subscribes to it',
    'policy/start': 'a policy offers it',
    'policy/stop': 'a policy offers it',
}


@pytest.fixture
def fuzzer(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import _fuzzer

    yield _fuzzer
    sys.modules.pop('_fuzzer')


def taken_from_outside() -> set[str]:
    """Topics that the bridge or no node but a page sends to some node."""
    table = next(tables(text_of(REFERENCE / 'topics.md')))
    assert table.head[2:4] == ('from', 'to')
    return {
        name.strip('`')
        for name, _, senders, receivers, *_ in table.rows
        if receivers and ('bridge' in receivers.split(', ') or senders in ('', 'dashboard'))
    }


def test_all_that_takes_messages_is_sent_some(fuzzer):
    """But for what is spared, for a reason: all topics from outside, services and actions."""
    offered = {name for name, (kind, _) in endpoints().items() if kind != 'topic'}
    wanted = offered | taken_from_outside()
    every = (
        *(*fuzzer.TOPICS, *fuzzer.SERVICES, *fuzzer.WORLD_SERVICES),
        *(*fuzzer.ACTIONS, *fuzzer.UNDOING, *fuzzer.OF_SERVOS),
    )
    sent = {name for _, name in every}
    assert SPARED.keys() <= wanted
    assert wanted - SPARED.keys() - sent == set()
