"""Pictures of a world's shapes at given poses: triangles, and planes without an end.

The compiled functions need only poses from an engine, and release the GIL.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.pictures.coverage import Point, cover_in_view
from softshell_sim.sensing.camera import LIGHT_FROM, SKY, Picture, View

#: Unit vector to where the light comes from, in the world.
TO_LIGHT = np.array(LIGHT_FROM) / np.linalg.norm(LIGHT_FROM)
#: Parts of the light that come from all around, and from that direction.
AMBIENT, DIFFUSE = 0.5, 0.5
#: Side of the tiles of a plane [m], and their colours, of 255.
TILE = 1.0
TILES = ((237.0, 237.0, 237.0), (158.0, 179.0, 230.0))
#: Indices of vertices, triangles or shapes.
Places = NDArray[np.int32]


class Scenery(NamedTuple):
    """Shapes that are seen, each in a frame of its own.

    Args:
        vertices: (vertices, 3) [m].
        faces: (triangles, 3) indices of vertices.
        owners: (triangles,) index of the shape of each.
        first_vertex, first_face: (shapes + 1,) where those of each shape begin.
        radii: (shapes,) of a ball about the shape's origin that contains it [m].
        planes: (planes,) indices of the shapes that are planes: z = 0, seen from above; they
            have no triangles.
        colours: (shapes, 3) red, green and blue, 0 to 255; those of planes are not used.
    """

    vertices: Array
    faces: Places
    owners: Places
    first_vertex: Places
    first_face: Places
    radii: Array
    planes: Places
    colours: Array


class Poses(NamedTuple):
    """Where shapes are, in the world or seen from the camera.

    Args:
        rotations: (shapes, 3, 3).
        positions: (shapes, 3) [m].
    """

    rotations: Array
    positions: Array


class Lens(NamedTuple):
    """A camera; pixel coordinates begin at the upper left corner of the picture.

    Args:
        width, height: of the picture [pixels].
        focal: its focal length [pixels].
        near, far: what is nearer or further is not seen [m].
    """

    width: int
    height: int
    focal: float
    near: float
    far: float


def draw(scenery: Scenery, poses: Poses, view: View) -> Picture:
    """Draw a picture; each shape has its colour, brighter where it faces the light.

    Args:
        scenery: the shapes.
        poses: where they are in the world.
        view: what to show.
    """
    axes = view.pose[:3, :3].T
    turns = axes @ poses.rotations
    places = (poses.positions - view.pose[:3, 3]) @ axes.T
    seen_from = Poses(turns, np.ascontiguousarray(places))
    lens = Lens(view.width, view.height, view.focal_length, float(view.near), float(view.far))
    depth = np.full((view.height, view.width), np.inf)
    seen = np.full(depth.shape, -1, dtype=np.int32)
    vertices = np.empty_like(scenery.vertices)
    rgb = np.empty((*depth.shape, 3), dtype=np.uint8)
    _draw_triangles(scenery, seen_from, lens, vertices, depth, seen)
    _draw_planes(scenery, seen_from, lens, depth, seen)
    _colour(
        scenery._replace(vertices=vertices), seen_from, lens, axes @ TO_LIGHT, depth, seen, rgb
    )
    return Picture(rgb, depth.astype(np.float32))


@njit(cache=True, nogil=True)
def _draw_triangles(
    scenery: Scenery, poses: Poses, lens: Lens, vertices: Array, depth: Array, seen: Places
) -> None:
    """Draw all triangles; writes `vertices` (vertices, 3) in the camera's frame [m]."""
    first = scenery.first_vertex
    for shape in range(len(scenery.radii)):
        place = poses.positions[shape]
        if not _may_be_seen(place, scenery.radii[shape], lens):
            continue
        turn = poses.rotations[shape]
        for i in range(first[shape], first[shape + 1]):
            x, y, z = scenery.vertices[i, 0], scenery.vertices[i, 1], scenery.vertices[i, 2]
            for k in range(3):
                vertices[i, k] = place[k] + turn[k, 0] * x + turn[k, 1] * y + turn[k, 2] * z
        for face in range(scenery.first_face[shape], scenery.first_face[shape + 1]):
            i, j, k = scenery.faces[face, 0], scenery.faces[face, 1], scenery.faces[face, 2]
            a = vertices[i, 0], vertices[i, 1], vertices[i, 2]
            b = vertices[j, 0], vertices[j, 1], vertices[j, 2]
            c = vertices[k, 0], vertices[k, 1], vertices[k, 2]
            cover_in_view(a, b, c, face, lens.focal, lens.near, depth, seen)


