"""Bad messages are sent to all that takes messages from outside, or answers requests."""

import sys
import time
from pathlib import Path

import pytest
from pages import REFERENCE, tables, text_of
from reference_names import endpoints

from softshell_bringup.domain import free_domain
from softshell_description.load import load_robot

rclpy = pytest.importorskip('rclpy', reason='ROS is not installed')

from rclpy.context import Context  # noqa: E402
from rclpy.node import Node  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

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


@pytest.fixture
def unanswered(fuzzer, monkeypatch):
    """A fuzzer that sends one kind of request alone, which nobody answers."""
    context = Context()
    rclpy.init(args=[], context=context, domain_id=free_domain())
    node = Node('silent', context=context)
    node.create_service(Trigger, 'silent', lambda request, answer: answer)
    monkeypatch.setattr(fuzzer, 'PATIENCE', 20.0)
    made = fuzzer.Fuzzer(context, load_robot(), 1, ((Trigger, 'silent'),))
    yield made
    made.close()
    node.destroy_node()
    context.try_shutdown()


def test_what_is_never_answered_is_waited_for_once(fuzzer, unanswered, monkeypatch):
    """So a benchmark comes to its end, where it is reported."""
    monkeypatch.setattr(fuzzer, 'PATIENCE', 0.5)
    begin = time.monotonic()
    for _ in range(fuzzer.MOST_OPEN + 10):
        unanswered.send(lambda: None)
    assert time.monotonic() - begin > 0.5
    unanswered.wait(lambda: None)
    assert time.monotonic() - begin < 5.0
    assert set(unanswered.open.values()) == {'silent'}
    assert (unanswered.asked, unanswered.answered) == (fuzzer.MOST_OPEN + 10, 0)


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
