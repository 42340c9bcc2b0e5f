"""Objects of one shape, or of several as one, as PyBullet makes them."""

import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import angles_from_rotation, quaternion_from_rotation
from softshell_kinematics.urdf import Link
from softshell_sim.flatten import write_inertia
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

#: Entries of a list of shapes that a shape makes no use of.
UNUSED = {'halfExtents': [0.1, 0.1, 0.1], 'radius': 0.1, 'height': 0.1}
#: Parts of an array of shapes that PyBullet takes; it forgets all further ones without a word.
MOST_IN_ARRAY = 16


def make_object(client: int, shape: Shape, mass: float, centre: Array, inertia: Array) -> int:
    """PyBullet's number of a new body.

    Args:
        client: PyBullet's number of its world.
        shape: that collides.
        mass: [kg]; 0: it stands still.
        centre: (3,) of its mass [m].
        inertia: (3, 3) about it [kg m^2].
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
        # PyBullet would take those of a box around the shape; and a layer weighs nothing.
        pybullet.changeDynamics(
            number, -1, localInertiaDiagonal=moments.tolist(), physicsClientId=client
        )
    return number


def _make_many(client: int, parts: Iterable[tuple[Array, Part]], whole: Link) -> int:
    """A body of any number of parts, which PyBullet takes from a URDF alone."""
    robot = ElementTree.Element('robot', name='compound')
    link = ElementTree.SubElement(robot, 'link', name='compound')
    write_inertia(link, whole)
    for pose, part in parts:
        collision = ElementTree.SubElement(link, 'collision')
        rpy = angles_from_rotation(pose[:3, :3])[::-1]
        ElementTree.SubElement(collision, 'origin', xyz=_written(*pose[:3, 3]), rpy=_written(*rpy))
        geometry = ElementTree.SubElement(collision, 'geometry')
        geometry.append(_element(part))
    ElementTree.indent(robot)  # PyBullet reads lines of a few kB
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
    """A part as the shape of a URDF."""
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
    """What `createCollisionShape` wants to know."""
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
                # Else what slides is braked where triangles meet, though they lie in one plane.
                'flags': pybullet.GEOM_CONCAVE_INTERNAL_EDGE,
                'meshScale': [x / (columns - 1), y / (rows - 1), 1.0],
                'heightfieldData': heights.ravel().tolist(),
                'numHeightfieldRows': columns,
                'numHeightfieldColumns': rows,
            }
    return {'shapeType': pybullet.GEOM_PLANE}
