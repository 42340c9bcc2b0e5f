"""Inverse kinematics of several chains in one compiled call."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.configurations import Configuration, configuration_rows
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.goals import Goals, coordinate_error, goal_rows
from softshell_kinematics.kernels.bundles import Problem, Tables
from softshell_kinematics.kernels.checks import find_wrong
from softshell_kinematics.limits import held_outside
from softshell_kinematics.search import Search
from softshell_kinematics.solution import IkOptions, IkResult, LimbsResult
from softshell_kinematics.transforms import COORDINATES


class Limbs:
    """Chains that are solved together, each for its own goals; immutable.

    Args:
        chains: one or more; a chain may occur more than once.

    Raises:
        SoftshellError: there is no chain.

    Attributes:
        chains: as given.
    """

    def __init__(self, chains: Sequence[SerialChain]) -> None:
        if not chains:
            raise SoftshellError('Limbs of no chain; expected one or more')
        self.chains = tuple(chains)
        ends = np.cumsum([len(chain._numbers) for chain in chains])
        starts = np.concatenate([[0], ends[:-1]])
        # The last row of each table is the tip.
        sizes = [len(chain) for chain in chains]
        self._tables = Tables(
            np.concatenate([chain._numbers for chain in chains]),
            np.concatenate([chain._codes for chain in chains]),
            np.stack([starts, ends - 1, sizes], axis=1).astype(np.int64),
            self._padded([chain.ranges.bounds[0] for chain in chains], 0.0),
            self._padded([chain.ranges.bounds[1] for chain in chains], 0.0),
            self._padded([chain.ranges.spread[0] for chain in chains], 0.0),
            self._padded([chain.ranges.spread[1] for chain in chains], 0.0),
            np.array([chain.ranges.length for chain in chains]),
        )
        self._sizes = np.array(sizes, dtype=np.int64)
        self._largest = self._padded([chain.ranges.largest for chain in chains], np.inf)
        self._farthest = np.stack([chain.ranges.farthest for chain in chains])
        self._middle = self._padded([chain.middle() for chain in chains], 0.0)[:, None, :]
        self._velocity = self._padded([chain.velocity for chain in chains], np.inf)
        self._free_step = np.full_like(self._velocity, np.inf)
        self._no_posture = np.empty((0, self.most_variables))
        self._nothing_locked = np.zeros(self._velocity.shape, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.chains)

    @property
    def most_variables(self) -> int:
        """Number of variables of the chain that has most."""
        most: int = self._tables.lower.shape[1]
        return most

    def locks(self, variables: Iterable[str]) -> NDArray[np.uint8]:
        """(limbs, most variables) 1 where a variable is named.

        Raises:
            UnknownNameError: no chain has a variable of that name.
            SoftshellError: what stands for a name is none.
        """
        known = {name for chain in self.chains for name in chain.variables}
        locked = self._nothing_locked.copy()
        for name in variables:
            if not isinstance(name, str):
                raise SoftshellError(
                    f'locked variable is {name!r}; expected a name, or an array as from locks()'
                )
            if name not in known:
                raise UnknownNameError('variable', name, known)
            for limb, chain in enumerate(self.chains):
                if name in chain.variables:
                    locked[limb, chain.index(name)] = 1
        return locked

    def seeds(self, values: Sequence[Configuration] | None = None) -> Array:
        """Starts of a search in the solver's common shape.

        Args:
            values: one for each chain: (n,) or (points, n) in the order of its variables, or by
                name. What is not named, and all of None, starts at the middle of its range.

        Returns:
            (limbs, 1 or points, most variables), 0 beyond a chain's own.

        Raises:
            UnknownNameError: a chain has no variable of a name.
            SoftshellError: a shape is wrong.
        """
        if values is None:
            return self._middle.copy()
        subjects = [f'seed of {chain.name!r}' for chain in self.chains]
        rows = [
            configuration_rows(each, chain.variables, chain.middle(), subject)
            for each, chain, subject in zip(
                _one_each(values, self.chains, 'seeds'), self.chains, subjects, strict=True
            )
        ]
        points = max(len(each) for each in rows)
        result = np.zeros((len(self), points, self.most_variables))
        for limb, each in enumerate(rows):
            if len(each) not in (1, points):
                raise SoftshellError(
                    f'{subjects[limb]} has {len(each)} points; expected 1 or {points}'
                )
            result[limb, :, : each.shape[1]] = each
        return result

    def solve(
        self,
        goals: ArrayLike,
        seeds: ArrayLike | None = None,
        options: IkOptions | None = None,
        locked: NDArray[np.uint8] | Iterable[str] = (),
        postures: Sequence[Configuration | None] | Array | None = None,
    ) -> LimbsResult:
        """Bring each chain's tip to its goals, or as close as its limits and reach allow.

        Args:
            goals: (limbs, points, 6) x, y, z [m], yaw, pitch, roll [rad] of the tip in the base,
                NaN where a coordinate is free. `limits` says how large they may be.
            seeds: (limbs, 1 or points, most variables) starts of the search, e.g. of `seeds()`;
                None: the middle of all ranges.
            options: how to search.
            locked: variables that keep their seed's value, by name or as from `locks()`.
            postures: where redundant chains, with more variables than constrained coordinates,
                would rather be: one (n,) for each chain, or some variables by name, or None.

        Returns:
            One result for each chain, in a sequence that also has the arrays of all.

        Raises:
            OutOfRangeError: a goal, a seed or a posture is larger than `limits` allow, or a locked
                variable's seed is outside its limits.
            NonFiniteError: a goal is infinite, or a seed or a posture is no number.
            UnknownNameError: a locked variable, or one of a posture, does not exist.
            SoftshellError: a shape is wrong, or a goal has all coordinates free.
        """
        search = self.begin(goals, seeds, options, locked, postures)
        search.go_on()
        return search.result()

    def begin(
        self,
        goals: ArrayLike,
        seeds: ArrayLike | None = None,
        options: IkOptions | None = None,
        locked: NDArray[np.uint8] | Iterable[str] = (),
        postures: Sequence[Configuration | None] | Array | None = None,
    ) -> Search:
        """Prepare a problem, to be solved in slices of its points; arguments as in `solve`.

        Raises:
            OutOfRangeError: as `solve`.
            NonFiniteError: as `solve`.
            UnknownNameError: as `solve`.
            SoftshellError: as `solve`.
        """
        chosen = options or IkOptions()
        wanted = np.ascontiguousarray(goals, dtype=np.float64)
        if wanted.ndim != 3 or wanted.shape[0] != len(self) or wanted.shape[2] != 6:
            raise SoftshellError(
                f'goals have shape {wanted.shape}; expected ({len(self)} limbs, points, 6: '
                f'{", ".join(COORDINATES)})'
            )
        starts = self._middle if seeds is None else self._shaped_seeds(seeds, wanted.shape[1])
        self._refuse_wrong(wanted, starts)
        held = self._checked_locks(locked)
        if held is not self._nothing_locked:
            self._refuse_held_outside(starts, held)
        problem = Problem(
            wanted,
            starts,
            held,
            self._free_step if chosen.time_step is None else self._velocity * chosen.time_step,
        )
        rather = self._no_posture if postures is None else self._posture_rows(postures)
        return Search(self._tables, problem, rather, chosen)

    def _padded(self, rows: Sequence[Array], fill: float) -> Array:
        result = np.full((len(rows), max(len(row) for row in rows)), fill)
        for i, row in enumerate(rows):
            result[i, : len(row)] = row
        return result

    def _refuse_wrong(self, goals: Array, seeds: Array) -> None:
        goal, seed = find_wrong(self._sizes, goals, self._farthest, seeds, self._largest)
        if goal >= 0:
            limb, point, coordinate = np.unravel_index(goal, (*goals.shape[:2], 7))
            value = goals[limb, point, min(int(coordinate), 5)]
            subject = f'goal {point} of {self.chains[limb].name!r}'
            raise coordinate_error(subject, int(coordinate), float(value), self._farthest[limb])
        if seed >= 0:
            limb, point, i = np.unravel_index(seed, seeds.shape)
            chain = self.chains[limb]
            subject = f'seed {point} of {chain.name!r}'
            more = '; what is left out of a seed by name starts at the middle'
            raise chain.beyond(subject, int(i), float(seeds[limb, point, i]), more)

    def _shaped_seeds(self, seeds: ArrayLike, points: int) -> Array:
        result = np.ascontiguousarray(seeds, dtype=np.float64)
        if result.ndim == 2:
            result = np.ascontiguousarray(result[:, None, :])
        allowed = [(len(self), count, self.most_variables) for count in (1, points)]
        if result.shape not in allowed:
            raise SoftshellError(
                f'seeds have shape {result.shape}; expected {allowed[0]} or {allowed[1]}'
            )
        return result

    def _checked_locks(self, locked: NDArray[np.uint8] | Iterable[str]) -> NDArray[np.uint8]:
        if not isinstance(locked, np.ndarray):
            names = tuple(locked)
            return self.locks(names) if names else self._nothing_locked
        result = np.ascontiguousarray(locked, dtype=np.uint8)
        if result.shape != self._nothing_locked.shape:
            raise SoftshellError(
                f'locked has shape {result.shape}; expected {self._nothing_locked.shape}'
            )
        return result

    def _refuse_held_outside(self, starts: Array, held: NDArray[np.uint8]) -> None:
        """Refuse to hold a variable where its limits do not let it be.

        Raises:
            OutOfRangeError: a variable is held outside its limits.
        """
        lower, upper = self._tables.lower[:, None], self._tables.upper[:, None]
        outside = (held[:, None] != 0) & ~((starts >= lower) & (starts <= upper))
        if outside.any():
            limb, point, i = (int(place) for place in np.argwhere(outside)[0])
            chain = self.chains[limb]
            error = held_outside(
                f'{chain.variables[i]} of {chain.name!r}',
                float(starts[limb, point, i]),
                float(lower[limb, 0, i]),
                float(upper[limb, 0, i]),
                chain.ranges.units[i],
            )
            raise error

    def _posture_rows(self, postures: Sequence[Configuration | None] | Array) -> Array:
        """(limbs, most variables), NaN where it does not matter.

        Raises:
            OutOfRangeError: a posture is larger than `limits` allow.
            NonFiniteError: a posture is no number.
            UnknownNameError: a chain has no variable of a name.
            SoftshellError: a shape is wrong.
        """
        result = np.full(self._velocity.shape, np.nan)
        padded = isinstance(postures, np.ndarray) and postures.shape == result.shape
        for limb, (chain, each) in enumerate(
            zip(self.chains, _one_each(postures, self.chains, 'postures'), strict=True)
        ):
            if each is None:
                continue
            own = each[: len(chain)] if padded else each
            subject = f'posture of {chain.name!r}'
            rows = configuration_rows(own, chain.variables, result[limb, : len(chain)], subject)
            if len(rows) != 1:
                raise SoftshellError(f'{subject} has {len(rows)} points; expected one')
            named = chain.variables if not isinstance(own, Mapping) else tuple(own)
            for name in named:
                i = chain.index(name)
                if not abs(rows[0, i]) <= self._largest[limb, i]:
                    raise chain.beyond(subject, i, float(rows[0, i]))
            result[limb, : len(chain)] = rows[0]
        return result


def solve_ik(
    chain: SerialChain,
    goals: Goals,
    seed: Configuration | None = None,
    options: IkOptions | None = None,
    locked: Iterable[str] = (),
    posture: Configuration | None = None,
) -> IkResult:
    """Inverse kinematics of one chain, at one point or at many; see `Limbs.solve`.

    Args:
        chain: the chain.
        goals: coordinates (6,) or (points, 6), NaN where free; poses (4, 4) or (points, 4, 4); or
            a tuple of positions (3,) or (points, 3) and quaternions (4,) or (points, 4).
        seed: (n,) or (points, n), or by name for some variables; the others, and all of None,
            start at the middle of their range.
        options, locked: as in `Limbs.solve`.
        posture: (n,) or by name as in `Limbs.solve`.

    Returns:
        Of one goal alone the result has no axis of points: q is (n,).

    Raises:
        OutOfRangeError: as `Limbs.solve`.
        NonFiniteError: as `Limbs.solve`.
        UnknownNameError: as `Limbs.solve`.
        SoftshellError: as `Limbs.solve`.
    """
    limbs = Limbs([chain])
    wanted, alone = goal_rows(goals)
    starts = None if seed is None else limbs.seeds([seed])
    rather = None if posture is None else [posture]
    result = limbs.solve(wanted[None], starts, options, locked, rather)[0]
    return result.at(0) if alone else result


def _one_each(values: Sequence[Any] | Array, chains: Sequence[SerialChain], what: str) -> Any:
    if len(values) != len(chains):
        raise SoftshellError(f'{what} of {len(values)} chains; expected {len(chains)}')
    return values
