"""Coverage: which triangle each pixel of a picture or a shadow map shows, and how far it is.

All functions are compiled and release the GIL.

Sources: J. Pineda, "A parallel algorithm for polygon rasterization", 1988, for the pixels that a
triangle covers; I. E. Sutherland and G. W. Hodgman, "Reentrant polygon clipping", 1974, for
triangles that cross the near plane of a camera.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: How far below 0 a barycentric coordinate may be by rounding, so that edges leave no gaps.
ROUNDING = 1e-12
#: Column and row [pixels] or x and y [m], distance [m].
Point = tuple[float, float, float]


@njit(cache=True, nogil=True)
def cover(
    a: Point, b: Point, c: Point, number: int, perspective: bool, depth: Array,
    seen: NDArray[np.int32],
) -> None:  # fmt: skip
    """Draw a triangle where it is the nearest one.

    Args:
        a, b, c: corners: column and row [pixels], distance [m].
        number: of the triangle.
        perspective: whether the projection is perspective; otherwise it is parallel.
        depth: (height, width) distances [m] so far; written where the triangle is nearer.
        seen: (height, width) numbers of the triangles; written there, too.
    """
    height, width = depth.shape
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if abs(area) < 1e-12:
        return
    left = max(math.ceil(min(a[0], b[0], c[0]) - 0.5), 0)
    right = min(math.floor(max(a[0], b[0], c[0]) - 0.5), width - 1)
    low = max(math.ceil(min(a[1], b[1], c[1]) - 0.5), 0)
    high = min(math.floor(max(a[1], b[1], c[1]) - 0.5), height - 1)
    for row in range(low, high + 1):
        y = row + 0.5
        for column in range(left, right + 1):
            x = column + 0.5
            u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
            v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
            w = 1.0 - u - v
            if u < 0.0 or v < 0.0 or w < -ROUNDING:
                continue
            if perspective:
                distance = 1.0 / (u / a[2] + v / b[2] + w / c[2])
            else:
                distance = u * a[2] + v * b[2] + w * c[2]
            if distance < depth[row, column]:
                depth[row, column] = distance
                seen[row, column] = number


@njit(cache=True, nogil=True)
def cover_in_view(
    a: Point, b: Point, c: Point, number: int, focal: float, near: float, depth: Array,
    seen: NDArray[np.int32],
) -> None:  # fmt: skip
    """Draw the part of a triangle that is not too near: none, a triangle or a quadrangle.

    Args:
        a, b, c: corners in the camera's frame: to the right, down and forward [m].
        number: of the triangle.
        focal: focal length [pixels]; the camera looks at the middle of the picture.
        near: what is nearer is not seen [m].
        depth, seen: as of `cover`.
    """
    behind = (a[2] < near) + (b[2] < near) + (c[2] < near)
    if behind == 3:
        return
    # The corner that is alone on its side comes first.
    alone = behind == 1
    if behind and (b[2] < near) == alone and (a[2] < near) != alone and (c[2] < near) != alone:
        a, b, c = b, c, a
    elif behind and (c[2] < near) == alone and (a[2] < near) != alone and (b[2] < near) != alone:
        a, b, c = c, a, b
    if behind == 2:
        b, c = _cut(a, b, near), _cut(a, c, near)
    elif behind == 1:
        d, a = _cut(a, c, near), _cut(a, b, near)
        _project(a, c, d, number, focal, depth, seen)
    _project(a, b, c, number, focal, depth, seen)


@njit(cache=True, nogil=True)
def _project(
    a: Point, b: Point, c: Point, number: int, focal: float, depth: Array, seen: NDArray[np.int32]
) -> None:
    """Draw a triangle all of which is in front of the camera."""
    height, width = depth.shape
    cover(
        _pixel(a, focal, width, height), _pixel(b, focal, width, height),
        _pixel(c, focal, width, height), number, True, depth, seen,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _cut(one: Point, other: Point, near: float) -> Point:
    """Point of the line between two points at a distance `near` from the camera [m]."""
    part = (near - one[2]) / (other[2] - one[2])
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1]), near


@njit(cache=True, nogil=True)
def _pixel(point: Point, focal: float, width: int, height: int) -> Point:
    """Column and row where a point [m] is seen [pixels], and its distance [m]."""
    scale = focal / point[2]
    return 0.5 * width + scale * point[0], 0.5 * height + scale * point[1], point[2]


@njit(cache=True, nogil=True)
def depths_in_view(
    points: Array, focal: float, near: float, depth: Array, seen: NDArray[np.int32]
) -> None:
    """Draw the nearest triangle of each pixel of a camera's picture.

    Args:
        points: (triangles, 3, 3) corners in the camera's frame [m].
        focal, near, depth, seen: as of `cover_in_view`.
    """
    for k in range(len(points)):
        a = points[k, 0, 0], points[k, 0, 1], points[k, 0, 2]
        b = points[k, 1, 0], points[k, 1, 1], points[k, 1, 2]
        c = points[k, 2, 0], points[k, 2, 1], points[k, 2, 2]
        cover_in_view(a, b, c, k, focal, near, depth, seen)


@njit(cache=True, nogil=True)
def parallel_depths(points: Array, depth: Array, seen: NDArray[np.int32]) -> None:
    """Draw the nearest triangle of each pixel of a shadow map.

    Args:
        points: (triangles, 3, 3) corners: column and row [pixels], distance [m].
        depth, seen: as of `cover`.
    """
    for k in range(len(points)):
        a = points[k, 0, 0], points[k, 0, 1], points[k, 0, 2]
        b = points[k, 1, 0], points[k, 1, 1], points[k, 1, 2]
        c = points[k, 2, 0], points[k, 2, 1], points[k, 2, 2]
        cover(a, b, c, k, False, depth, seen)
