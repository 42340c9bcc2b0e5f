"""What the panels touch with: convex slabs, a few for each panel.

Plain numpy: the build runs it before anything of softshell is installed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from softshell_description.panel import Panel

if TYPE_CHECKING:  # not there yet when the build runs this
    from numpy.typing import NDArray

    from softshell_kinematics.arrays import Array

#: Corners along each edge of a slab's outer face; between them the face is flat.
EDGE = 3


@dataclass(frozen=True, eq=False)
class Slab:
    """A convex piece of a panel.

    Its outer face has 3 × 3 corners on the sphere, its inner one the four corners under its edges.

    Args:
        vertices: (13, 3) [m], in the panel's frame.
        triangles: (n, 3) indices, anticlockwise seen from outside.
    """

    vertices: Array
    triangles: NDArray[np.int64]


def slabs(panel: Panel) -> tuple[Slab, ...]:
    """The slabs of a panel, row by row from low to high."""
    rows, columns = panel.slabs
    inside = _shrunk(panel, panel.slab_margin)
    grid = inside.directions((EDGE - 1) * rows, (EDGE - 1) * columns)
    inner = inside.radius - inside.thickness
    return tuple(
        _slab(inside.radius, inner, grid[row : row + EDGE, column : column + EDGE])
        for row in range(0, grid.shape[0] - 1, EDGE - 1)
        for column in range(0, grid.shape[1] - 1, EDGE - 1)
    )


def slabs_obj(panel: Panel) -> str:
    """The slabs as a Wavefront OBJ file, each an object of its own.

    Engines take each object's convex hull.
    """
    lines, start = [], 1
    for number, slab in enumerate(slabs(panel)):
        lines.append(f'o slab_{number}')
        lines += [f'v {x:.7f} {y:.7f} {z:.7f}' for x, y, z in slab.vertices]
        lines += [f'f {a} {b} {c}' for a, b, c in slab.triangles + start]
        start += len(slab.vertices)
    return '\n'.join(lines) + '\n'


def _shrunk(panel: Panel, margin: float) -> Panel:
    """A panel whose every face is further in by a margin [m]."""
    low, high = panel.elevation
    turn = margin / panel.radius
    return replace(
        panel,
        radius=panel.radius - margin,
        thickness=panel.thickness - 2.0 * margin,
        gap=panel.gap + 2.0 * margin,
        elevation=(low + turn, high - turn),
    )


def _slab(outer: float, inner: float, directions: Array) -> Slab:
    """The piece between two radii [m] at (EDGE, EDGE, 3) directions."""
    last = EDGE - 1
    corners = directions[[0, 0, last, last], [0, last, last, 0]]
    vertices = np.concatenate([outer * directions.reshape(-1, 3), inner * corners])
    index = np.arange(EDGE * EDGE).reshape(EDGE, EDGE)
    # The outer edge, once around from the first corner, as the inner corners are.
    around = np.concatenate([index[0], index[1:, -1], index[-1, -2::-1], index[-2:0:-1, 0]])
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    faces = [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    first, below = EDGE * EDGE, []
    for side in range(4):
        near, far = first + side, first + (side + 1) % 4
        edge = np.take(around, np.arange(side * last, (side + 1) * last + 1), mode='wrap')
        below += [(near, later, one) for one, later in pairwise(edge)]
        below.append((near, far, edge[-1]))
    below += [(first, first + 2, first + 1), (first, first + 3, first + 2)]
    return Slab(vertices, np.concatenate([*faces, np.array(below, dtype=np.int64)]))
