"""Shapes of a URDF's links, and of objects, as geometries of MuJoCo."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.pictures.meshes import Mesh, meshes_of
from softshell_sim.shapes import Box, Capsule, Cylinder, Ground, HeightField, Part, Sphere
from softshell_sim.urdf.shapes import colour_of, label_of, origin_pose

#: Groups of geometries: visual shapes, and collision shapes that the viewer hides.
SEEN, HIDDEN = 1, 3
#: Smallest range of heights of a height field, and thickness of the ground below it [m].
THINNEST, BASE = 1e-6, 1.0
#: Thickness against length of a mesh that may be flat, and smallest area of one [m^2].
NARROW, SMALLEST = 1e-3, 1e-14


def collision_shapes(link: ElementTree.Element) -> Iterator[tuple[Array, dict[str, Any]]]:
    """The (4, 4) pose in the link, and options of the geometry, of each collision shape.

    Raises:
        SoftshellError: a mesh cannot be read, or is flat; the text names its link and file.
    """
    for element in link.findall('collision'):
        label = label_of(link.get('name', ''), element)
        for pose, shape in _placed(element, label):
            if 'mesh' in shape and _is_flat(shape['mesh']):
                # MuJoCo would find it out in the world of all bodies, where it is too late.
                files = (mesh.get('filename', '') for mesh in element.findall('geometry/mesh'))
                raise SoftshellError(
                    f'{label}: mesh {", ".join(files)} is flat, or has a flat object; expected '
                    'bodies with a volume, such as a box in place of it, or engine:=pybullet'
                )
            yield pose, shape


def visual_shapes(
    robot: ElementTree.Element, link: ElementTree.Element
) -> Iterator[tuple[Array, dict[str, Any]]]:
    """The (4, 4) pose in the link, and options with the colour, of each visual shape.

    Raises:
        SoftshellError: a colour is no colour, or a mesh cannot be read.
    """
    colours = {
        material.get('name'): colour.get('rgba', '')
        for material in robot.iter('material')
        if (colour := material.find('color')) is not None
    }
    for element in link.findall('visual'):
        options: dict[str, Any] = {'group': SEEN}
        material = element.find('material')
        if material is not None:
            own = material.find('color')
            rgba = colours.get(material.get('name'), '') if own is None else own.get('rgba', '')
            if rgba:
                options['rgba'] = colour_of(rgba)
        for pose, shape in _placed(element, label_of(link.get('name', ''), element)):
            if 'mesh' not in shape or _area(shape['mesh']) > SMALLEST:
                yield pose, shape | options


def _placed(element: ElementTree.Element, label: str) -> Iterator[tuple[Array, dict[str, Any]]]:
    pose, geometry = origin_pose(element), element.find('geometry')
    for kind in geometry if geometry is not None else ():
        for shape in _of_element(kind, label):
            yield pose, shape


def _of_element(kind: ElementTree.Element, label: str) -> list[dict[str, Any]]:
    def numbers(name: str, default: str) -> tuple[float, ...]:
        return tuple(float(value) for value in kind.get(name, default).split())

    if kind.tag == 'box':
        return [geom_of(Box(numbers('size', '0 0 0')))]  # type: ignore[arg-type]
    if kind.tag == 'sphere':
        return [geom_of(Sphere(*numbers('radius', '0')))]
    if kind.tag in ('cylinder', 'capsule'):
        shape = Cylinder if kind.tag == 'cylinder' else Capsule
        return [geom_of(shape(*numbers('radius', '0'), *numbers('length', '0')))]
    meshes = meshes_of(kind, label)
    return [{'type': mujoco.mjtGeom.mjGEOM_MESH, 'mesh': mesh} for mesh in meshes]


def _is_flat(mesh: Mesh) -> bool:
    """Whether a mesh has no convex hull in MuJoCo, which has its vertices in single precision."""
    points = mesh.vertices.astype(np.float32).astype(np.float64)
    if len(points) <= 3:
        return True
    extent = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if extent[2] > NARROW * extent[0]:
        return False
    try:
        ConvexHull(points, qhull_options='Qt Pp')
    except QhullError:
        return True
    return False


def _area(mesh: Mesh) -> float:
    """Area of a mesh [m^2]."""
    a, b, c = mesh.vertices[mesh.faces.T]
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def geom_of(shape: Part | Ground) -> dict[str, Any]:
    """Options of MuJoCo's geometry for a shape; `heights` holds those of a height field."""
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
    """(4, 4) pose of MuJoCo's geometry in a shape: its lowest height is at its origin."""
    return shift(z=float(shape.heights.min()) if isinstance(shape, HeightField) else 0.0)
