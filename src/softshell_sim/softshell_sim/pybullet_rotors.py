"""Rotor inertia for PyBullet, which knows none: a part of the link that the joint moves.

That is exact as long as what carries the joint does not itself turn about the joint's axis. Where
it does, the rotor turns with it as well, and the carrier has that much more to turn.
"""

import xml.etree.ElementTree as ElementTree

import numpy as np

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.urdf import Link
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.bodies import RobotSpec
from softshell_sim.flatten import write_inertia


def with_rotors(spec: RobotSpec) -> tuple[str, dict[str, list[float]]]:
    """A robot, the inertia of its rotors about the joints' axes in its links.

    Bullet reads no inertia that a rigid body cannot have, as that with a rotor: so the URDF says
    along which axes it is, and how much there is comes apart.

    Returns:
        The URDF, and the three moments of inertia of each link with a rotor [kg m^2].

    Raises:
        SoftshellError: the joint slides; the text names it.
    """
    moments: dict[str, list[float]] = {}
    if not any(spec.rotor_inertia):
        return spec.urdf, moments
    urdf, root = parse_urdf(spec.urdf), ElementTree.fromstring(spec.urdf)
    elements = {element.get('name', ''): element for element in root.findall('link')}
    for name, inertia in zip(spec.joints, spec.rotor_inertia, strict=True):
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
        more = inertia * np.outer(joint.axis, joint.axis)
        write_inertia(element, Link(link.name, link.mass, link.com, link.inertia + more))
        written = element.find('inertial/inertia')
        assert written is not None
        keys = ('ixx', 'iyy', 'izz')
        moments[link.name] = [float(written.get(key, '0')) for key in keys]
        for key in keys:
            written.set(key, repr(sum(moments[link.name])))
    return ElementTree.tostring(root, encoding='unicode'), moments
