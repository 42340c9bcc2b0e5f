"""The contacts of a simulated world as messages, while somebody subscribes."""

import numpy as np
from geometry_msgs.msg import Point
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from softshell_common.frames import ODOM
from softshell_common.ros.qos import STATE
from softshell_control.ros.messages import set_stamp, set_vector
from softshell_interfaces.msg import BodyContact, BodyContacts, ContactPair
from softshell_sim.bodies import Body, Contact
from softshell_sim.contact.feedback import ContactFeedback, ContactReport
from softshell_sim.world import World

#: Length of an arrow for a force [m/N], and its thickness [m].
ARROW, THICKNESS = 0.01, 0.004


class ContactStream:
    """Publishes `contacts`, and their forces as arrows in `contact_markers`.

    Contacts are those after the last step of each control period, at most `clusters.MOST` between
    two links. While nobody subscribes they are not read, and while time stands still they are not
    told again.

    Args:
        node: publishes.
        world: whose contacts they are.
    """

    def __init__(self, node: Node, world: World) -> None:
        self._world = world
        self._contacts = node.create_publisher(BodyContacts, 'contacts', STATE)
        self._markers = node.create_publisher(MarkerArray, 'contact_markers', STATE)
        self._sent = -1  # stamp of what was told last [ns]

    def publish(self, stamp: int) -> None:
        """Send the contacts to those who subscribe.

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
            self._sent = stamp
            return
        if stamp == self._sent:
            return
        self._sent = stamp
        report = world.feedback.read()
        if heard[0]:
            self._contacts.publish(contacts_message(report, stamp))
        if heard[1]:
            self._markers.publish(markers_message(_contacts(report), stamp))


def _contacts(report: ContactReport) -> list[tuple[Body, Contact]]:
    """All contacts of a report, each with the body that its force acts on."""
    return [(pair.body, contact) for pair in report.pairs for contact in pair.contacts]


def contacts_message(report: ContactReport, stamp: int) -> BodyContacts:
    """The message of `contacts`; forces are those on the body that is named first.

    Args:
        report: of the steps of a control period.
        stamp: [ns].
    """
    message = BodyContacts()
    message.header.frame_id = ODOM
    set_stamp(message.header.stamp, stamp)
    for body, contact in _contacts(report):
        entry = BodyContact(
            body=body.name,
            link=body.links[contact.link],
            other_body=contact.other.name,
            other_link=contact.other.links[contact.other_link],
            depth=contact.depth,
            friction=contact.friction,
        )
        set_vector(entry.point, contact.point)
        set_vector(entry.normal, contact.normal)
        set_vector(entry.force, contact.force)
        set_vector(entry.couple, contact.couple)
        message.contacts.append(entry)
    for pair in report.pairs:
        touched = ContactPair(
            body=pair.body.name,
            other_body=pair.other.name,
            in_contact=pair.in_contact,
            had_separation=pair.had_separation,
            had_penetration=pair.had_penetration,
        )
        set_vector(touched.force, pair.force)
        set_vector(touched.mean_force, pair.mean_force)
        message.pairs.append(touched)
    return message


def markers_message(found: list[tuple[Body, Contact]], stamp: int) -> MarkerArray:
    """The message of `contact_markers`: an arrow for each force; all earlier ones are removed.

    Args:
        found: contacts, each with the body that its force acts on.
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
