"""The floating base: legs whose feet stay on the ground while the base moves."""

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import coordinates_from_pose, inverse, pose_from_coordinates


def base_path(coordinates: ArrayLike, start: ArrayLike) -> Array:
    """Poses of the base along a path of which any coordinates are given.

    Args:
        coordinates: (points, 6) x, y, z [m], yaw, pitch, roll [rad] of the base in the ground
            frame; NaN keeps the start's value.
        start: (4, 4) pose of the base in the ground frame.

    Returns:
        T_ground_base (points, 4, 4).
    """
    wanted = np.asarray(coordinates, dtype=float)
    if wanted.ndim != 2 or wanted.shape[1] != 6:
        raise SoftshellError(f'base path has shape {wanted.shape}; expected (points, 6)')
    filled = np.where(np.isnan(wanted), coordinates_from_pose(start), wanted)
    return pose_from_coordinates(filled)


def feet_in_base(T_ground_base: ArrayLike, feet: ArrayLike) -> Array:
    """Feet that are fixed to the ground, seen from a moving base: T_base⁻¹ · foot, exactly.

    Args:
        T_ground_base: (points, 4, 4)
        feet: (legs, 3) [m] in the ground frame.

    Returns:
        (legs, points, 3) [m] in the base.
    """
    T_base_ground = inverse(T_ground_base)
    rotated = np.einsum('pij,lj->lpi', T_base_ground[:, :3, :3], np.asarray(feet, dtype=float))
    return rotated + T_base_ground[None, :, :3, 3]


def position_goals(positions: ArrayLike) -> Array:
    """Goals (..., 6) that constrain a position (..., 3) [m] and leave all angles free."""
    p = np.asarray(positions, dtype=float)
    result = np.full((*p.shape[:-1], 6), np.nan)
    result[..., :3] = p
    return result
