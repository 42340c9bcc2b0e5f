"""A panel of a leg: a patch of a sphere.

Plain numpy: the build runs it before anything of softshell is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # not there yet when the build runs this
    from softshell_kinematics.arrays import Array

#: Faces of the grid over a panel, along its elevation and its azimuth.
ROWS, COLUMNS = 20, 12


@dataclass(frozen=True)
class Panel:
    """A patch of a sphere, in the panel's frame.

    The frame's origin is the sphere's centre, z the robot's axis in the ball pose, x points to the
    patch's middle azimuth, along the leg.

    Args:
        name: of the kind of panel.
        radius: of the outer face [m].
        thickness: of the shell, inwards [m].
        width: azimuth from one gap's middle to the next [rad].
        gap: to the neighbouring panel [m].
        elevation: (lowest, highest) [rad].
        slabs: (rows, columns) of the slabs that it touches with.
        slab_margin: distance of the slabs' faces inwards from those of the panel [m].
    """

    name: str
    radius: float
    thickness: float
    width: float
    gap: float
    elevation: tuple[float, float]
    slabs: tuple[int, int]
    slab_margin: float

    def half_width(self, elevation: Array) -> Array:
        """(...,) azimuth [rad] from the middle to the edge, at elevations (...,) [rad]."""
        to_axis = self.radius * np.cos(elevation)
        return self.width / 2.0 - np.arcsin(self.gap / 2.0 / to_axis)

    def directions(self, rows: int = ROWS, columns: int = COLUMNS) -> Array:
        """(rows + 1, columns + 1, 3) unit vectors on a grid over the patch, from low to high."""
        elevation = np.linspace(*self.elevation, rows + 1)[:, None]
        azimuth = self.half_width(elevation) * np.linspace(-1.0, 1.0, columns + 1)[None, :]
        return np.stack(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.broadcast_to(np.sin(elevation), azimuth.shape),
            ],
            axis=-1,
        )
