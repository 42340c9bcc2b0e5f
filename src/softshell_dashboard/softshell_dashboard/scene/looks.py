"""What a robot looks like, as few shapes that are each drawn many times.

A viewer draws a shape at many places in one go. So what looks the same on several links, but for
its colour, is one shape with several instances.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.pictures.visuals import Triangles

#: Corners nearer than this are one [m].
NEAR = 1e-5


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape, and the links that show it.

    Attributes:
        vertices: (vertices, 3) in the frame of a link [m].
        faces: (faces, 3) numbers of vertices.
        links: (instances,) numbers of the links that it is drawn on.
        colours: (instances, 3) red, green, blue, 0 to 255.
    """

    vertices: Array
    faces: NDArray[np.int64]
    links: NDArray[np.int64]
    colours: NDArray[np.uint8]


def shapes_of(looks: Mapping[str, Triangles], links: Sequence[str]) -> list[Shape]:
    """The shapes of a robot.

    Args:
        looks: triangles of each link, from `visuals_of`.
        links: all links; numbers of links are places in it.
    """
    found: dict[bytes, tuple[Triangles, list[int], list[Array]]] = {}
    for place, link in enumerate(links):
        for part, colour in _parts(looks[link]):
            key = np.round(part.corners / NEAR).astype(np.int64).tobytes()
            known = found.setdefault(key, (part, [], []))
            known[1].append(place)
            known[2].append(colour)
    return [
        Shape(
            *welded(part.corners, part.normals),
            np.array(places, dtype=np.int64),
            (np.array(colours) * 255.0).round().astype(np.uint8),
        )
        for part, places, colours in found.values()
    ]


def _parts(looks: Triangles) -> Iterator[tuple[Triangles, Array]]:
    """What is of one colour each."""
    if not len(looks.corners):
        return
    colours, which = np.unique(looks.colours.round(3), axis=0, return_inverse=True)
    for number, colour in enumerate(colours):
        chosen = which.reshape(-1) == number
        yield (
            Triangles(looks.corners[chosen], looks.normals[chosen], looks.colours[chosen]),
            colour,
        )


def welded(corners: Array, normals: Array) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and faces of triangles whose corners are one where place and normal agree.

    Args:
        corners, normals: (triangles, 3, 3) [m] and unit vectors.

    Returns:
        (vertices, 3) [m], and (triangles, 3) numbers of them. Edges that are sharp have vertices
        of their own on either side, so that a viewer shades them as edges.
    """
    keys = np.concatenate(
        [np.round(corners.reshape(-1, 3) / NEAR), np.round(normals.reshape(-1, 3), 2) * 1e3],
        axis=1,
    ).astype(np.int64)
    _, first, faces = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return corners.reshape(-1, 3)[first], faces.reshape(-1, 3)
