"""Why a goal was not reached: how far it is missed, and what holds the chain back."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import OutOfRangeError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.solving.goals import Goals, goal_rows, upright
from softshell_kinematics.solving.inverse import solve_ik
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.solving.solution import IkOptions, IkResult, IkStatus, LimbsResult
from softshell_kinematics.transforms import (
    coordinates_from_pose,
    log_so3,
    rotation_from_angles,
)

#: Relative distance at which a variable counts as on a limit, or at its largest speed.
ON_IT = 1e-9
#: Step beyond a limit that is tried, to see whether the tip would come nearer [rad] or [m].
LOOK_AHEAD = 1e-6
_UNITS = (('m', 1.0), ('mm', 1e-3), ('µm', 1e-6), ('nm', 1e-9))
_WITHOUT_LIMITS = {
    IkStatus.LIMIT_BOUND: 'a limit stands in the way',
    IkStatus.UNREACHABLE: 'it is out of reach, and no limit stands in the way',
    IkStatus.SINGULAR: 'the search stopped at a singular pose',
}


@dataclass(frozen=True)
class Held:
    """A variable on a limit, beyond which the tip would come nearer to the goal.

    Attributes:
        variable: its name.
        side: 'lower' or 'upper'.
        limit: [rad] or [m].
        unit: of the limit.
        farther: how far beyond it the goal would be reached [rad] or [m]; None if it would not.
    """

    variable: str
    side: str
    limit: float
    unit: str
    farther: float | None

    def __str__(self) -> str:
        text = f'{self.variable} is at its {self.side} limit of {self.limit:.6g} {self.unit}'
        if self.farther is None:
            return text
        return f'{text} and would have to go {significant(self.farther)} {self.unit} farther'


@dataclass(frozen=True)
class Shortfall:
    """A point that was not reached; as text, one sentence for a person.

    Attributes:
        chain: its name.
        point: index of the point.
        points: how many there are.
        status: how the search ended.
        distance: from the tip to the goal [m]; None where that is within tolerance or free.
        angle: likewise [rad]: of the rotation to the goal, or, where some angles are free, the
            norm of the errors of the others.
        held: the limits in the way.
        locked: variables that were not allowed to move.
        too_slow: variables that went as far as their speed allows since the point before.
        left: how much would be missing without these limits, in words; empty if nothing.
    """

    chain: str
    point: int
    points: int
    status: IkStatus
    distance: float | None
    angle: float | None
    held: tuple[Held, ...]
    locked: tuple[str, ...]
    too_slow: tuple[str, ...]
    left: str

    def __str__(self) -> str:
        reasons = [str(held) for held in self.held]
        if self.left:
            reasons.append(f'without that it would still miss by {self.left}')
        if self.too_slow:
            reasons.append(f'{" and ".join(self.too_slow)} cannot move there in the time')
        if self.status is IkStatus.ITERATION_LIMIT:
            reasons.append('the iteration limit came first')
        elif not reasons:
            reasons.append(_WITHOUT_LIMITS[self.status])
            if self.locked:
                reasons.append(f'{" and ".join(self.locked)} may not move')
        return (
            f'{self.chain} misses point {self.point + 1} of {self.points} by '
            f'{amount(self.distance, self.angle)}: {"; ".join(reasons)}'
        )


def first_shortfall(
    limbs: Limbs,
    goals: ArrayLike,
    results: LimbsResult,
    options: IkOptions | None = None,
    locked: Iterable[str] = (),
) -> Shortfall | None:
    """Explain the first missed point of the first limb that missed one; None if none did.

    Args:
        limbs, goals, options: as given to `Limbs.solve`.
        results: what it returned.
        locked: names of the variables that were locked.
    """
    wanted = as_numbers(goals, 'goals')
    for limb, (chain, result) in enumerate(zip(limbs.chains, results, strict=True)):
        found = shortfall_of(chain, wanted[limb], result, options, locked)
        if found is not None:
            return found
    return None


def shortfall_of(
    chain: SerialChain,
    goals: Goals,
    result: IkResult,
    options: IkOptions | None = None,
    locked: Iterable[str] = (),
) -> Shortfall | None:
    """Explain the first point that a chain missed; None if it missed none.

    Args:
        chain: the chain.
        goals: as given to `solve_ik`.
        result: what it returned.
        options: as given to `solve_ik`.
        locked: names of variables that were locked; those of other chains are ignored.
    """
    result = result.with_points()
    failed = np.flatnonzero(~result.converged)
    if not len(failed):
        return None
    chosen, point = options or IkOptions(), int(failed[0])
    goal, q = goal_rows(goals)[0][point], result.q[point]
    held_fast = [name for name in locked if name in chain.variables]
    blocking = _blocking(chain, goal, q, chosen, held_fast)
    farther, left = _without(chain, goal, q, chosen, held_fast, blocking)
    held = tuple(
        Held(
            chain.variables[i], side, float(getattr(chain, side)[i]), chain.ranges.units[i],
            farther.get(i),
        )
        for i, side in blocking.items()
    )  # fmt: skip
    return Shortfall(
        chain.name,
        point,
        len(result.q),
        IkStatus(int(result.status[point])),
        *_parts(goal_error(goal, chain.forward(q)), chosen),
        held,
        tuple(held_fast),
        _too_slow(chain, result.q, point, chosen),
        left,
    )


def goal_error(goal: Array, pose: Array) -> Array:
    """(6,) goal minus pose [m, rad], NaN where free, of a goal (6,) and a pose (4, 4).

    If no angle is free the last three are the rotation vector of R_goal Rᵀ in the base. If pitch
    alone is free, yaw and roll are both turned by π where that brings them nearer.
    """
    goal = upright(goal)
    error = goal - coordinates_from_pose(pose)
    turned = error[3:] % (2.0 * np.pi) - np.pi
    error[3:] = (error[3:] + np.pi) % (2.0 * np.pi) - np.pi
    free = np.isnan(goal[3:])
    if not free.any():
        error[3:] = log_so3(rotation_from_angles(goal[3:]) @ pose[:3, :3].T)
    elif tuple(free) == (False, True, False) and np.nansum(turned**2) < np.nansum(error[3:] ** 2):
        error[3:] = turned
    return error


def amount(distance: float | None, angle: float | None) -> str:
    """A distance [m] and an angle [rad] in words, three digits of each, e.g. '31.2 µm and 0.5°'.

    Args:
        distance, angle: what is None is left out.
    """
    parts = []
    if distance is not None:
        unit, size = next((each for each in _UNITS if distance >= each[1]), _UNITS[-1])
        parts.append(f'{significant(distance / size)} {unit}')
    if angle is not None:
        parts.append(f'{significant(float(np.degrees(angle)))}°')
    return ' and '.join(parts)


def significant(value: float) -> str:
    """Three significant digits without an exponent."""
    return np.format_float_positional(value, 3, unique=False, fractional=False, trim='-')


def _parts(error: Array, options: IkOptions) -> tuple[float | None, float | None]:
    """Distance [m] and angle [rad] of an error (6,); None where within tolerance or free."""
    sizes = [float(np.sqrt(np.nansum(part * part))) for part in (error[:3], error[3:])]
    weights = (options.position_weight, options.rotation_weight)
    counts = [w * size > options.tolerance for w, size in zip(weights, sizes, strict=True)]
    if not any(counts):
        counts = [size > 0.0 for size in sizes]
    distance, angle = (size if here else None for size, here in zip(sizes, counts, strict=True))
    return distance, angle


def _cost(chain: SerialChain, goal: Array, q: Array, options: IkOptions) -> float:
    error = goal_error(goal, chain.forward(q))
    position = options.position_weight * error[:3]
    rotation = options.rotation_weight * error[3:]
    return float(np.nansum(position * position) + np.nansum(rotation * rotation))


def _blocking(
    chain: SerialChain, goal: Array, q: Array, options: IkOptions, locked: list[str]
) -> dict[int, str]:
    """The side, by index, of each variable that is on a limit beyond which the cost falls."""
    result = {}
    cost = _cost(chain, goal, q, options)
    for i, name in enumerate(chain.variables):
        for side, way in (('lower', -LOOK_AHEAD), ('upper', LOOK_AHEAD)):
            limit = getattr(chain, side)[i]
            if name in locked or not np.isclose(q[i], limit, rtol=ON_IT, atol=ON_IT):
                continue
            beyond = q.copy()
            beyond[i] += way
            if _cost(chain, goal, beyond, options) < cost:
                result[i] = side
    return result


def _without(
    chain: SerialChain,
    goal: Array,
    q: Array,
    options: IkOptions,
    locked: list[str],
    blocking: dict[int, str],
) -> tuple[dict[int, float], str]:
    """Solve again without the blocking limits.

    Returns:
        How far beyond its limit each variable would be at the goal, by index; or, if the goal
        would still be missed, nothing and by how much, in words; or neither, if that chain is too
        short for so far a goal.
    """
    if not blocking:
        return {}, ''
    names = {chain.variables[i] for i in blocking}
    joints = [
        replace(joint, lower=-np.inf, upper=np.inf) if joint.variable in names else joint
        for joint in chain.joints
    ]
    free = SerialChain(chain.name, tuple(joints), chain.tool, chain.base, chain.tip)
    once = replace(options, warm_start=False, time_step=None, restarts=0)
    try:
        result = solve_ik(free, goal[None], q, once, locked)
    except OutOfRangeError:  # without its limit, a long slide adds less to the reach
        return {}, ''
    if not result.all_converged:
        error = goal_error(goal, free.forward(result.q[0]))
        return {}, amount(*_parts(error, options))
    signs = {'lower': -1.0, 'upper': 1.0}
    ways = {
        i: signs[side] * (result.q[0, i] - getattr(chain, side)[i]) for i, side in blocking.items()
    }
    return {i: float(way) for i, way in ways.items() if way > 0.0}, ''


def _too_slow(chain: SerialChain, q: Array, point: int, options: IkOptions) -> tuple[str, ...]:
    if not options.warm_start or options.time_step is None or point == 0:
        return ()
    most = chain.velocity * options.time_step
    there = np.abs(q[point] - q[point - 1]) >= most * (1.0 - ON_IT)
    return tuple(name for name, yes in zip(chain.variables, there, strict=True) if yes)
