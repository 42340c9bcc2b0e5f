"""Contacts as messages: what is told when, and that nothing is told twice."""

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.ros.contact_stream import ContactStream
from softshell_sim.shapes import Box


class Topic:
    """A publisher that keeps what it is given."""

    def __init__(self):
        self.listeners, self.told = 0, []

    def get_subscription_count(self):
        return self.listeners

    def publish(self, message):
        self.told.append(message)


class Node:
    """A node whose publishers are kept by their topics."""

    def __init__(self):
        self.topics = {}

    def create_publisher(self, _kind, topic, _profile):
        return self.topics.setdefault(topic, Topic())


@pytest.mark.usefixtures('each_engine')
def test_contacts_are_told_once_and_not_while_time_stands_still(make, cube):
    """Neither to who subscribes then, nor after a restore; with each period once, not empty."""
    world, node = make(cube), Node()
    world.engine.add(ObjectSpec('box', Box((0.2, 0.2, 0.2)), 1.0, shift(2.0, z=0.1)))
    stream = ContactStream(node, world)
    contacts, markers = node.topics['contacts'], node.topics['contact_markers']
    world.simulate(0.1)
    state = world.save()
    stream.publish(100)
    contacts.listeners = markers.listeners = 1
    for _ in range(3):
        stream.publish(100)
    assert contacts.told == markers.told == []
    for stamp in (104, 108):
        world.simulate(0.004)
        for _ in range(3):
            stream.publish(stamp)
    world.restore(state)
    stream.publish(108)
    assert [each.header.stamp.nanosec for each in contacts.told] == [104, 108]
    assert len(markers.told) == 2
    for message in contacts.told:
        assert {each.body for each in message.contacts} | {
            each.other_body for each in message.contacts
        } == {'floor', 'box', 'robot'}