@njit(cache=True, nogil=True)
def _may_be_seen(place: Array, radius: float, lens: Lens) -> bool:
    """Whether a ball at a place (3,) in the camera's frame [m] may be in the picture."""
    x, y, z = abs(place[0]), abs(place[1]), place[2]
    if z + radius < lens.near or z - radius > lens.far:
        return False
    wide, high = 0.5 * lens.width / lens.focal, 0.5 * lens.height / lens.focal
    beside = (x - wide * z) / math.sqrt(1.0 + wide * wide)
    above = (y - high * z) / math.sqrt(1.0 + high * high)
    return bool(beside <= radius and above <= radius)


@njit(cache=True, nogil=True)
def _draw_planes(scenery: Scenery, poses: Poses, lens: Lens, depth: Array, seen: Places) -> None:
    """Draw all planes; their numbers follow those of the triangles."""
    for number, shape in enumerate(scenery.planes):
        turn, place = poses.rotations[shape], poses.positions[shape]
        height = turn[0, 2] * place[0] + turn[1, 2] * place[1] + turn[2, 2] * place[2]
        if height >= 0.0:  # the camera is below it
            continue
        for row in range(lens.height):
            y = (row + 0.5 - 0.5 * lens.height) / lens.focal
            for column in range(lens.width):
                x = (column + 0.5 - 0.5 * lens.width) / lens.focal
                slope = turn[0, 2] * x + turn[1, 2] * y + turn[2, 2]
                if slope < 0.0 and lens.near <= height / slope < depth[row, column]:
                    depth[row, column] = height / slope
                    seen[row, column] = len(scenery.faces) + number


@njit(cache=True, nogil=True)
def _colour(
    scenery: Scenery, poses: Poses, lens: Lens, light: Array, depth: Array, seen: Places,
    rgb: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write the colour of each pixel, and an infinite depth where nothing is near enough.

    Args:
        scenery: its vertices in the camera's frame.
        poses: of shapes in the camera's frame.
        lens: the camera.
        light: (3,) unit vector to where the light comes from.
        depth, seen: (height, width) what is seen.
        rgb: (height, width, 3) written.
    """
    normal, ray, count = np.empty(3), np.ones(3), len(scenery.faces)
    for row in range(lens.height):
        ray[1] = (row + 0.5 - 0.5 * lens.height) / lens.focal
        for column in range(lens.width):
            ray[0] = (column + 0.5 - 0.5 * lens.width) / lens.focal
            number, far = seen[row, column], depth[row, column]
            if number < 0 or far > lens.far:
                depth[row, column] = np.inf
                for k in range(3):
                    rgb[row, column, k] = SKY[k]
                continue
            if number < count:
                _normal(scenery, number, normal)
                colour = scenery.colours[scenery.owners[number]]
                red, green, blue = colour[0], colour[1], colour[2]
            else:
                shape = scenery.planes[number - count]
                normal[:] = poses.rotations[shape][:, 2]
                red, green, blue = _tile(poses.rotations[shape], poses.positions[shape], ray, far)
            facing = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]
            if normal[0] * ray[0] + normal[1] * ray[1] + normal[2] > 0.0:  # seen from behind
                facing = -facing
            lit = AMBIENT + DIFFUSE * max(facing, 0.0)
            rgb[row, column, 0] = int(lit * red + 0.5)
            rgb[row, column, 1] = int(lit * green + 0.5)
            rgb[row, column, 2] = int(lit * blue + 0.5)


@njit(cache=True, nogil=True)
def _normal(scenery: Scenery, face: int, normal: Array) -> None:
    """Write the unit normal (3,) of a triangle."""
    vertices, faces = scenery.vertices, scenery.faces
    i, j, k = faces[face, 0], faces[face, 1], faces[face, 2]
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        normal[axis] = (vertices[j, one] - vertices[i, one]) * (
            vertices[k, two] - vertices[i, two]
        ) - (vertices[j, two] - vertices[i, two]) * (vertices[k, one] - vertices[i, one])
    length = math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    for axis in range(3):
        normal[axis] /= max(length, 1e-300)


@njit(cache=True, nogil=True)
def _tile(turn: Array, place: Array, ray: Array, far: float) -> Point:
    """Colour of a chequered plane, 0 to 255, where a ray (3,) meets it at a depth `far` [m]."""
    tiles = 0
    for axis in range(2):
        way = 0.0
        for k in range(3):
            way += turn[k, axis] * (far * ray[k] - place[k])
        tiles += math.floor(way / TILE)
    return TILES[tiles % 2]
