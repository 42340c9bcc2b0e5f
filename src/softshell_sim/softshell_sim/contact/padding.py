"""Shapes that are grown or shrunk by the thickness of the layer round a body."""

import xml.etree.ElementTree as ElementTree

from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.number_checks import THICKEST, number_problems
from softshell_sim.shapes import (
    Box,
    Capsule,
    Compound,
    Cylinder,
    Ground,
    Part,
    Shape,
    Sphere,
    thickness,
)


def refuse_padding(spec: ObjectSpec | RobotSpec) -> None:
    """Check the layer of a body.

    Raises:
        SoftshellError: no engine can make it; the text names the body and says why.
    """
    for problem in number_problems('padding', spec.padding, 'm', THICKEST):
        raise SoftshellError(f'body {spec.name!r}: {problem}')
    if not (spec.preshrink and spec.padding > 0.0):
        return
    if isinstance(spec, ObjectSpec):
        grown(spec.name, spec.shape, -spec.padding)
    else:
        grown_urdf(spec.name, spec.urdf, -spec.padding)


def grown(name: str, shape: Shape, by: float) -> Shape:
    """A shape with its surface moved outwards; box and cylinder keep their edges.

    Of a compound each part grows.

    Args:
        name: of the body, for messages.
        shape: a box, sphere, cylinder or capsule, or a compound of them.
        by: distance [m]; negative: inwards.

    Raises:
        SoftshellError: nothing would be left, or it is a plane or a height field.
    """
    if by == 0.0:
        return shape
    if isinstance(shape, Compound):
        parts = ((pose, _grown_part(name, part, by)) for pose, part in shape.parts)
        return Compound(tuple(parts))
    if isinstance(shape, Ground):
        raise SoftshellError(
            f'body {name!r}: a {type(shape).__name__} cannot be grown or shrunk by a layer; '
            'expected padding 0, or another shape'
        )
    return _grown_part(name, shape, by)


def _grown_part(name: str, shape: Part, by: float) -> Part:
    thick = thickness(shape)
    if 0.5 * thick + by <= 0.0:
        raise SoftshellError(
            f'body {name!r}: a layer of {-by} m leaves nothing of its {type(shape).__name__}, '
            f'which is {thick} m thick; expected padding below half of that'
        )
    match shape:
        case Box((x, y, z)):
            return Box((x + 2 * by, y + 2 * by, z + 2 * by))
        case Sphere(radius):
            return Sphere(radius + by)
        case Capsule(radius, length):
            return Capsule(radius + by, length)
        case Cylinder(radius, length):
            return Cylinder(radius + by, length + 2 * by)


def grown_urdf(name: str, urdf: str, by: float) -> str:
    """A URDF with its collision shapes grown, except meshes; see `grown`.

    Args:
        name: of the robot, for messages.
        urdf: its text.
        by: distance [m]; negative: inwards.

    Raises:
        SoftshellError: nothing would be left of a shape, or `by` is negative and there is a mesh.
    """
    if by == 0.0:
        return urdf
    root = ElementTree.fromstring(urdf)
    for link in root.findall('link'):
        label = f'{name}/{link.get("name")}'
        for kind in link.findall('collision/geometry/*'):
            if kind.tag == 'mesh' and by < 0.0:
                raise SoftshellError(
                    f'body {label!r}: a mesh cannot be shrunk by its layer; '
                    'expected preshrink off, or collision shapes without meshes'
                )
            if kind.tag != 'mesh':
                _grow(label, kind, by)
    return ElementTree.tostring(root, encoding='unicode')


def _grow(label: str, kind: ElementTree.Element, by: float) -> None:
    def numbers(attribute: str) -> list[float]:
        return [float(value) for value in kind.get(attribute, '0').split()]

    if kind.tag == 'box':
        x, y, z = numbers('size')
        box = grown(label, Box((x, y, z)), by)
        assert isinstance(box, Box)
        kind.set('size', ' '.join(repr(side) for side in box.size))
    elif kind.tag in ('sphere', 'capsule'):
        # The straight part of a capsule keeps its length.
        ball = grown(label, Sphere(numbers('radius')[0]), by)
        assert isinstance(ball, Sphere)
        kind.set('radius', repr(ball.radius))
    elif kind.tag == 'cylinder':
        rod = grown(label, Cylinder(numbers('radius')[0], numbers('length')[0]), by)
        assert isinstance(rod, Cylinder)
        kind.set('radius', repr(rod.radius))
        kind.set('length', repr(rod.length))
