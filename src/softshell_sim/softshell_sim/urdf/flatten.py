"""A URDF for physics: links on fixed joints are merged into the body that carries them.

Bullet would give a link without inertia 1 kg, and engines spend time on every fixed joint.
`<mimic>` is left out: the drives couple these joints, in the same way for all engines.
"""

import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Joint, Link, parallel_axis
from softshell_kinematics.model.urdf_reader import plain_xml
from softshell_kinematics.transforms import angles_from_rotation
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.shapes import FROM, is_kept, origin_pose

#: How far the length of an axis may be from 1, so that it stays as it is written.
ROUNDED = 1e-9


@dataclass(frozen=True, eq=False)
class Flattened:
    """A URDF in which every joint moves.

    Args:
        text: the URDF.
        frames: for each link, the name of the body that it became part of and its (4, 4) pose in
            that body.
    """

    text: str
    frames: dict[str, tuple[str, Array]]


def flatten(text: str, visuals: bool = False) -> Flattened:
    """Merge links that fixed joints hold together; a warning names shapes that are left out.

    Args:
        text: the URDF.
        visuals: keep visual geometry.

    Raises:
        SoftshellError: the text is no URDF, or a link has a shape that is unknown or has wrong
            lengths.
    """
    urdf = parsed(text)
    source = ElementTree.fromstring(plain_xml(text))
    frames = urdf.bodies
    robot = ElementTree.Element('robot', name=urdf.name)
    robot.extend(source.findall('material'))
    bodies = {}
    for link in urdf.links:
        if frames[link.name][0] == link.name:
            bodies[link.name] = ElementTree.SubElement(robot, 'link', name=link.name)
            members = [other for other in urdf.links if frames[other.name][0] == link.name]
            write_inertia(
                bodies[link.name],
                combined_inertia(members, [frames[other.name][1] for other in members]),
            )
    shapes = [(element, 'collision') for element in source.findall('link')]
    if visuals:
        # Bullet's window paints a body in the colour of its last shape, so its own come last.
        shapes += [(element, 'visual') for element in reversed(source.findall('link'))]
    left_out: list[str] = []
    for element, kind in shapes:
        name = element.get('name', '')
        body, pose = frames[name]
        for shape in element.findall(kind):
            if not is_kept(name, shape, left_out):
                continue
            if name != body:
                shape.set(FROM, name)
            _move(shape, pose)
            bodies[body].append(shape)
    if left_out:
        warnings.warn(f'URDF {urdf.name!r}: left out: {"; ".join(left_out)}', stacklevel=2)
    for element in source.findall('joint'):
        if element.get('type') != 'fixed':
            _move_joint(element, frames)
            _write_motion(element, urdf.joint(element.get('name', '')))
            robot.append(element)
    ElementTree.indent(robot)
    return Flattened(ElementTree.tostring(robot, encoding='unicode'), frames)


def combined_inertia(links: list[Link], poses: list[Array]) -> Link:
    """Mass and inertia of several rigid parts as one, by the parallel-axis theorem.

    Args:
        links: the parts.
        poses: (4, 4) of each in the common frame.

    Returns:
        A link in the common frame; without mass if no part has any.
    """
    mass = sum(link.mass for link in links)
    if mass <= 0.0:
        return Link('')
    centres = [
        pose[:3, :3] @ link.com + pose[:3, 3] for link, pose in zip(links, poses, strict=True)
    ]
    com = np.average(centres, axis=0, weights=[link.mass for link in links])
    inertia = np.zeros((3, 3))
    for link, pose, centre in zip(links, poses, centres, strict=True):
        turn = pose[:3, :3]
        inertia += turn @ link.inertia @ turn.T
        inertia += parallel_axis(link.mass, centre - com)
    return Link('', mass, com, inertia)


def write_inertia(body: ElementTree.Element, whole: Link) -> None:
    """Give a `<link>` the mass and inertia of another link."""
    moments, axes = np.linalg.eigh(whole.inertia)
    # No body has a principal moment above the sum of the others. Rounded files have such moments:
    # MuJoCo would refuse them, and PyBullet would take no inertia at all.
    moments[:2] += 0.5 * max(moments[2] * (1.0 + 1e-9) - moments[0] - moments[1], 0.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    # Along the principal axes, so that Bullet does not diagonalise the matrix in its own way.
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, whole.com
    inertial = ElementTree.SubElement(body, 'inertial')
    _write_origin(inertial, pose)
    ElementTree.SubElement(inertial, 'mass', value=repr(float(whole.mass)))
    xx, yy, zz = (repr(float(moment)) for moment in moments)
    ElementTree.SubElement(inertial, 'inertia', ixx=xx, iyy=yy, izz=zz, ixy='0', ixz='0', iyz='0')


def _move_joint(element: ElementTree.Element, frames: dict[str, tuple[str, Array]]) -> None:
    """Attach a joint to the body that its parent link became part of."""
    parent = element.find('parent')
    assert parent is not None
    body, pose = frames[parent.get('link', '')]
    parent.set('link', body)
    _move(element, pose)


def _write_motion(element: ElementTree.Element, joint: Joint) -> None:
    """Write a joint's axis and range as they are meant, and leave out what an engine refuses.

    Bullet does not normalise an axis, and where one end of a range is left out takes other ones.
    """
    for other in [*element.findall('mimic'), *element.findall('dynamics')]:
        if other.tag == 'mimic' or not {'damping', 'friction'} & other.attrib.keys():
            element.remove(other)
    axis = element.find('axis')
    if axis is not None:
        written = np.array(axis.get('xyz', '').split(), dtype=np.float64)
        if abs(np.linalg.norm(written) - 1.0) > ROUNDED:
            axis.set('xyz', ' '.join(map(repr, joint.axis.tolist())))
    limit = element.find('limit')
    if limit is not None and joint.type in ('revolute', 'prismatic'):
        for name, end in (('lower', joint.lower), ('upper', joint.upper)):
            limit.set(name, limit.get(name, repr(float(end))))


def _move(element: ElementTree.Element, pose: Array) -> None:
    """Give an element's origin in the frame of a body where its own frame has a (4, 4) pose."""
    place = origin_pose(element)
    for origin in element.findall('origin'):
        element.remove(origin)
    _write_origin(element, pose @ place)


def _write_origin(element: ElementTree.Element, pose: Array) -> None:
    rpy = angles_from_rotation(pose[:3, :3])[::-1]
    ElementTree.SubElement(
        element,
        'origin',
        xyz=' '.join(repr(float(value)) for value in pose[:3, 3]),
        rpy=' '.join(repr(float(value)) for value in rpy),
    )
