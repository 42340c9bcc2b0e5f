"""The light on triangles and on the floor, with shadows.

All functions are compiled and release the GIL.

Sources: L. Williams, "Casting curved shadows on curved surfaces", 1978, for shadow maps;
J. F. Blinn, "Models of light reflection for computer synthesized pictures", 1977, for highlights.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: Parts of the light: ambient, diffuse from the lamp, highlights; and their exponent.
AMBIENT, DIFFUSE, SPECULAR, SHININESS = 0.46, 0.6, 0.1, 24.0
#: Floor tiles [m], their two colours, and the colour that they fade to far away.
TILE = 0.25
TILES = ((0.93, 0.93, 0.92), (0.79, 0.82, 0.84))
SKY = (1.0, 1.0, 1.0)
#: Part of its brightness that the floor loses in a shadow.
SHADOW = 0.25
#: Distances at which the floor begins to fade and is gone, divided by the lens's `reach`.
FADES, GONE = 1.5, 7.0


class Lamp(NamedTuple):
    """Parallel light with its shadow map.

    Args:
        axes: (3, 3) directions right, down and forward of the light in the world, as rows.
        origin: (3,) point in the world at the middle of the shadow map [m].
        scale: of the shadow map [pixels/m].
        depth: (pixels, pixels) shadow map: where light ends, forward from the origin [m].
    """

    axes: Array
    origin: Array
    scale: float
    depth: Array


class Lens(NamedTuple):
    """A camera with its depth buffer.

    Args:
        eye: (3,) its position in the world [m].
        axes: (3, 3) its directions right, down and forward in the world, as rows.
        focal: its focal length [pixels].
        reach: distance of the point that it looks at [m].
        depth: (height, width) depth of what each pixel shows, along forward [m].
        seen: (height, width) number of the triangle that each pixel shows; −1: none.
    """

    eye: Array
    axes: Array
    focal: float
    reach: float
    depth: Array
    seen: NDArray[np.int32]


@njit(cache=True, nogil=True)
def lit(x: float, y: float, z: float, lamp: Lamp) -> float:
    """Part of the lamp's light that reaches a point [m]: mean over 3 x 3 pixels of its map."""
    size, axes = lamp.depth.shape[0], lamp.axes
    x, y, z = x - lamp.origin[0], y - lamp.origin[1], z - lamp.origin[2]
    right = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
    down = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
    way = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
    column, row = int(right * lamp.scale + 0.5 * size), int(down * lamp.scale + 0.5 * size)
    if not (1 <= column < size - 1 and 1 <= row < size - 1):
        return 1.0
    # What is nearer to the lamp by less than a pixel of its map is the surface itself.
    way -= 1.0 / lamp.scale
    reached = 0
    for i in range(-1, 2):
        for j in range(-1, 2):
            reached += way <= lamp.depth[row + i, column + j]
    return reached / 9.0


@njit(cache=True, nogil=True)
def paint_floor(lens: Lens, ray: Array, down: float, lamp: Lamp, pixel: Array) -> None:
    """Write the colour (3,) of the chequered floor, `down` times the (3,) ray from the eye."""
    x, y = lens.eye[0] + down * ray[0], lens.eye[1] + down * ray[1]
    fade = min(max((down / lens.reach - FADES) / (GONE - FADES), 0.0), 1.0)
    # Tiles that pixels do not resolve blur into their mean.
    footprint = down * down / (lens.focal * lens.eye[2])
    sharp = min(max(1.5 - 2.0 * footprint / TILE, 0.0), 1.0) * 0.5
    part = 0.5 + sharp if (math.floor(x / TILE) + math.floor(y / TILE)) % 2 else 0.5 - sharp
    light = 1.0 - SHADOW * (1.0 - fade) * (1.0 - lit(x, y, 0.0, lamp))
    for k in range(3):
        tile = TILES[0][k] + (TILES[1][k] - TILES[0][k]) * part
        pixel[k] = (tile + (SKY[k] - tile) * fade) * light


