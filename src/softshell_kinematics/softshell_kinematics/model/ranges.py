"""The ranges of a chain's variables: limits, reach, and how far a search may go."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, SoftshellError
from softshell_kinematics.kernels.residual import BALANCE
from softshell_kinematics.limits import (
    FREE_SLIDE,
    LARGEST_ANGLE,
    LONGEST_REACH,
    SHORTEST_REACH,
    largest_coordinates,
    largest_position,
)
from softshell_kinematics.model.joint import Joint, JointKind

#: How far a lower limit may be above the upper one, relative to 1 plus it, and count as equal:
#: each joint of a variable gives its own, and these are rounded.
GAP = 1e-12

#: Seeds of a joint with a range wider than this are spread over one turn of it alone [rad].
MANY_TURNS = 8.0 * np.pi


@dataclass(frozen=True, eq=False)
class Ranges:
    """The ranges of n variables.

    Attributes:
        lower, upper: (n,) limits [rad] or [m]; infinite where there are none.
        velocity: (n,) largest speeds [rad/s] or [m/s].
        reach: the tip is never farther from the base than this [m].
        largest: (n,) largest magnitude of each variable: `limits.LARGEST_ANGLE` [rad], or so many
            reaches [m] as `limits.REACHES` says; less if a joint that follows it would pass that.
        farthest: (6,) largest magnitudes of a goal's coordinates [m, rad].
        units: 'rad' or 'm' of each variable.
    """

    lower: Array
    upper: Array
    velocity: Array
    reach: float
    largest: Array
    farthest: Array
    units: tuple[str, ...]

    @cached_property
    def length(self) -> float:
        """Error of position that counts as much as 1 rad during a search [m]."""
        return BALANCE * max(self.reach, SHORTEST_REACH)

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """(n,) and (n,): the limits; where there are none, `largest` to either side."""
        return np.maximum(self.lower, -self.largest), np.minimum(self.upper, self.largest)

    @cached_property
    def spread(self) -> tuple[Array, Array]:
        """(n,) and (n,) between which seeds are spread; see `spread`."""
        return spread(self.lower, self.upper, self.largest, self.units)

    @cached_property
    def middle(self) -> Array:
        """(n,) the middle between two limits; without two, 0 or the limit nearest to 0."""
        return middle(self.lower, self.upper, self.largest)


def spread(
    lower: Array, upper: Array, largest: Array, units: Sequence[str]
) -> tuple[Array, Array]:
    """(n,) and (n,): the lower and upper ends between which seeds are spread.

    They are the two limits, or, of a joint that may turn more than `MANY_TURNS`, half a turn to
    either side of their middle. With one limit they are that limit and one turn from it, without
    any -π and π.
    """
    below, above = lower >= -largest, upper <= largest
    low = np.where(below, lower, np.where(above, upper - 2.0 * np.pi, -np.pi))
    high = np.where(above, upper, np.where(below, lower + 2.0 * np.pi, np.pi))
    turns = (high - low > MANY_TURNS) & np.array([unit == 'rad' for unit in units])
    center = 0.5 * (low + high)
    return np.where(turns, center - np.pi, low), np.where(turns, center + np.pi, high)


def middle(lower: Array, upper: Array, largest: Array) -> Array:
    """(n,) the middle between two limits; without two, 0 or the limit nearest to 0."""
    bounded = (lower >= -largest) & (upper <= largest)
    nearest = np.minimum(np.maximum(0.0, lower), upper)
    low, high = np.where(bounded, lower, 0.0), np.where(bounded, upper, 0.0)
    return np.where(bounded, 0.5 * (low + high), nearest)


def find_ranges(
    chain: str, joints: Sequence[Joint], variables: tuple[str, ...], numbers: Array
) -> Ranges:
    """Find the ranges of a chain's variables.

    Args:
        chain: its name.
        joints: those that move.
        variables: names of the n variables.
        numbers: (joints + 1, 14) the kernels' table.

    Raises:
        OutOfRangeError: the chain is too long, or a limit or an offset too large.
        SoftshellError: a variable has no position that is within the limits of all joints.
    """
    lower, upper, velocity = _limits(chain, joints, variables)
    reach = _reach(joints, variables, lower, upper, numbers)
    if not reach <= LONGEST_REACH:
        raise OutOfRangeError(f'chain {chain!r}: reach', reach, f'at most {LONGEST_REACH:g} m')
    largest = np.full(len(variables), np.inf)
    units = ['rad'] * len(variables)
    # A joint that is itself the variable comes last: its unit is that of the variable.
    for joint in sorted(joints, key=lambda each: each.coupling is None):
        i = variables.index(str(joint.variable))
        slides = joint.variable_kind is JointKind.PRISMATIC
        units[i] = 'm' if slides else 'rad'
        own = largest_position(reach) if slides else LARGEST_ANGLE
        most = largest_position(reach) if joint.kind is JointKind.PRISMATIC else LARGEST_ANGLE
        room = most - abs(joint.offset)
        if not room > 0.0:
            raise OutOfRangeError(
                f'chain {chain!r}: offset of {joint.name!r}', joint.offset, f'at most {most:g}'
            )
        largest[i] = min(largest[i], own, room / max(abs(joint.multiplier), 1e-300))
    for i, name in enumerate(variables):
        if lower[i] > largest[i] or upper[i] < -largest[i]:
            raise OutOfRangeError(
                f'chain {chain!r}: the limit of {name!r}',
                float(lower[i] if lower[i] > largest[i] else upper[i]),
                f'one within ±{largest[i]:g} {units[i]}',
            )
    farthest = largest_coordinates(reach)
    return Ranges(lower, upper, velocity, reach, largest, farthest, tuple(units))


def _limits(
    chain: str, joints: Sequence[Joint], variables: tuple[str, ...]
) -> tuple[Array, Array, Array]:
    """Each variable's limits and speed, so that all joints that follow it keep within theirs.

    Raises:
        SoftshellError: a variable has no position within the limits of all.
    """
    lower = np.full(len(variables), -np.inf)
    upper = np.full(len(variables), np.inf)
    velocity = np.full(len(variables), np.inf)
    for joint in joints:
        i = variables.index(str(joint.variable))
        if joint.multiplier == 0.0:
            continue
        ends = sorted(
            (end - joint.offset) / joint.multiplier for end in (joint.lower, joint.upper)
        )
        lower[i], upper[i] = max(lower[i], ends[0]), min(upper[i], ends[1])
        velocity[i] = min(velocity[i], joint.velocity / abs(joint.multiplier))
    close_gaps(lower, upper)
    for i, name in enumerate(variables):
        if lower[i] > upper[i]:
            raise SoftshellError(
                f'chain {chain!r}: no position of {name!r} is within the limits of all joints '
                f'that follow it ({lower[i]} > {upper[i]})'
            )
    return lower, upper, velocity


def close_gaps(lower: Array, upper: Array) -> None:
    """Set limits (n,) and (n,) to their mean where only rounding puts the lower one above."""
    rounded = (lower > upper) & (lower - upper <= GAP * (1.0 + np.abs(lower)))
    lower[rounded] = upper[rounded] = 0.5 * (lower[rounded] + upper[rounded])


def _reach(
    joints: Sequence[Joint],
    variables: tuple[str, ...],
    lower: Array,
    upper: Array,
    numbers: Array,
) -> float:
    """Sum of the lengths of all constant parts and of the travel of prismatic joints [m]."""
    with np.errstate(over='ignore'):
        total = float(np.linalg.norm(numbers[:, 9:12], axis=1).sum())
    for joint in joints:
        if joint.kind is JointKind.PRISMATIC:
            i = variables.index(str(joint.variable))
            ends = [joint.multiplier * end + joint.offset for end in (lower[i], upper[i])]
            total += max(abs(end) if np.isfinite(end) else FREE_SLIDE for end in ends)
    return total
