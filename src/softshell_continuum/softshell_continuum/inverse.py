"""Inverse statics: tensions that bring the tip of a chain to a target."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from softshell_continuum.checks import refuse_no_number
from softshell_continuum.equilibrium import Equilibrium
from softshell_continuum.statics import Statics
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import OutOfRangeError, SoftshellError
from softshell_kinematics.limits import checked_finite
from softshell_kinematics.solving.shortfall import goal_error
from softshell_kinematics.transforms import COORDINATES, coordinates_from_pose

#: Errors at which a target counts as reached [m], [rad].
REACHED = 1e-6, 1e-5
#: An error of 1 rad counts as one of position of so many lengths of the chain.
LEVER = 1.0
#: Most poses that are tried.
MOST_POSES = 200


@dataclass(frozen=True, eq=False)
class InverseSolution:
    """Tensions, and where they bring the tip.

    Attributes:
        tensions: (tendons,) [N].
        equilibrium: the chain at rest with them.
        reached: whether the target is met within `REACHED`.
        error: (6,) coordinates minus the target, NaN where it is free [m], [rad]; without a free
            angle the last three are the rotation vector from the target to the tip, in the world.
        poses: number of poses that were tried.
    """

    tensions: Array
    equilibrium: Equilibrium
    reached: bool
    error: Array
    poses: int


def tensions_for(
    statics: Statics,
    target: ArrayLike,
    largest: float = 100.0,
    begin: ArrayLike | None = None,
    **loads: ArrayLike,
) -> InverseSolution:
    """Tensions at which the tip comes to rest as near a target as possible.

    If several solutions exist, the result depends on where the search begins.

    Args:
        statics: chain, tendons and masses.
        target: (6,) x, y, z [m], yaw, pitch, roll [rad] of the tip in the world; those that are
            NaN are free. Or (3,) x, y, z alone. The z axis of the tip is along the backbone. If
            pitch alone is free, it may be beyond a quarter turn.
        largest: tension that a tendon may have [N].
        begin: (tendons,) tensions where the search begins [N]; None: a hundredth of the largest.
        loads: as `Statics.solve` takes them: `tip_force`, `loads`, `efforts`, `let_go`.

    Returns:
        What was found, even if the target is out of reach.

    Raises:
        SoftshellError: there is no tendon, the target or `begin` is no such array, or the largest
            tension is not a number.
        NonFiniteError: a tension of `begin` is not finite.
        OutOfRangeError: the largest tension is not positive.
    """
    wanted = _checked_target(target)
    if not statics.tendons:
        raise SoftshellError('there is no tendon to pull; expected one or more')
    refuse_no_number('largest tension', largest)
    if not 0.0 < largest < np.inf:
        raise OutOfRangeError('largest tension', largest, 'more than 0 N')
    search = _Search(statics, wanted, loads)
    count = len(statics.tendons)
    start = np.full(count, 0.01 * largest) if begin is None else checked_finite(begin, 'begin')
    if start.shape != (count,):
        raise SoftshellError(
            f'begin has shape {start.shape}; expected ({count},), a tension for each tendon'
        )
    found = least_squares(
        search.errors, np.clip(start, 0.0, largest), search.slopes, bounds=(0.0, largest),
        x_scale=0.1 * largest, xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=MOST_POSES,
    )  # fmt: skip
    rest = search.at(found.x)
    error = search.error(rest)
    limits = np.repeat(REACHED, 3)
    reached = rest.converged and bool((np.abs(np.nan_to_num(error)) < limits).all())
    return InverseSolution(found.x, rest, reached, error, search.poses)


def _checked_target(target: ArrayLike) -> Array:
    given = as_numbers(target, 'target')
    if given.shape == (3,):
        given = np.concatenate([given, np.full(3, np.nan)])
    if given.shape != (len(COORDINATES),) or np.isinf(given).any() or np.isnan(given).all():
        raise SoftshellError(
            f'target is {given.tolist()}; expected {", ".join(COORDINATES)}, of which NaN are free'
        )
    return given


class _Search:
    """Poses at rest by tension, each found from the one before."""

    def __init__(self, statics: Statics, wanted: Array, loads: dict[str, ArrayLike]) -> None:
        self._statics, self._wanted, self._loads = statics, wanted, loads
        self._held = ~np.isnan(wanted)
        length = LEVER * statics.chain.length
        self._weights = np.repeat([1.0, length], 3)[self._held]
        self._last: tuple[Array, Equilibrium] | None = None
        self.poses = 0

    def at(self, tensions: Array) -> Equilibrium:
        """The chain at rest with these tensions."""
        if self._last is not None and np.array_equal(self._last[0], tensions):
            return self._last[1]
        start = None if self._last is None else self._last[1].positions
        rest = self._statics.solve(np.maximum(tensions, 0.0), start=start, **self._loads)  # type: ignore[arg-type]
        self.poses += 1
        self._last = tensions.copy(), rest
        return rest

    def error(self, rest: Equilibrium) -> Array:
        """(6,) of the tip against the target, as in `InverseSolution`; angles in ±π."""
        error: Array = -goal_error(self._wanted, rest.tip_pose)
        return error

    def errors(self, tensions: Array) -> Array:
        """(held,) weighted errors of the coordinates that are not free [m]."""
        result: Array = self._weights * self.error(self.at(tensions))[self._held]
        return result

    def slopes(self, tensions: Array) -> Array:
        """(held, tendons) derivatives of `errors` by the tensions [m/N].

        Those of a rotation vector are taken as at 0, which leads to the same gradient.
        """
        rest = self.at(tensions)
        if self._held[3:].all():
            whole: Array = self._weights[:, None] * rest.twist_by_tension[self._held]
            return whole
        yaw, pitch, _ = coordinates_from_pose(rest.tip_pose)[3:]
        # From rates of yaw, pitch and roll to the angular velocity in the world.
        rates = np.array(
            [
                [0.0, -np.sin(yaw), np.cos(yaw) * np.cos(pitch)],
                [0.0, np.cos(yaw), np.sin(yaw) * np.cos(pitch)],
                [1.0, 0.0, -np.sin(pitch)],
            ]
        )
        twist = rest.twist_by_tension
        slopes = np.vstack([twist[:3], np.linalg.pinv(rates) @ twist[3:]])
        result: Array = self._weights[:, None] * slopes[self._held]
        return result
