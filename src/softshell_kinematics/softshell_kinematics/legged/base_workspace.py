"""How far the base can move or tilt while its feet stay on the ground."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array, as_numbers, is_number
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.legged.floating_base import (
    base_path,
    feet_in_base,
    position_goals,
    refuse_other_bases,
)
from softshell_kinematics.limits import checked_pose
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics.transforms import coordinates_from_pose

#: Points of one sweep along the direction, and how many sweeps there are: each after the first is
#: over the interval in which a leg could not hold its foot.
SWEEP = 40
REFINEMENTS = 4


@dataclass(frozen=True, eq=False)
class BaseReach:
    """How far the base gets along one direction.

    Attributes:
        distance: how far along the direction, as a multiple of it: [m] or [rad] if that is of
            length 1.
        limb: index of the first leg that cannot hold its foot; None if all can over the whole way.
        variable: its joint that is at a limit; None if none is, as of a stretched leg.
        q: (limbs, most variables) joints at that pose [rad] or [m].
    """

    distance: float
    limb: int | None
    variable: str | None
    q: Array


def base_reach(
    limbs: Limbs,
    stance: Sequence[ArrayLike],
    start: ArrayLike,
    direction: ArrayLike,
    most: float,
    locked: Iterable[str] | None = (),
    options: IkOptions | None = None,
) -> BaseReach:
    """Move the base along a direction until a leg cannot hold its foot.

    Args:
        limbs: the legs in stance.
        stance: (n,) joints of each.
        start: (4, 4) pose of the base in the ground frame.
        direction: (6,) of x, y, z [m], yaw, pitch, roll [rad] per unit of distance.
        most: the largest distance to try, as a multiple of the direction.
        locked: variables that do not move, such as a fold.
        options: how to search; warm start is always on. Default: no restarts, since these may end
            on another branch, to which the legs could only jump.

    Raises:
        SoftshellError: a number is NaN, infinite or larger than `limits` allow, a shape is wrong,
            or the legs begin at different bases.
    """
    if len(stance) != len(limbs):
        raise SoftshellError(f'stance of {len(stance)} chains; expected {len(limbs)}')
    refuse_other_bases(limbs.chains)
    way = _checked_way(direction, most)
    reach = max(chain.reach for chain in limbs.chains)
    pose = checked_pose(start, 'start of the base')
    begin = coordinates_from_pose(pose)
    # Refuses a way that ends too far off before anything is solved.
    base_path([begin + most * way], pose, reach)
    seeds, held = limbs.seeds(stance), limbs.locks(locked)
    if seeds.shape[1] != 1:
        raise SoftshellError(f'stance has {seeds.shape[1]} points; expected one')
    rows = zip(limbs.chains, seeds[:, 0], strict=True)
    feet = np.array([(pose @ chain.forward(q[: len(chain)]))[:3, 3] for chain, q in rows])
    chosen = replace(options or IkOptions(restarts=0), warm_start=True)
    first, last = 0.0, most
    limb, variable = None, None
    for _ in range(REFINEMENTS):
        distances = np.linspace(first, last, SWEEP + 1)
        path = begin + distances[:, None] * way
        goals = position_goals(feet_in_base(base_path(path, pose, reach), feet))
        results = limbs.solve(goals, seeds, chosen, held)
        failed = results.status != 0
        if not failed.any():
            return BaseReach(last, limb, variable, results.q[:, -1])
        point = int(np.argmax(failed.any(axis=0)))
        limb = int(np.argmax(failed[:, point]))
        variable = _saturated(limbs, results.q[limb, point], limb, held[limb])
        reached = max(point - 1, 0)
        seeds = np.ascontiguousarray(results.q[:, reached][:, None, :])
        first, last = float(distances[reached]), float(distances[point])
        if point == 0:
            break
    return BaseReach(first, limb, variable, seeds[:, 0])


def _checked_way(direction: ArrayLike, most: float) -> Array:
    way = as_numbers(direction, 'direction')
    numbers = way.shape == (6,) and np.isfinite(way).all() and np.any(way)
    if not (numbers and is_number(most) and 0.0 < most < np.inf):
        raise SoftshellError(
            f'direction is {way.tolist()} over a distance of {most}; expected 6 finite numbers, '
            'not all 0, and a finite distance above 0'
        )
    return way


def _saturated(limbs: Limbs, q: Array, limb: int, held: NDArray[np.uint8]) -> str | None:
    chain = limbs.chains[limb]
    for i, name in enumerate(chain.variables):
        if not held[i] and q[i] in (chain.lower[i], chain.upper[i]):
            return name
    return None
