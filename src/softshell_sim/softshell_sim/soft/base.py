"""How the origin of a soft body may move: not at all, upright, or freely."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from enum import Enum

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import angles_from_rotation, shift
from softshell_sim.urdf.parsed import parsed

#: Mass of each link of the stand, as part of the body's; its inertia is that of this mass at 1 cm.
LIGHT = 1e-6
#: How far an upright origin may go each way [m].
FARTHEST = 1e4
#: Joints of the stand in turn: name, type, and axis in the world.
WAYS = (
    ('x', 'prismatic', (1.0, 0.0, 0.0)),
    ('y', 'prismatic', (0.0, 1.0, 0.0)),
    ('z', 'prismatic', (0.0, 0.0, 1.0)),
    ('yaw', 'continuous', (0.0, 0.0, 1.0)),
)


class Base(Enum):
    """How the origin of a soft body may move."""

    #: Not at all.
    FIXED = 'fixed'
    #: Anywhere, and about the vertical: it never tilts, and weighs on what is below.
    UPRIGHT = 'upright'
    #: In any way.
    FREE = 'free'


def checked_base(base: object) -> Base:
    """A base, given as one or by its value.

    Raises:
        SoftshellError: there is none of this value; the text lists them.
    """
    try:
        return Base(base)
    except ValueError:
        known = ', '.join(repr(each.value) for each in Base)
        raise SoftshellError(f'base is {base!r}; expected one of {known}') from None


@dataclass(frozen=True, eq=False)
class Held:
    """A body with what holds its origin.

    Attributes:
        urdf: of both.
        joints: of the stand of an upright body, in the order x, y, z, yaw; else none.
        pose: (4, 4) of the root link in the world.
    """

    urdf: str
    joints: tuple[str, ...]
    pose: Array


def hold(urdf: str, base: Base, pose: Array) -> Held:
    """A body whose origin moves only as its base allows.

    An upright body is at the end of a stand of joints along and about the axes of the world, whose
    links weigh next to nothing; so it moves alike in every engine.

    Args:
        urdf: of the body.
        base: how its origin may move.
        pose: (4, 4) of its origin in the world.
    """
    if base is not Base.UPRIGHT:
        return Held(urdf, (), pose)
    read, robot = parsed(urdf), ElementTree.fromstring(urdf)
    mass = LIGHT * sum(link.mass for link in read.links)
    names = [f'stand_{name}' for name, _, _ in WAYS]
    for name in ('stand', *names[:-1]):
        _add_light_link(robot, name, mass)
    before = 'stand'
    for name, (_, kind, axis) in zip(names, WAYS, strict=True):
        last = name == names[-1]
        turn = pose[:3, :3] if last else np.eye(3)
        joint = ElementTree.SubElement(robot, 'joint', name=f'{name}_moves', type=kind)
        ElementTree.SubElement(joint, 'parent', link=before)
        ElementTree.SubElement(joint, 'child', link=read.root if last else name)
        ElementTree.SubElement(joint, 'origin', xyz='0 0 0', rpy=_text(*_angles(turn)))
        ElementTree.SubElement(joint, 'axis', xyz=_text(*(turn.T @ axis)))
        if kind == 'prismatic':
            ends = {'lower': _text(-FARTHEST), 'upper': _text(FARTHEST)}
            ElementTree.SubElement(joint, 'limit', {**ends, 'effort': '0', 'velocity': '0'})
        before = name
    ElementTree.indent(robot)
    text = ElementTree.tostring(robot, encoding='unicode')
    return Held(text, tuple(f'{name}_moves' for name in names), shift(*pose[:3, 3]))


def _add_light_link(robot: ElementTree.Element, name: str, mass: float) -> None:
    """Add a link without shape, of a mass [kg] and the inertia of this mass at 1 cm."""
    inertial = ElementTree.SubElement(ElementTree.SubElement(robot, 'link', name=name), 'inertial')
    ElementTree.SubElement(inertial, 'mass', value=_text(mass))
    moments = dict.fromkeys(('ixx', 'iyy', 'izz'), _text(1e-4 * mass))
    others = dict.fromkeys(('ixy', 'ixz', 'iyz'), '0')
    ElementTree.SubElement(inertial, 'inertia', {**moments, **others})


def _angles(turn: Array) -> tuple[float, ...]:
    """Roll, pitch and yaw of a rotation [rad]."""
    return tuple(angles_from_rotation(turn)[::-1])


def _text(*values: float) -> str:
    return ' '.join(repr(float(value)) for value in values)
