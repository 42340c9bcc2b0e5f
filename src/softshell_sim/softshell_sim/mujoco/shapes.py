"""Shapes as MuJoCo's geometries: of a URDF's links, and of objects."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_angles, shift
from softshell_sim.pictures.meshes import meshes_of
from softshell_sim.shapes import Box, Capsule, Cylinder, Ground, HeightField, Part, Sphere

#: Groups of shapes: those that are only seen, and those that the viewer hides for them.
SEEN, HIDDEN = 1, 3
#: Between the highest and the lowest point of a height field at least, and below it [m].
THINNEST, BASE = 1e-6, 1.0


def collision_shapes(link: ElementTree.Element) -> Iterator[tuple[Array, dict[str, Any]]]:
    """Where the collision shapes of a link are, and what they are."""
    for element in link.findall('collision'):
        yield from _placed(element)


def visual_shapes(
    robot: ElementTree.Element, link: ElementTree.Element
) -> Iterator[tuple[Array, dict[str, Any]]]:
    """Likewise its visual ones, with their colours."""
    colours = {
        material.get('name'): colour.get('rgba', '')
        for material in robot.iter('material')
        if (colour := material.find('color')) is not None
    }
    for element in link.findall('visual'):
        material = element.find('material')
        rgba = colours.get(material.get('name') if material is not None else None, '')
        options: dict[str, Any] = {'group': SEEN}
        if rgba:
            options['rgba'] = [float(value) for value in rgba.split()]
        for pose, shape in _placed(element):
            yield pose, shape | options


def _placed(element: ElementTree.Element) -> Iterator[tuple[Array, dict[str, Any]]]:
    origin, pose = element.find('origin'), np.eye(4)
    if origin is not None:
        xyz, rpy = ((origin.get(key) or '0 0 0').split() for key in ('xyz', 'rpy'))
        pose[:3, 3] = [float(value) for value in xyz]
        pose[:3, :3] = rotation_from_angles([float(value) for value in reversed(rpy)])
    geometry = element.find('geometry')
    for kind in geometry if geometry is not None else ():
        for shape in _of_element(kind):
            yield pose, shape


def _of_element(kind: ElementTree.Element) -> list[dict[str, Any]]:
    def numbers(name: str, default: str) -> tuple[float, ...]:
        return tuple(float(value) for value in kind.get(name, default).split())

    if kind.tag == 'box':
        return [geom_of(Box(numbers('size', '0 0 0')))]  # type: ignore[arg-type]
    if kind.tag == 'sphere':
        return [geom_of(Sphere(*numbers('radius', '0')))]
    if kind.tag in ('cylinder', 'capsule'):
        shape = Cylinder if kind.tag == 'cylinder' else Capsule
        return [geom_of(shape(*numbers('radius', '0'), *numbers('length', '0')))]
    return [{'type': mujoco.mjtGeom.mjGEOM_MESH, 'mesh': mesh} for mesh in meshes_of(kind)]


def geom_of(shape: Part | Ground) -> dict[str, Any]:
    """A shape as options of a geometry."""
    geom = mujoco.mjtGeom
    match shape:
        case Box(size):
            return {'type': geom.mjGEOM_BOX, 'size': [side / 2 for side in size]}
        case Sphere(radius):
            return {'type': geom.mjGEOM_SPHERE, 'size': [radius, 0.0, 0.0]}
        case Cylinder(radius, length):
            return {'type': geom.mjGEOM_CYLINDER, 'size': [radius, length / 2, 0.0]}
        case Capsule(radius, length):
            return {'type': geom.mjGEOM_CAPSULE, 'size': [radius, length / 2, 0.0]}
        case HeightField(heights, (x, y)):
            rows, columns = heights.shape
            field = {
                'nrow': rows,
                'ncol': columns,
                'size': [x / 2, y / 2, max(float(np.ptp(heights)), THINNEST), BASE],
                'userdata': heights.ravel(),
            }
            return {'type': geom.mjGEOM_HFIELD, 'heights': field}
    return {'type': geom.mjGEOM_PLANE, 'size': [0.0, 0.0, 1.0]}


def offset_of(shape: Part | Ground) -> Array:
    """(4, 4) of MuJoCo's frame in that of a shape: it puts the lowest height at the origin."""
    return shift(z=float(shape.heights.min()) if isinstance(shape, HeightField) else 0.0)
