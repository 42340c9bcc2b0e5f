"""What the ground and the objects of a scene look like."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Change, Spawn
from softshell_sim.pictures.meshes import Mesh, meshes_of
from softshell_sim.pictures.visuals import Triangles, joined, triangles_of
from softshell_sim.shapes import (
    MOST_SAMPLES,
    Box,
    Capsule,
    Cylinder,
    HeightField,
    Shape,
    Sphere,
    parts_of,
)

#: Colours of bodies that stand still, and of those that can move.
STONE, WOOD = (0.62, 0.58, 0.52), (0.85, 0.6, 0.3)
#: Ground no higher than this is not drawn: it looks like the floor [m].
LOW = 1e-4


class Surroundings:
    """What the bodies of a scene look like, where they are.

    Bodies that have links are not drawn, and neither are planes.

    Args:
        changes: of a scene file.
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        specs = [change.spec for change in changes if isinstance(change, Spawn)]
        shapes = [spec for spec in specs if isinstance(spec, ObjectSpec)]
        self._still = joined([_seen(one, STONE).at(one.pose) for one in shapes if one.stands])
        self._loose = {one.name: _seen(one, WOOD) for one in shapes if not one.stands}
        self._begin = {one.name: one.pose for one in shapes}

    def at(self, poses: Mapping[str, Array]) -> Triangles:
        """All of it as triangles in the world.

        Args:
            poses: (4, 4) of bodies that can move, by name; others are where the scene has them.
        """
        if not self._loose:  # as in most scenes: the same triangles for every picture
            return self._still
        loose = [seen.at(poses.get(name, self._begin[name])) for name, seen in self._loose.items()]
        return joined([self._still, *loose])


def _seen(spec: ObjectSpec, colour: tuple[float, float, float]) -> Triangles:
    """A body in its own frame."""
    return joined([*_parts(spec.shape, colour)])


def _parts(shape: Shape, colour: tuple[float, float, float]) -> Iterator[Triangles]:
    for pose, part in parts_of(shape):
        for mesh in meshes_of_shape(part):
            seen = triangles_of(mesh)
            colours = np.tile(colour, (len(seen.corners), 1))
            yield Triangles(seen.corners, seen.normals, colours).at(pose)


def meshes_of_shape(part: object, most_samples: int = MOST_SAMPLES) -> list[Mesh]:
    """A shape as triangles; a plane has none.

    Args:
        part: the shape, of one piece.
        most_samples: of a height field along each axis; of more, some are taken evenly.
    """
    match part:
        case Box(size):
            return meshes_of(_element('box', size=size))
        case Sphere(radius):
            return meshes_of(_element('sphere', radius=(radius,)))
        case Cylinder(radius, length):
            return meshes_of(_element('cylinder', radius=(radius,), length=(length,)))
        case Capsule(radius, length):
            return meshes_of(_element('capsule', radius=(radius,), length=(length,)))
        case HeightField(heights, size):
            rows, columns = (
                np.unique(np.linspace(0, count - 1, min(count, most_samples)).round().astype(int))
                for count in heights.shape
            )
            return [_surface(heights[np.ix_(rows, columns)], size)]
    return []


def _element(kind: str, **lengths: tuple[float, ...]) -> ElementTree.Element:
    def text(values: tuple[float, ...]) -> str:
        return ' '.join(str(float(value)) for value in values)

    return ElementTree.Element(kind, {name: text(values) for name, values in lengths.items()})


def _surface(heights: Array, size: tuple[float, float]) -> Mesh:
    """Two triangles between each four samples, without those that are as low as its origin."""
    rows, columns = heights.shape
    x = np.linspace(-0.5 * size[0], 0.5 * size[0], columns)
    y = np.linspace(-0.5 * size[1], 0.5 * size[1], rows)
    vertices = np.stack([*np.meshgrid(x, y), heights], axis=-1).reshape(-1, 3)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    lower = np.column_stack([corner, corner + 1, corner + columns])
    upper = np.column_stack([corner + 1, corner + columns + 1, corner + columns])
    faces = np.concatenate([lower, upper])
    return Mesh(vertices, faces[np.abs(vertices[faces, 2]).max(axis=1) > LOW])
