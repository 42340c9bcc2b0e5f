"""What the keyboard asks of the robot, in which order; with a client that only takes note."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rclpy.node import Node

from softshell_common.ros.context import new_context
from softshell_teleop.ros.remote import Remote


class Notes:
    """A client that answers when the test says so.

    Attributes:
        asked: names of the actions that were begun.
        answered: whether the cancellation is answered.
    """

    def __init__(self):
        self.asked, self.answered = [], False

    def begin_action(self, name, **given):
        self.asked.append((name, given))
        return SimpleNamespace(done=lambda: False, cancel=lambda: None)

    def cancel_actions(self):
        return SimpleNamespace(done=lambda: self.answered, answer=lambda: None)

    def is_ready(self):
        return False


@pytest.fixture
def remote():
    context = new_context()
    node = Node('keyboard', context=context)
    remote = Remote(node, lambda text, problem: None)
    remote.close()
    remote.client = Notes()
    yield remote
    node.destroy_node()
    context.try_shutdown()


def test_an_action_after_a_cancellation_is_begun_once_that_is_answered(remote):
    """They are asked for on different ways, of which the later one may be the shorter."""
    remote.cancel_action()
    remote.perform('close', {'duration': 2.0}, queue=True)
    remote.poll()
    assert remote.client.asked == []
    remote.client.answered = True
    remote.poll()
    remote.poll()
    assert remote.client.asked == [('close', {'duration': 2.0, 'queue': True})]
    remote.perform('open')
    assert [name for name, _ in remote.client.asked] == ['close', 'open']


def test_what_waits_is_forgotten_by_the_next_cancellation(remote):
    remote.cancel_action()
    remote.perform('close')
    remote.cancel_action()
    remote.client.answered = True
    remote.poll()
    assert remote.client.asked == []
