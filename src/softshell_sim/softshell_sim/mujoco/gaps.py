"""Distances between shapes in MuJoCo, which computes none to a height field."""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

FIELD = mujoco.mjtGeom.mjGEOM_HFIELD
#: Far more than the rounding of a distance between bounding spheres [m].
ROUNDING = 1e-9


def may_be_near(
    model: Any, data: Any, ones: Sequence[int], others: Sequence[int], within: float
) -> NDArray[np.int64]:
    """(n, 2) places in two lists of shapes of those pairs that may be as near as `within`.

    By their bounding spheres; a plane has none, and a height field is asked for its ground.

    Args:
        model, data: of MuJoCo, with frames computed.
        ones, others: MuJoCo's numbers of the shapes, of any length.
        within: largest distance of interest [m].
    """
    radius = np.where(model.geom_type == FIELD, 0.0, model.geom_rbound)
    radius = np.where(radius > 0.0, radius, np.inf)
    first, second = (np.array(some, dtype=np.int64) for some in (ones, others))
    place = data.geom_xpos
    apart = np.linalg.norm(place[first][:, None] - place[second], axis=2)
    reach = within + ROUNDING + radius[first][:, None] + radius[second]
    return np.argwhere(apart <= reach).astype(np.int64)


def gap(model: Any, data: Any, one: int, other: int, within: float) -> float:
    """Distance between two shapes [m], or `within` if they are farther apart.

    To a height field it is how far the bounding box of the shape is above the highest ground below
    it; ground beside the box does not count.

    Args:
        model, data: of MuJoCo, with frames computed.
        one, other: MuJoCo's numbers of the shapes.
        within: largest distance of interest [m].
    """
    for field, shape in ((one, other), (other, one)):
        if model.geom_type[field] == FIELD:
            return min(_above(model, data, field, shape), within)
    return float(mujoco.mj_geomDistance(model, data, one, other, within, None))


def _above(model: Any, data: Any, field: int, shape: int) -> float:
    """Vertical distance from a height field to a shape [m]; inf: the shape is beside it."""
    low, high = _box(model, data, field, shape)
    number = model.geom_dataid[field]
    x, y, top, _ = model.hfield_size[number]
    rows, columns = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
    address = int(model.hfield_adr[number])
    heights = model.hfield_data[address : address + rows * columns].reshape(rows, columns)
    inside = []
    for axis, half, count in ((1, y, rows), (0, x, columns)):
        place = (np.array([low[axis], high[axis]]) + half) / (2.0 * half) * (count - 1)
        first, last = int(np.floor(place[0])), int(np.ceil(place[1]))
        if last < 0 or first > count - 1:
            return float('inf')
        inside.append(slice(max(first, 0), min(last, count - 1) + 1))
    return float(low[2] - top * heights[tuple(inside)].max())


def _box(model: Any, data: Any, field: int, shape: int) -> tuple[Array, Array]:
    """Lowest and highest corner (3,) of the bounding box of a shape, in the frame of a field."""
    axes = data.geom_xmat[field].reshape(3, 3)
    turn = axes.T @ data.geom_xmat[shape].reshape(3, 3)
    middle = axes.T @ (data.geom_xpos[shape] - data.geom_xpos[field])
    middle = middle + turn @ model.geom_aabb[shape, :3]
    half = np.abs(turn) @ model.geom_aabb[shape, 3:]
    return middle - half, middle + half
