"""Who is asked has taken note of the clients: otherwise it drops its answers to them."""

import math

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from fake_stack import wait
from rclpy.context import Context
from std_msgs.msg import Empty

from softshell_client.ros import peer as module
from softshell_client.ros.peer import Peer
from softshell_common.ros.qos import LATCHED


@pytest.fixture
def nodes():
    """Two nodes that discover each other."""
    context = Context()
    rclpy.init(context=context)
    made = [rclpy.create_node(name, namespace='/peers', context=context) for name in ('a', 'b')]
    yield made
    for node in made:
        node.destroy_node()
    context.try_shutdown()


def test_a_node_is_ready_once_its_kept_message_has_come(nodes):
    """Being seen is not enough, and the one before has not greeted for the one after it."""
    here, there = nodes
    peer = Peer(here, 'alive', Empty, 'stranger')
    for _ in range(2):
        alive = there.create_publisher(Empty, 'alive', LATCHED)
        wait(peer.identities)
        assert not peer.wait(peer.is_ready, 0.3)
        alive.publish(Empty())
        wait(peer.is_ready)
        there.destroy_publisher(alive)
        wait(lambda: not peer.identities())
        assert not peer.is_ready()


def test_it_is_ready_once_what_it_needs_is_discovered_too(nodes, monkeypatch):
    """Or once it is surely not there: who does not know the bridge cannot see it go."""
    here, there = nodes
    peer = Peer(here, 'alive', Empty, 'manager', needs=Peer(here, 'other', Empty, 'bridge'))
    there.create_publisher(Empty, 'alive', LATCHED).publish(Empty())
    monkeypatch.setattr(module, 'DISCOVERY', math.inf)
    assert not peer.wait(peer.is_ready, 1.0)
    needed = there.create_publisher(Empty, 'other', LATCHED)
    wait(peer.is_ready)
    there.destroy_publisher(needed)
    wait(lambda: not peer.is_ready())
    monkeypatch.setattr(module, 'DISCOVERY', 0.0)
    wait(peer.is_ready)
