"""What the keyboard asks of the robot, in which order; with a client that only takes note."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')

from rclpy.node import Node

from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.posture import Posture
from softshell_teleop.ros import remote as module
from softshell_teleop.ros.remote import Remote


class Notes:
    """A client that answers when the test says so.

    Attributes:
        asked: names of the actions and postures that were begun.
        answered: whether the cancellation and the first posture are answered.
        stops: how many emergency stops were sent.
        bridge: whether there is one.
    """

    def __init__(self):
        self.asked, self.answered = [], False
        self.stops, self.bridge = 0, True

    def begin_action(self, name, **given):
        self.asked.append((name, given))
        return SimpleNamespace(done=lambda: False, cancel=lambda: None)

    def cancel_actions(self):
        return SimpleNamespace(done=lambda: self.answered, answer=lambda: None)

    def begin_body_pose(self, z, **given):
        self.asked.append(('posture', z))
        return SimpleNamespace(done=lambda: self.answered, answer=lambda: None)

    def begin_bridge_request(self, name):
        if not self.bridge:
            raise SoftshellError('no bridge')
        self.stops += name == 'emergency_stop'
        return SimpleNamespace(done=lambda: True, answer=lambda: 'stopped')

    def is_ready(self):
        return False

    def close(self):
        pass


@pytest.fixture
def told():
    return []


@pytest.fixture
def remote(told):
    context = new_context()
    node = Node('keyboard', namespace='/one', context=context)
    remote = Remote(node, lambda text, problem: told.append((text, problem)))
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


def test_an_action_takes_over_from_one_that_was_held_back_before_it(remote):
    """Also if the cancellation is answered between the two."""
    remote.cancel_action()
    remote.perform('close')
    remote.client.answered = True
    remote.perform('open')
    remote.poll()
    assert [name for name, _ in remote.client.asked] == ['close', 'open']


def test_what_waits_is_forgotten_by_an_emergency_stop(remote):
    remote.set_posture(Posture(z=0.1))
    remote.set_posture(Posture(z=0.2))
    remote.cancel_action()
    remote.set_posture(Posture(z=0.3))
    remote.perform('close')
    remote.emergency_stop()
    remote.client.answered = True
    remote.poll()
    remote.poll()
    assert remote.client.stops == 1
    assert remote.client.asked == [('posture', 0.1)]


def test_an_emergency_stop_is_tried_again_until_it_is_sent(remote, told):
    """Then once; the way out is told when the bridge has answered, and for this robot."""
    remote.client.bridge = False
    remote.emergency_stop()
    remote.poll()
    assert told == []
    remote.client.bridge = True
    for _ in range(3):
        remote.poll()
    assert remote.client.stops == 1
    assert told == [
        (
            'emergency_stop: stopped; to go on: ./softshell call bridge/reset, then '
            'bridge/activate, each with namespace:=one',
            False,
        )
    ]


def test_an_emergency_stop_that_was_not_sent_is_told(remote, told, monkeypatch):
    """When it is given up, and if the interface ends before."""
    remote.client.bridge = False
    remote.emergency_stop()
    remote.close()
    assert told.pop() == ('emergency_stop: not sent', True)
    monkeypatch.setattr(module, 'STOP_AGAIN', 0.0)
    remote.emergency_stop()
    assert told == [('emergency_stop: no bridge', True)]
    remote.close()
    assert len(told) == 1
