"""The same robot for physics engines, which give a link without inertia a mass of their own.

PyBullet makes such a link weigh 1 kg: 13 kg too much for this robot, whose root, feet and tips are
mere frames.
"""

import xml.etree.ElementTree as ElementTree

import numpy as np
from numpy.typing import NDArray

from softshell_description.urdf import Joint, Link, Urdf, parse_urdf, rotation

Array = NDArray[np.float64]


def physics_urdf(text: str) -> str:
    """Lump what is fixed to a root without inertia into it; give other frames an explicit zero.

    Every moving part keeps its name, its place and its inertia, and so does the root. Parts fixed
    to the root lose their name and become part of it, with their looks and contacts.

    Args:
        text: a URDF.

    Raises:
        SoftshellError, ProblemsError: it is none, or not a tree.
    """
    urdf = parse_urdf(text)
    robot = ElementTree.fromstring(text)
    if urdf.link(urdf.root).mass == 0.0:
        _lump(robot, urdf)
    for link in robot.findall('link'):
        if link.find('inertial') is None:
            _set_inertial(link, 0.0, np.zeros(3), np.zeros((3, 3)))
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding='unicode')


def combined(parts: list[tuple[Link, Array]]) -> tuple[float, Array, Array]:
    """Mass, centre of mass (3,) and inertia (3, 3) about it of rigidly joined links.

    Args:
        parts: each link and its pose (4, 4) in a common frame.
    """
    masses = np.array([link.mass for link, _ in parts])
    coms = np.array([pose[:3, :3] @ link.com + pose[:3, 3] for link, pose in parts])
    com = masses @ coms / masses.sum()
    inertia = np.zeros((3, 3))
    for (link, pose), mass, arm in zip(parts, masses, coms - com, strict=True):
        turn = pose[:3, :3]
        inertia += turn @ link.inertia @ turn.T
        inertia += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return float(masses.sum()), com, inertia


def _lump(robot: ElementTree.Element, urdf: Urdf) -> None:
    """Walk the fixed joints out from the root, moving all that hangs on them."""
    root = urdf.root
    links = {link.get('name'): link for link in robot.findall('link')}
    joints = {joint.get('name'): joint for joint in robot.findall('joint')}
    poses = {root: np.eye(4)}
    parts = []
    for joint in _outwards(urdf):
        if joint.parent not in poses:
            continue
        pose = poses[joint.parent] @ joint.origin
        element = joints[joint.name]
        if joint.movable:
            _set_origin(element, pose)
            _required(element, 'parent').set('link', root)
            continue
        poses[joint.child] = pose
        if urdf.link(joint.child).mass > 0.0:
            parts.append((urdf.link(joint.child), pose))
        child = links[joint.child]
        for shape in [*child.findall('visual'), *child.findall('collision')]:
            _set_origin(shape, pose @ _origin(shape))
            links[root].append(shape)
        robot.remove(child)
        robot.remove(element)
    if parts:
        _set_inertial(links[root], *combined(parts))


def _outwards(urdf: Urdf) -> list[Joint]:
    """The joints, each after the one that carries it."""
    joints: list[Joint] = []
    frontier = [urdf.root]
    while frontier:
        parent = frontier.pop(0)
        children = [joint for joint in urdf.joints if joint.parent == parent]
        joints += children
        frontier += [joint.child for joint in children]
    return joints


def _required(element: ElementTree.Element, tag: str) -> ElementTree.Element:
    child = element.find(tag)
    return ElementTree.SubElement(element, tag) if child is None else child


def _origin(element: ElementTree.Element) -> Array:
    pose = np.eye(4)
    origin = element.find('origin')
    if origin is not None:
        pose[:3, 3] = [float(x) for x in origin.get('xyz', '0 0 0').split()]
        pose[:3, :3] = rotation(np.array([float(x) for x in origin.get('rpy', '0 0 0').split()]))
    return pose


def _set_origin(element: ElementTree.Element, pose: Array) -> None:
    turn = pose[:3, :3]
    rpy = (
        np.arctan2(turn[2, 1], turn[2, 2]),
        np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0])),
        np.arctan2(turn[1, 0], turn[0, 0]),
    )
    origin = _required(element, 'origin')
    origin.set('xyz', _text(pose[:3, 3]))
    origin.set('rpy', _text(rpy))


def _set_inertial(link: ElementTree.Element, mass: float, com: Array, inertia: Array) -> None:
    inertial = ElementTree.Element('inertial')
    ElementTree.SubElement(inertial, 'origin', xyz=_text(com), rpy='0 0 0')
    ElementTree.SubElement(inertial, 'mass', value=repr(float(mass)))
    values = ElementTree.SubElement(inertial, 'inertia')
    for key, (i, j) in zip(
        ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'),
        ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)),
        strict=True,
    ):
        values.set(key, repr(float(inertia[i, j])))
    link.insert(0, inertial)


def _text(values) -> str:
    return ' '.join(repr(float(value)) for value in values)
