"""The position limits of the joints of a robot."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.urdf.parsed import parsed

#: How far a position may be outside its limits, for rounding [rad] or [m].
ROUNDING = 1e-6


@lru_cache(maxsize=16)
def joint_limits(urdf: str) -> Mapping[str, tuple[float, float]]:
    """The lowest and the highest position of each joint of a URDF, by name [rad] or [m].

    They are infinite where a joint has no limit.
    """
    return {joint.name: (joint.lower, joint.upper) for joint in parsed(urdf).joints}


def limits_of(urdf: str, names: tuple[str, ...]) -> Array:
    """(2, joints) lowest and highest positions of these joints of a URDF [rad] or [m]."""
    limits = joint_limits(urdf)
    return np.array([limits[name] for name in names]).reshape(-1, 2).T


def nearest_to_zero(urdf: str, names: tuple[str, ...]) -> Array:
    """(joints,) positions of these joints of a URDF, as near to 0 as limits allow [rad] or [m]."""
    low, high = limits_of(urdf, names)
    return np.clip(np.zeros(len(names)), low, high)


def limit_problems(urdf: str, positions: Mapping[str, float]) -> Iterator[str]:
    """What is wrong with positions for joints of a URDF, by name [rad] or [m]."""
    limits = joint_limits(urdf)
    for name, position in positions.items():
        low, high = limits[name]
        if not low - ROUNDING <= position <= high + ROUNDING:
            yield f'joint {name!r} is at {position:g}; expected {low:g} to {high:g}, its limits'
