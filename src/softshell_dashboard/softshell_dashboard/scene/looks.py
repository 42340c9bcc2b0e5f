"""The looks of a robot as few shapes, each with many instances.

A viewer draws all instances of a shape at once, which is fast. So parts of several links that
differ only in colour become one shape with several instances.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.pictures.visuals import Triangles

#: Corners that are nearer to each other than this are merged [m].
NEAR = 1e-5


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape, and the links on which it is drawn.

    Attributes:
        vertices: (vertices, 3) in the frame of a link [m].
        faces: (faces, 3) indices of vertices.
        links: (instances,) indices of links.
        colours: (instances, 3) red, green and blue, 0 to 255.
    """

    vertices: Array
    faces: NDArray[np.int64]
    links: NDArray[np.int64]
    colours: NDArray[np.uint8]


def shapes_of(looks: Mapping[str, Triangles], links: Sequence[str]) -> list[Shape]:
    """The shapes of a robot.

    Args:
        looks: triangles of each link, by its name, from `visuals_of`.
        links: names of all links; indices of links are those in this sequence.
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
    """The triangles of each colour, and the colour."""
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
    """Merge the corners of triangles that agree in position and normal.

    Args:
        corners: (triangles, 3, 3) positions [m].
        normals: (triangles, 3, 3) unit normals at the corners.

    Returns:
        (vertices, 3) [m], and (triangles, 3) indices of vertices. At a sharp edge the normals
        differ, so each side keeps its own vertices, and a viewer shades it as an edge.
    """
    keys = np.concatenate(
        [np.round(corners.reshape(-1, 3) / NEAR), np.round(normals.reshape(-1, 3), 2) * 1e3],
        axis=1,
    ).astype(np.int64)
    _, first, faces = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return corners.reshape(-1, 3)[first], faces.reshape(-1, 3)
