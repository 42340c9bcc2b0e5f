"""Objects of one shape, or of a compound of shapes, in PyBullet."""

import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.urdf import Link
from softshell_kinematics.transforms import angles_from_rotation, quaternion_from_rotation
from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.shapes import (
    Blocks,
    Box,
    Capsule,
    Compound,
    Cylinder,
    HeightField,
    Part,
    Shape,
    Sphere,
)
from softshell_sim.urdf.flatten import write_inertia

#: Values for options that a shape in an array of shapes does not use.
UNUSED = {'halfExtents': [0.1, 0.1, 0.1], 'radius': 0.1, 'height': 0.1}
#: Shapes in an array at most; PyBullet drops all further ones without an error.
MOST_IN_ARRAY = 16


def make_object(client: int, shape: Shape, mass: float, centre: Array, inertia: Array) -> int:
    """Make a body of one link; returns PyBullet's number of it.

    Args:
        client: of PyBullet.
        shape: collision shape.
        mass: [kg]; 0: it stands still.
        centre: (3,) centre of mass in the frame of the shape [m].
        inertia: (3, 3) about the centre of mass [kg m^2].
    """
    if isinstance(shape, Blocks):
        return _make_many(client, shape.boxes(), Link('', mass, centre, inertia))
    if isinstance(shape, Compound) and len(shape.parts) > MOST_IN_ARRAY:
        return _make_many(client, shape.parts, Link('', mass, centre, inertia))
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.linalg.det(axes)
    number: int = pybullet.createMultiBody(
        mass,
        _collision_shape(client, shape),
        baseInertialFramePosition=centre.tolist(),
        baseInertialFrameOrientation=quaternion_from_rotation(axes).tolist(),
        physicsClientId=client,
    )
    if mass > 0.0:
        # PyBullet would take the inertia of the bounding box of the shape, layer included.
        pybullet.changeDynamics(
            number, -1, localInertiaDiagonal=moments.tolist(), physicsClientId=client
        )
    return number


def _make_many(client: int, parts: Iterable[tuple[Array, Part]], whole: Link) -> int:
    """Make a body of any number of parts, which PyBullet can only read from a URDF."""
    robot = ElementTree.Element('robot', name='compound')
    link = ElementTree.SubElement(robot, 'link', name='compound')
    write_inertia(link, whole)
    for pose, part in parts:
        collision = ElementTree.SubElement(link, 'collision')
        rpy = angles_from_rotation(pose[:3, :3])[::-1]
        ElementTree.SubElement(collision, 'origin', xyz=_written(*pose[:3, 3]), rpy=_written(*rpy))
        geometry = ElementTree.SubElement(collision, 'geometry')
        geometry.append(_element(part))
    ElementTree.indent(robot)  # PyBullet cannot read lines longer than a few kB
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'compound.urdf'
        path.write_text(ElementTree.tostring(robot, encoding='unicode'), encoding='utf-8')
        number: int = pybullet.loadURDF(
            str(path),
            useFixedBase=whole.mass == 0.0,
            flags=pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_USE_IMPLICIT_CYLINDER,
            physicsClientId=client,
        )
    return number


def _element(part: Part) -> ElementTree.Element:
    """A part as an element of a URDF's <geometry>."""
    match part:
        case Box(size):
            return ElementTree.Element('box', size=_written(*size))
        case Sphere(radius):
            return ElementTree.Element('sphere', radius=_written(radius))
        case Cylinder(radius, length) | Capsule(radius, length):
            kind = type(part).__name__.lower()
            return ElementTree.Element(kind, radius=_written(radius), length=_written(length))


def _written(*values: float) -> str:
    return ' '.join(repr(float(value)) for value in values)


def _collision_shape(client: int, shape: Shape) -> int:
    """PyBullet's number of a new collision shape."""
    if not isinstance(shape, Compound):
        number: int = pybullet.createCollisionShape(**_options(shape), physicsClientId=client)
        return number
    options = [{**UNUSED, **_options(part)} for _, part in shape.parts]
    compound: int = pybullet.createCollisionShapeArray(
        shapeTypes=[each['shapeType'] for each in options],
        halfExtents=[each['halfExtents'] for each in options],
        radii=[each['radius'] for each in options],
        lengths=[each['height'] for each in options],
        collisionFramePositions=[pose[:3, 3].tolist() for pose, _ in shape.parts],
        collisionFrameOrientations=[
            quaternion_from_rotation(pose[:3, :3]).tolist() for pose, _ in shape.parts
        ],
        physicsClientId=client,
    )
    return compound


def _options(shape: Shape) -> dict[str, Any]:
    """Arguments of `createCollisionShape` for a shape."""
    match shape:
        case Box(size):
            return {'shapeType': pybullet.GEOM_BOX, 'halfExtents': [side / 2 for side in size]}
        case Sphere(radius):
            return {'shapeType': pybullet.GEOM_SPHERE, 'radius': radius}
        case Cylinder(radius, length):
            return {'shapeType': pybullet.GEOM_CYLINDER, 'radius': radius, 'height': length}
        case Capsule(radius, length):
            return {'shapeType': pybullet.GEOM_CAPSULE, 'radius': radius, 'height': length}
        case HeightField(heights, (x, y)):
            rows, columns = heights.shape
            return {
                'shapeType': pybullet.GEOM_HEIGHTFIELD,
                # Without it, edges between triangles of one plane brake what slides over them.
                'flags': pybullet.GEOM_CONCAVE_INTERNAL_EDGE,
                'meshScale': [x / (columns - 1), y / (rows - 1), 1.0],
                'heightfieldData': heights.ravel().tolist(),
                'numHeightfieldRows': columns,
                'numHeightfieldColumns': rows,
            }
    return {'shapeType': pybullet.GEOM_PLANE}
