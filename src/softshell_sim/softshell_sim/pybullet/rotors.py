"""Inertia of joints for PyBullet, which has none: it is added to the link that the joint moves.

For a rotor this is exact unless the parent link turns about the axis of the joint: then the rotor
turns with the parent too, which feels its inertia in addition.

Springs and dampers need such inertia as well, called ballast. PyBullet solves contacts with the
mass matrix of the links alone. A contact would throw a light link on a stiff spring further in one
step than the spring can bring back in the next. With the ballast h D + h² K contacts feel the same
inertia as in an implicit step; `ImplicitSprings` gives efforts that compensate it otherwise.
"""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf import Joint, Link, Urdf
from softshell_sim.bodies import RobotSpec
from softshell_sim.joints.implicit_mass import implicit_inertia
from softshell_sim.urdf.flatten import write_inertia
from softshell_sim.urdf.parsed import parsed

#: Part of the damping that contacts need as ballast. All of it would make contacts too slow; it is
#: only needed for joints that limits or dry friction hold.
CALM = 0.05
#: A joint with limits beyond this does not reach them [rad].
FAR = 2.5


def ballast_of(spec: RobotSpec, step: float) -> Array:
    """(joints,) ballast for springs and dampers [kg m^2]; 0 for prismatic joints.

    Args:
        spec: of the robot.
        step: duration of a step [s].
    """
    if spec.springs is None:
        return np.zeros(len(spec.joints))
    springs, urdf = spec.springs, parsed(spec.urdf)
    joints = [urdf.joint(name) for name in spec.joints]
    part = 1.0 if springs.friction.any() or any(map(_has_stops, joints)) else CALM
    ballast = implicit_inertia(springs, step, part)
    ballast[[joint.type == 'prismatic' for joint in joints]] = 0.0
    return ballast


def _has_stops(joint: Joint) -> bool:
    """Whether a joint has limits that it can reach."""
    return min(abs(joint.lower), abs(joint.upper)) < FAR


def rotors_of(spec: RobotSpec) -> Array:
    """(joints,) inertia of the rotors [kg m^2] or [kg]."""
    return np.array(spec.rotor_inertia or np.zeros(len(spec.joints)), dtype=float)


def with_rotors(
    spec: RobotSpec, ballast: Array | None = None
) -> tuple[str, dict[str, list[float]]]:
    """A robot whose links have the inertia of rotors and ballast about the axes of their joints.

    PyBullet rejects inertia that no rigid body can have, such as that with a rotor. So the URDF
    only gives its principal axes, and the moments are returned apart.

    Args:
        spec: of the robot.
        ballast: (joints,) additional inertia [kg m^2]; None: none.

    Returns:
        The text of the URDF, and the three principal moments of each changed link [kg m^2].

    Raises:
        SoftshellError: a prismatic joint has a rotor inertia; the text names it.
    """
    moments: dict[str, list[float]] = {}
    rotors = rotors_of(spec)
    whole = rotors if ballast is None else rotors + ballast
    if not whole.any():
        return spec.urdf, moments
    urdf, root = parsed(spec.urdf), ElementTree.fromstring(spec.urdf)
    elements = {element.get('name', ''): element for element in root.findall('link')}
    for name, inertia in zip(spec.joints, whole.tolist(), strict=True):
        if inertia == 0.0:
            continue
        joint = urdf.joint(name)
        if joint.type == 'prismatic':
            raise SoftshellError(
                f'robot {spec.name!r}: the motor of prismatic joint {name!r} has a '
                'rotor_inertia, which PyBullet cannot have; expected none, or engine:=mujoco'
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
    """A robot as PyBullet has it, with (joints,) more inertia about the joint axes [kg m^2]."""
    urdf = parsed(spec.urdf)
    added = {}
    for name, inertia in zip(spec.joints, more.tolist(), strict=True):
        joint = urdf.joint(name)
        added[joint.child] = inertia * np.outer(joint.axis, joint.axis)
    links = tuple(
        replace(link, inertia=link.inertia + added.get(link.name, 0.0)) for link in urdf.links
    )
    return replace(urdf, links=links)
