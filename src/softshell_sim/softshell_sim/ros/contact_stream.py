"""The contacts of a simulated world on the wire, as long as somebody listens."""

import numpy as np
from geometry_msgs.msg import Point
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from softshell_common.frames import ODOM
from softshell_common.ros.qos import STATE
from softshell_control.ros.messages import set_stamp, set_vector
from softshell_interfaces.msg import BodyContact, BodyContacts
from softshell_sim.bodies import Body, Contact
from softshell_sim.feedback import ContactFeedback
from softshell_sim.world import World

#: Length of an arrow for a force [m/N], and its thickness [m].
ARROW, THICKNESS = 0.01, 0.004


class ContactStream:
    """Publishes `contacts` and, as arrows of their forces, `contact_markers`.

    Contacts are those after the last step of each control period, no more than
    `clusters.MOST` between two links. While nobody subscribes they are not looked at.

    Args:
        node: publishes.
        world: whose contacts they are.
    """

    def __init__(self, node: Node, world: World) -> None:
        self._world = world
        self._contacts = node.create_publisher(BodyContacts, 'contacts', STATE)
        self._markers = node.create_publisher(MarkerArray, 'contact_markers', STATE)

    def publish(self, stamp: int) -> None:
        """Send what touches to those who listen.

        Args:
            stamp: the time of the last step on the bridge's clock [ns].
        """
        world = self._world
        heard = [each.get_subscription_count() > 0 for each in (self._contacts, self._markers)]
        if not any(heard):
            world.feedback = None
            return
        if world.feedback is None:  # from the next period on
            world.feedback = ContactFeedback(world.engine)
            return
        found = [
            (pair.body, contact)
            for pair in world.feedback.read().pairs
            for contact in pair.contacts
        ]
        if heard[0]:
            self._contacts.publish(contacts_message(found, stamp))
        if heard[1]:
            self._markers.publish(markers_message(found, stamp))


def contacts_message(found: list[tuple[Body, Contact]], stamp: int) -> BodyContacts:
    """`contacts`: of each body that is named first.

    Args:
        found: contacts, and the body that feels each.
        stamp: [ns].
    """
    message = BodyContacts()
    message.header.frame_id = ODOM
    set_stamp(message.header.stamp, stamp)
    for body, contact in found:
        entry = BodyContact(
            body=body.name,
            link=body.links[contact.link],
            other_body=contact.other.name,
            other_link=contact.other.links[contact.other_link],
            depth=contact.depth,
        )
        set_vector(entry.point, contact.point)
        set_vector(entry.normal, contact.normal)
        set_vector(entry.force, contact.force)
        message.contacts.append(entry)
    return message


def markers_message(found: list[tuple[Body, Contact]], stamp: int) -> MarkerArray:
    """`contact_markers`: an arrow for each force, instead of all that were sent before.

    Args:
        found: contacts, and the body that feels each.
        stamp: [ns].
    """
    clear = Marker(action=Marker.DELETEALL)
    clear.header.frame_id = ODOM
    markers = [clear]
    for number, (_, contact) in enumerate(found):
        arrow = Marker(ns='contacts', id=number, type=Marker.ARROW, action=Marker.ADD)
        arrow.header.frame_id = ODOM
        set_stamp(arrow.header.stamp, stamp)
        arrow.pose.orientation.w = 1.0
        tail, tip = Point(), Point()
        set_vector(tail, contact.point)
        set_vector(tip, contact.point + ARROW * np.asarray(contact.force))
        arrow.points = [tail, tip]
        arrow.scale.x, arrow.scale.y = THICKNESS, 2.0 * THICKNESS
        arrow.color.r, arrow.color.g, arrow.color.b, arrow.color.a = 0.9, 0.3, 0.1, 1.0
        markers.append(arrow)
    return MarkerArray(markers=markers)
