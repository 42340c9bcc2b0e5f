"""Inertia of joints for PyBullet, which knows none: a part of the link that the joint moves.

Of a rotor that is exact as long as what carries the joint does not itself turn about the joint's
axis. Where it does, the rotor turns with it as well, and the carrier has that much more to turn.

Springs and dampers need ballast of that kind. PyBullet solves for contacts with the mass matrix of
the links alone; a light link that a stiff spring holds would be thrown by what it touches, further
in one step than its spring can bring it back in the next. So contacts meet h D + h² K besides, as
in an implicit step; `ImplicitSprings`, who knows, gives efforts that take it back for all else.
"""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.urdf import Joint, Link, Urdf
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.bodies import RobotSpec
from softshell_sim.flatten import write_inertia
from softshell_sim.joints.friction import JointFriction

#: Part of the dampers that is needed as ballast for contacts. All of it makes contacts slower than
#: they are, and is only needed where joints themselves are held, by stops or dry friction.
CALM = 0.05
#: Limits beyond this are not come to [rad].
FAR = 2.5


def ballast_of(spec: RobotSpec, step: float) -> Array:
    """(joints,) inertia about the axes of joints that turn, for springs and dampers [kg m^2].

    Args:
        spec: of the robot.
        step: that will pass each time [s].
    """
    ballast = np.zeros(len(spec.joints))
    if spec.springs is not None:
        springs, urdf = spec.springs, parse_urdf(spec.urdf)
        joints = [urdf.joint(name) for name in spec.joints]
        part = 1.0 if springs.friction.any() or any(map(_has_stops, joints)) else CALM
        ballast += step * part * springs.damping
        ballast += step**2 * (springs.stiffness + JointFriction(springs.friction).stiffness)
        ballast[[joint.type == 'prismatic' for joint in joints]] = 0.0
    return ballast


def _has_stops(joint: Joint) -> bool:
    """Whether a joint has limits that it comes to: a whole turn is none."""
    return min(abs(joint.lower), abs(joint.upper)) < FAR


def rotors_of(spec: RobotSpec) -> Array:
    """(joints,) inertia of the rotors [kg m^2] or [kg]."""
    return np.array(spec.rotor_inertia or np.zeros(len(spec.joints)), dtype=float)


def with_rotors(
    spec: RobotSpec, ballast: Array | None = None
) -> tuple[str, dict[str, list[float]]]:
    """A robot, the inertia of its rotors about the joints' axes in its links.

    Args:
        spec: of the robot.
        ballast: (joints,) of its joints, besides [kg m^2].

    Bullet reads no inertia that a rigid body cannot have, as that with a rotor: so the URDF says
    along which axes it is, and how much there is comes apart.

    Returns:
        The URDF, and the three moments of inertia of each link with a rotor [kg m^2].

    Raises:
        SoftshellError: the joint slides; the text names it.
    """
    moments: dict[str, list[float]] = {}
    rotors = rotors_of(spec)
    whole = rotors if ballast is None else rotors + ballast
    if not whole.any():
        return spec.urdf, moments
    urdf, root = parse_urdf(spec.urdf), ElementTree.fromstring(spec.urdf)
    elements = {element.get('name', ''): element for element in root.findall('link')}
    for name, inertia in zip(spec.joints, whole.tolist(), strict=True):
        if inertia == 0.0:
            continue
        joint = urdf.joint(name)
        if joint.type == 'prismatic':
            raise SoftshellError(
                f'robot {spec.name!r}: the motor of joint {name!r}, which slides, has a '
                'rotor_inertia, which PyBullet cannot have; expected none, or another engine'
            )
        link, element = urdf.link(joint.child), elements[joint.child]
        for inertial in element.findall('inertial'):
            element.remove(inertial)
        turned = link.inertia + inertia * np.outer(joint.axis, joint.axis)
        write_inertia(element, Link(link.name, link.mass, link.com, turned))
        written = element.find('inertial/inertia')
        assert written is not None
        moments[link.name] = np.linalg.eigvalsh(turned).tolist()  # in the order as written
        for key in ('ixx', 'iyy', 'izz'):
            written.set(key, repr(sum(moments[link.name])))
    return ElementTree.tostring(root, encoding='unicode'), moments


def with_inertia(spec: RobotSpec, more: Array) -> Urdf:
    """A robot whose links have (joints,) inertia about the axes of their joints besides [kg m^2].

    It is what PyBullet makes of it.
    """
    urdf = parse_urdf(spec.urdf)
    added = {}
    for name, inertia in zip(spec.joints, more.tolist(), strict=True):
        joint = urdf.joint(name)
        added[joint.child] = inertia * np.outer(joint.axis, joint.axis)
    links = tuple(
        replace(link, inertia=link.inertia + added.get(link.name, 0.0)) for link in urdf.links
    )
    return replace(urdf, links=links)
