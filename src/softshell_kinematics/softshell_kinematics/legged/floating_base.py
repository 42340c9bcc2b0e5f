"""The floating base: legs whose feet stay on the ground while the base moves."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.limits import checked_finite, checked_pose, largest_coordinates
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.solving.goals import checked_coordinates
from softshell_kinematics.transforms import coordinates_from_pose, inverse, pose_from_coordinates


def refuse_other_bases(chains: Iterable[SerialChain]) -> None:
    """Check that legs begin at one base, so that one pose of the base places all of them.

    Raises:
        SoftshellError: two chains have different bases.
    """
    first, *others = chains
    for other in others:
        if other.base != first.base:
            raise SoftshellError(
                f'chain {other.name!r} begins at {other.base!r}, chain {first.name!r} at '
                f'{first.base!r}; expected chains from one base, which moves them all'
            )


def base_path(coordinates: ArrayLike, start: ArrayLike, reach: float = np.inf) -> Array:
    """Poses of the base along a path of which some coordinates are given.

    Args:
        coordinates: (points, 6) x, y, z [m], yaw, pitch, roll [rad] of the base in the ground
            frame; NaN keeps the start's value.
        start: (4, 4) pose of the base in the ground frame.
        reach: of the longest leg [m]; it sets how far from the origin of the ground frame the base
            may be: see `limits.largest_coordinates`.

    Returns:
        T_ground_base (points, 4, 4).

    Raises:
        OutOfRangeError: a coordinate is larger than `limits` allow.
        NonFiniteError: a coordinate is infinite, or a number of the start is NaN or infinite.
        SoftshellError: a shape is wrong, or the start is not rigid.
    """
    largest = largest_coordinates(reach)
    wanted = checked_coordinates(coordinates, largest, 'the base path')
    begin = coordinates_from_pose(checked_pose(start, 'start of the base'))
    checked_coordinates(begin[None], largest, 'the start of the base')
    return pose_from_coordinates(np.where(np.isnan(wanted), begin, wanted))


def feet_in_base(T_ground_base: ArrayLike, feet: ArrayLike) -> Array:
    """Feet that are fixed to the ground, seen from a moving base: T_base⁻¹ · foot, exactly.

    Args:
        T_ground_base: (points, 4, 4)
        feet: (legs, 3) [m] in the ground frame.

    Returns:
        (legs, points, 3) [m] in the base.

    Raises:
        NonFiniteError: a number is NaN or infinite.
    """
    T_base_ground = inverse(checked_finite(T_ground_base, 'pose of the base'))
    placed = checked_finite(feet, 'feet')
    rotated = np.einsum('pij,lj->lpi', T_base_ground[:, :3, :3], placed)
    seen: Array = rotated + T_base_ground[None, :, :3, 3]
    return seen


def position_goals(positions: ArrayLike) -> Array:
    """Goals (..., 6) that constrain a position (..., 3) [m] and leave all angles free.

    Raises:
        NonFiniteError: a number is NaN, which would come out as a free coordinate, or infinite.
    """
    p = checked_finite(positions, 'position')
    result = np.full((*p.shape[:-1], 6), np.nan)
    result[..., :3] = p
    return result
