"""Newton's method for the pose of a chain at rest."""

from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from softshell_continuum.equilibrium import Equilibrium
from softshell_continuum.kernels import Ints, frames, places, potential
from softshell_kinematics.arrays import Array

if TYPE_CHECKING:
    from softshell_continuum.statics import Statics

#: Most Newton steps, and most updates of friction.
MOST_STEPS, MOST_ROUNDS = 200, 30
#: The chain is at rest where the gradient, divided by the joints' stiffness, is below this [rad]
#: or [m].
STILL = 1e-10
#: Near a saddle: the gradient, divided by the stiffness, is below the first [rad] or [m]; largest
#: step of a joint that leaves the saddle [rad] or [m]; most such steps; curvature below 0,
#: divided by the stiffness, that counts as rounding.
FLAT, KICK, MOST_KICKS, ROUNDING = 1e-3, 0.02, 10, 1e-9
#: Largest step of a joint [rad] or [m].
LARGEST = 0.3
#: Change of the spans' parts of tension below which friction is up to date.
SAME = 1e-10
#: Part of the slope by which a step has to lower the energy (Armijo), and the shortest step, as
#: part of a whole one.
DESCENT, SHORTEST = 1e-4, 1e-10

#: What `kernels.potential` gives.
Found = tuple[float, Array, Array, Array, Array, Array]


