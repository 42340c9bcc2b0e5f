"""A parallel mechanism: chains that share variables, such as six legs on one fold motor."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array, as_numbers, for_kernel, own
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.kernels.bundles import VALUES, MechanismTables, Problem
from softshell_kinematics.limits import beyond, held_outside, outside, refuse_moved
from softshell_kinematics.model.chain import SerialChain, stacked
from softshell_kinematics.model.configurations import (
    Configuration,
    configuration_rows,
    locked_names,
)
from softshell_kinematics.model.ranges import close_gaps, middle, spread
from softshell_kinematics.solving.goals import checked_coordinates, upright
from softshell_kinematics.solving.limbs import chosen_options
from softshell_kinematics.solving.mechanism_search import MechanismResult, MechanismSearch
from softshell_kinematics.solving.solution import IkOptions, IkStatus, LimbsResult


class ParallelMechanism:
    """Chains with a common base, in which variables of the same name are one; immutable.

    Where chains share no variable, `Limbs` is faster and finds the same.

    Args:
        chains: one or more.

    Raises:
        SoftshellError: there is no chain, or no position of a variable is within all limits.

    Attributes:
        chains: as given.
        variables: names of all variables, each once: those shared first.
        lower, upper, velocity: (n,) as in `SerialChain`; of a shared variable those that all its
            chains allow.
    """

    def __init__(self, chains: Sequence[SerialChain]) -> None:
        self.chains = chains = tuple(chains)
        if not chains:
            raise SoftshellError('ParallelMechanism of no chain; expected one or more')
        names = [name for chain in chains for name in chain.variables]
        self.variables = tuple(
            sorted(dict.fromkeys(names), key=lambda name: names.count(name) < 2)
        )
        n = len(self.variables)
        self.lower, self.upper = np.full(n, -np.inf), np.full(n, np.inf)
        self.velocity = np.full(n, np.inf)
        self._largest = np.full(n, np.inf)
        self._units = [''] * n
        members = np.zeros((len(chains), max(map(len, chains))), dtype=np.int64)
        for limb, chain in enumerate(chains):
            places = [self.variables.index(name) for name in chain.variables]
            members[limb, : len(chain)] = places
            self.lower[places] = np.maximum(self.lower[places], chain.lower)
            self.upper[places] = np.minimum(self.upper[places], chain.upper)
            self.velocity[places] = np.minimum(self.velocity[places], chain.velocity)
            self._largest[places] = np.minimum(self._largest[places], chain.ranges.largest)
            for place, unit in zip(places, chain.ranges.units, strict=True):
                self._units[place] = unit
        close_gaps(self.lower, self.upper)
        lower = np.maximum(self.lower, -self._largest)
        upper = np.minimum(self.upper, self._largest)
        if np.any(lower > upper):
            worst = self.variables[int(np.argmax(lower - upper))]
            raise SoftshellError(f'no position of {worst!r} is within the limits of all chains')
        for values in (self.lower, self.upper, self.velocity):
            values.setflags(write=False)
        self._tables = MechanismTables(
            *stacked(chains),
            members,
            lower,
            upper,
            *spread(self.lower, self.upper, self._largest, self._units),
        )

    def __len__(self) -> int:
        return len(self.variables)

    def index(self, variable: str) -> int:
        """Index of a variable in q.

        Raises:
            UnknownNameError: no chain has a variable of that name.
        """
        if variable not in self.variables:
            raise UnknownNameError('variable of the mechanism', variable, self.variables)
        return self.variables.index(variable)

    def limb(self, q: ArrayLike, limb: int) -> Array:
        """The variables (..., its n) of chain number `limb`, out of `q` (..., n).

        Raises:
            SoftshellError: q has another shape, or there is no such chain.
        """
        if not 0 <= limb < len(self.chains):
            raise SoftshellError(
                f'limb is {limb}; expected the number of a chain, 0 to {len(self.chains) - 1}'
            )
        values = as_numbers(q, 'q')
        if values.shape[-1:] != (len(self),):
            raise SoftshellError(f'q has shape {values.shape}; expected (..., {len(self)})')
        return values[..., self._tables.members[limb, : len(self.chains[limb])]]

    def forward(self, q: ArrayLike) -> Array:
        """Poses of all tips in the base (..., limbs, 4, 4) at q (..., n).

        Raises:
            SoftshellError: q has another shape.
        """
        poses = [chain.forward(self.limb(q, i)) for i, chain in enumerate(self.chains)]
        return np.stack(poses, axis=-3)

    def middle(self) -> Array:
        """(n,) the middle between each variable's two limits, as in `SerialChain.middle`."""
        return middle(self.lower, self.upper, self._largest)

    def solve(
        self,
        goals: ArrayLike,
        seed: Configuration | None = None,
        options: IkOptions | None = None,
        locked: Iterable[str] | None = (),
    ) -> MechanismResult:
        """Bring all tips to their goals at once, or all together as close as they get.

        Args:
            goals: (points, limbs, 6) as in `Limbs.solve`; all of a limb's coordinates may be free.
            seed: (n,) or (points, n), or by name for some variables; the others, and all of None,
                start at the middle of their range.
            options: how to search; on a warm-started path restarts count only at its first point,
                and there are no jumps.
            locked: variables that keep their seed's value.

        Raises:
            OutOfRangeError: a goal or a seed is larger than `limits` allow.
            NonFiniteError: a goal is infinite, or a seed is NaN or infinite.
            UnknownNameError: a locked variable, or one of the seed, does not exist.
            SoftshellError: a shape is wrong, all coordinates of a point are free, or the seeds of
                a locked variable differ on a warm-started path.
        """
        search = self.begin(goals, seed, options, locked)
        search.go_on()
        return search.result()

    def begin(
        self,
        goals: ArrayLike,
        seed: Configuration | None = None,
        options: IkOptions | None = None,
        locked: Iterable[str] | None = (),
    ) -> MechanismSearch:
        """Prepare a problem, to be solved in slices of its points; arguments as in `solve`.

        Raises:
            OutOfRangeError: as `solve`.
            NonFiniteError: as `solve`.
            UnknownNameError: as `solve`.
            SoftshellError: as `solve`.
        """
        chosen = chosen_options(options)
        wanted = for_kernel(goals, 'goals')
        if wanted.ndim != 3 or wanted.shape[1:] != (len(self.chains), 6):
            raise SoftshellError(
                f'goals have shape {wanted.shape}; expected (points, {len(self.chains)} limbs, 6)'
            )
        for limb, chain in enumerate(self.chains):
            subject = f'the goals of {chain.name!r}'
            checked_coordinates(wanted[:, limb], chain.ranges.farthest, subject)
        wanted = own(upright(wanted), goals)
        free = np.isnan(wanted).all(axis=(1, 2))
        if free.any():
            point = int(np.argmax(free))
            raise SoftshellError(
                f'point {point}: all coordinates of all limbs are free (NaN); expected one or '
                'more numbers'
            )
        n = len(self)
        held = np.zeros(n, dtype=np.uint8)
        held[[self.index(name) for name in locked_names(locked)]] = 1
        start = self._start(seed, len(wanted), held)
        for i in np.flatnonzero(held) if chosen.warm_start else ():
            refuse_moved(self.variables[i], start[:, i])
        steps = np.full(n, np.inf)
        if chosen.time_step is not None:
            steps = self.velocity * chosen.time_step
        return MechanismSearch(self._tables, Problem(wanted, start, held, steps), chosen)

    def by_limb(self, result: MechanismResult, options: IkOptions) -> LimbsResult:
        """The same solutions chain by chain, as `Limbs.solve` gives them.

        A chain has converged where its own error is within tolerance.

        Args:
            result: of this mechanism.
            options: with which it was found.
        """
        limbs, points = len(self.chains), len(result.q)
        numbers = np.zeros((limbs, points, VALUES + self._tables.members.shape[1]))
        marks = np.zeros((limbs, points, 3), dtype=np.uint16)
        found = LimbsResult(tuple(len(chain) for chain in self.chains), numbers, marks)
        for limb, chain in enumerate(self.chains):
            found.q[limb, :, : len(chain)] = self.limb(result.q, limb)
        found.error[:] = result.error.transpose(1, 0, 2)
        weights = np.repeat([options.position_weight, options.rotation_weight], 3)
        found.residual[:] = np.sqrt(np.nansum((weights * found.error) ** 2, axis=-1))
        within = found.residual <= options.tolerance
        found.status[:] = np.where(within, IkStatus.CONVERGED, result.status)
        found.iterations[:] = result.iterations
        return found

    def _start(self, seed: Configuration | None, points: int, held: NDArray[np.uint8]) -> Array:
        """(1 or points, n) within bounds.

        Raises:
            OutOfRangeError: a seed is larger than `limits` allow, or held outside its limits.
            NonFiniteError: a seed is NaN or infinite.
            UnknownNameError: a name is not one of the variables.
            SoftshellError: the shape is another.
        """
        start = configuration_rows(
            self.middle() if seed is None else seed, self.variables, self.middle(), 'seed'
        )
        if len(start) not in (1, points):
            raise SoftshellError(f'seed has {len(start)} points; expected 1 or {points}')
        wrong = np.argwhere(~(np.abs(start) <= self._largest))
        if len(wrong):
            point, i = wrong[0]
            name, value = f'seed {point}: {self.variables[i]}', float(start[point, i])
            error = beyond(name, value, float(self._largest[i]), self._units[i])
            raise error
        lower, upper = self._tables.lower, self._tables.upper
        refused = np.argwhere((held != 0) & outside(start, lower, upper))
        if len(refused):
            point, i = refused[0]
            error = held_outside(
                self.variables[i],
                float(start[point, i]),
                float(lower[i]),
                float(upper[i]),
                self._units[i],
            )
            raise error
        return np.ascontiguousarray(np.clip(start, self._tables.lower, self._tables.upper))