@njit(cache=True, nogil=True)
def paint_surface(
    triangle: Array, normals: Array, colour: Array, point: Array, ray: Array, lamp: Lamp,
    pixel: Array,
) -> None:  # fmt: skip
    """Write the colour of a point of a triangle, by Blinn and Phong.

    Args:
        triangle, normals: (3, 3) its corners [m], and the surface's normals there.
        colour: (3,) of the surface.
        point: (3,) which point [m].
        ray: (3,) direction in which the camera sees it.
        lamp: the light.
        pixel: (3,) the result.
    """
    u, v, w = parts(triangle, point)
    x = u * normals[0, 0] + v * normals[1, 0] + w * normals[2, 0]
    y = u * normals[0, 1] + v * normals[1, 1] + w * normals[2, 1]
    z = u * normals[0, 2] + v * normals[1, 2] + w * normals[2, 2]
    length = max(math.sqrt(x * x + y * y + z * z), 1e-12)
    if x * ray[0] + y * ray[1] + z * ray[2] > 0.0:  # seen from behind
        length = -length
    x, y, z = x / length, y / length, z / length
    a, b, c = -lamp.axes[2, 0], -lamp.axes[2, 1], -lamp.axes[2, 2]
    facing = x * a + y * b + z * c
    reached, off = 0.0, 2.5 / lamp.scale  # a surface does not shade itself
    if facing > 0.0:
        reached = lit(point[0] + off * x, point[1] + off * y, point[2] + off * z, lamp)
    size = math.sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2])
    a, b, c = a - ray[0] / size, b - ray[1] / size, c - ray[2] / size
    half = max(math.sqrt(a * a + b * b + c * c), 1e-12)
    shine = max((x * a + y * b + z * c) / half, 0.0) ** SHININESS
    light = AMBIENT * (1.0 + 0.25 * z) + DIFFUSE * reached * max(facing, 0.0)
    for k in range(3):
        pixel[k] = min(colour[k] * light + SPECULAR * reached * shine, 1.0)


@njit(cache=True, nogil=True)
def parts(triangle: Array, point: Array) -> tuple[float, float, float]:
    """Barycentric coordinates, 0 to 1, of a point (3,) in the plane of a triangle (3, 3)."""
    xx = xy = yy = px = py = 0.0
    for k in range(3):
        one, other = triangle[1, k] - triangle[0, k], triangle[2, k] - triangle[0, k]
        way = point[k] - triangle[0, k]
        xx += one * one
        xy += one * other
        yy += other * other
        px += way * one
        py += way * other
    whole = max(xx * yy - xy * xy, 1e-30)
    v = min(max((yy * px - xy * py) / whole, 0.0), 1.0)
    w = min(max((xx * py - xy * px) / whole, 0.0), 1.0 - v)
    return 1.0 - v - w, v, w


@njit(cache=True, nogil=True)
def paint(
    triangles: Array, normals: Array, colours: Array, lens: Lens, lamp: Lamp, picture: Array
) -> None:
    """Give each pixel its colour.

    Args:
        triangles: (triangles, 3, 3) corners in the world [m].
        normals: (triangles, 3, 3) of the surface at each corner, in the world.
        colours: (triangles, 3) red, green and blue, 0 to 1.
        lens: the camera.
        lamp: the light.
        picture: (height, width, 3) the result, 0 to 1.
    """
    eye, axes, depth = lens.eye, lens.axes, lens.depth
    height, width = depth.shape
    ray, point = np.empty(3), np.empty(3)
    for row in range(height):
        for column in range(width):
            x = (column + 0.5 - 0.5 * width) / lens.focal
            y = (row + 0.5 - 0.5 * height) / lens.focal
            for k in range(3):
                ray[k] = x * axes[0, k] + y * axes[1, k] + axes[2, k]
            # The floor at z = 0 is seen from above only.
            down = -eye[2] / ray[2] if ray[2] < 0.0 < eye[2] else np.inf
            number, pixel = lens.seen[row, column], picture[row, column]
            if number >= 0 and depth[row, column] <= down:
                for k in range(3):
                    point[k] = eye[k] + depth[row, column] * ray[k]
                paint_surface(
                    triangles[number], normals[number], colours[number], point, ray, lamp, pixel
                )
            elif down < GONE * lens.reach:
                paint_floor(lens, ray, down, lamp, pixel)
            else:
                for k in range(3):
                    pixel[k] = SKY[k]


@njit(cache=True, nogil=True)
def smooth_normals(
    faces: NDArray[np.int64], start: NDArray[np.int64], around: NDArray[np.int64], flat: Array,
    crease: float,
) -> Array:  # fmt: skip
    """(faces, 3, 3) normals at corners: means over adjoining faces that no sharp edge separates.

    Args:
        faces: (faces, 3) indices of places.
        start: (places + 1,) where the faces at each place begin in `around`.
        around: indices of faces.
        flat: (faces, 3) normals of faces, whose lengths are in proportion to the areas.
        crease: cosine of the angle from which on the edge between two faces is sharp.
    """
    normals = np.zeros((len(faces), 3, 3))
    for face in range(len(faces)):
        own = flat[face]
        length = max(math.sqrt(own @ own), 1e-30)
        for corner in range(3):
            place = faces[face, corner]
            for k in range(start[place], start[place + 1]):
                other = flat[around[k]]
                size = max(math.sqrt(other @ other), 1e-30)
                if own @ other >= crease * length * size:
                    normals[face, corner] += other
            total = normals[face, corner]
            total /= max(math.sqrt(total @ total), 1e-30)
    return normals