class Search:
    """One search for a pose at rest.

    Args:
        statics: the chain with its tendons and masses.
        links, points: (points,) and (points, 3) of masses, eyes and loads, in the links [m].
        outer: (points, 3) forces on them in the world [N].
        drive: (joints,) further efforts on the joints [N m] or [N].
        pulls: (tendons, 3) tension [N], stiffness [N/m] and length at rest [m]. With friction,
            each span counts by its part of the tension, so that there is a potential; the length
            at rest is reduced by what is missing then.
        ways: (tendons,) as `Routes.shares` takes them.
    """

    def __init__(
        self,
        statics: 'Statics',
        links: Ints,
        points: Array,
        outer: Array,
        drive: Array,
        pulls: Array,
        ways: Array | None = None,
    ) -> None:
        self._statics, self._chain = statics, statics.chain
        self._links, self._points, self._outer, self._pulls = links, points, outer, pulls
        self._missing, self._ways = np.zeros(len(pulls)), ways
        self._springs = self._chain.stiffness, self._chain.neutral, drive
        self._parts = np.ones(len(statics.routes.starts))
        self._starts = statics.heavy + statics.routes.starts

    def settled(self, q: Array) -> Equilibrium:
        """The pose at rest that a search from a pose q (joints,) finds."""
        steps, rounds = 0, 0
        while True:
            q, found, taken, converged = self._minimum(q)
            steps += taken
            (parts, missing), rounds = self._shares(q), rounds + 1
            changed = float(np.abs(parts - self._parts).max(initial=0.0))
            off = float(np.abs(missing - self._missing).max(initial=0.0))
            if off:  # there are tendons, so the chain has a length
                changed = max(changed, off / self._chain.length)
            if changed < SAME or not converged or rounds == MOST_ROUNDS:
                converged = converged and changed < SAME
                break
            self._parts, self._missing = parts, missing
        free = self._free(q, found[1])
        residual = float(np.abs(found[1] / self._statics.scale)[free].max(initial=0.0))
        return Equilibrium(
            self._statics, q, converged, steps, residual, found[0], found[3], found[4], ~free,
            found[2], found[5],
        )  # fmt: skip

    def evaluate(self, q: Array) -> Found:
        """The potential in a pose q (joints,), as `kernels.potential` gives it."""
        chain, statics = self._chain, self._statics
        turned, origins, world = frames(
            chain.kinds, chain.axes, chain.rotations, chain.offsets, statics.base, q
        )
        here = places(turned, origins, self._links, self._points)
        starts, routes = self._starts, statics.routes
        pulls = self._pulls.copy()
        pulls[:, 2] -= self._missing
        return potential(
            chain.kinds, world, origins, self._springs, q, (self._links, here, self._outer),
            (starts, starts + 1, routes.owners, self._parts, pulls, routes.outside),
        )  # fmt: skip

    def _free(self, q: Array, gradient: Array) -> NDArray[np.bool_]:
        """(joints,) whether they do not press on a stop."""
        lower, upper = self._chain.limits
        free: NDArray[np.bool_] = ~((q <= lower) & (gradient > 0.0))
        return free & ~((q >= upper) & (gradient < 0.0))

    def _minimum(self, q: Array) -> tuple[Array, Found, int, bool]:
        """Newton's method: the pose, `evaluate` there, number of steps, whether it is at rest.

        Joints that press on a stop take no part in a step, and the others go to theirs at most.
        """
        scale, limits = self._statics.scale, self._chain.limits
        q = np.clip(q, *limits)
        found, damping, kicks = self.evaluate(q), 0.0, 0
        for step in range(MOST_STEPS):
            energy, gradient, hessian = found[:3]
            free = self._free(q, gradient)
            steep = float(np.abs(gradient / scale)[free].max(initial=0.0))
            inner, change = hessian[np.ix_(free, free)], np.zeros(len(q))
            if (steep < STILL or (damping and steep < FLAT)) and kicks < MOST_KICKS:
                way = _way_down(inner, scale[free])
                if way is not None:  # a saddle, e.g. of a column that has not buckled yet
                    change[free] = KICK * way
                    forth, back = (np.clip(q + side * change, *limits) for side in (1.0, -1.0))
                    # Stops may leave room on one side only.
                    turned = np.abs(back - q).max() > 2.0 * np.abs(forth - q).max()
                    q, damping, kicks = back if turned else forth, 0.0, kicks + 1
                    found = self.evaluate(q)
                    continue
            if steep < STILL:
                return q, found, step, True
            if not np.isfinite(hessian).all():
                return q, found, step, False
            change[free], damping = _newton_step(gradient[free], inner, scale[free], damping)
            change *= min(1.0, LARGEST / float(np.abs(change).max()))
            part = 1.0
            while True:
                there = np.clip(q + part * change, *limits)
                trial, slope = self.evaluate(there), float(gradient @ (there - q))
                rounding = 1e-12 * (abs(energy) + abs(slope))
                if trial[0] <= energy + DESCENT * slope + rounding:
                    break
                part *= 0.5
                if part < SHORTEST:
                    return q, found, step, False
            damping = 0.25 * damping if part == 1.0 else 4.0 * damping
            q, found = there, trial
        return q, found, MOST_STEPS, False

    def _shares(self, q: Array) -> tuple[Array, Array]:
        """Part of its tension that a tendon has in each of its spans, in a pose.

        Returns:
            (spans,) parts; (tendons,) lengths minus the sums of spans times their parts [m].
        """
        routes = self._statics.routes
        if not routes.rubs:
            return self._parts, self._missing
        turned, origins, _ = self._chain.frames(q, self._statics.base)
        eyes = places(turned, origins, routes.links, routes.points)
        parts, missing = routes.shares(eyes, self._ways), np.zeros(len(self._pulls))
        spans = np.linalg.norm(eyes[routes.starts + 1] - eyes[routes.starts], axis=1)
        np.add.at(missing, routes.owners, (1.0 - parts) * spans)
        return parts, missing


def _way_down(hessian: Array, scale: Array) -> Array | None:
    """(joints,) direction in which the energy falls most, its largest part 1; None: a minimum.

    Args:
        hessian: (joints, joints) of the energy, where its gradient is small.
        scale: (joints,) stiffness of the joints.
    """
    root = np.sqrt(scale)
    try:  # nearly always the Hessian is positive definite
        scipy.linalg.cholesky(hessian + np.diag(ROUNDING * scale), check_finite=False)
    except np.linalg.LinAlgError:
        _, ways = scipy.linalg.eigh(hessian / np.outer(root, root), subset_by_index=(0, 0))
        way = np.asarray(ways[:, 0] / root)
        return np.asarray(way / way[np.abs(way).argmax()])
    return None


def _newton_step(
    gradient: Array, hessian: Array, scale: Array, damping: float
) -> tuple[Array, float]:
    """A step downhill, and the multiple of the stiffness that had to be added to the Hessian."""
    while True:
        try:
            factor = scipy.linalg.cho_factor(
                hessian + np.diag(damping * scale), check_finite=False, overwrite_a=True
            )
        except np.linalg.LinAlgError:
            damping = max(4.0 * damping, 0.01)
            continue
        change = scipy.linalg.cho_solve(factor, -gradient, check_finite=False)
        return change, damping
