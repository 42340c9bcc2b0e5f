"""Inverse kinematics of several chains in one compiled call."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.kernels.batch import solve_batch
from softshell_kinematics.kernels.bundles import Problem, Results, Tables
from softshell_kinematics.solution import IkOptions, IkResult, LimbsResult
from softshell_kinematics.transforms import COORDINATES

#: Points below which more threads cost more than they save.
POINTS_FOR_THREADS = 400
THREADS = max(1, min(4, os.cpu_count() or 1))


class Limbs:
    """Chains that are solved together, each for its own goals; immutable.

    Args:
        chains: one or more; a chain may occur more than once.

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
        self._sizes = tuple(sizes)
        self._tables = Tables(
            np.concatenate([chain._numbers for chain in chains]),
            np.concatenate([chain._codes for chain in chains]),
            np.stack([starts, ends - 1, sizes], axis=1).astype(np.int64),
            self._padded([chain.lower for chain in chains], 0.0),
            self._padded([chain.upper for chain in chains], 0.0),
        )
        self._velocity = self._padded([chain.velocity for chain in chains], np.inf)
        self._free_step = np.full_like(self._velocity, np.inf)
        self._no_posture = np.empty((0, self.most_variables))
        self._nothing_locked = np.zeros(self._velocity.shape, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.chains)

    @property
    def most_variables(self) -> int:
        """Number of variables of the chain that has most."""
        return self._tables.lower.shape[1]

    def locks(self, variables: Iterable[str]) -> NDArray[np.uint8]:
        """(limbs, most variables) 1 where a variable is named.

        Raises:
            UnknownNameError: no chain has a variable of that name.
        """
        known = {name for chain in self.chains for name in chain.variables}
        locked = self._nothing_locked.copy()
        for name in variables:
            if name not in known:
                raise UnknownNameError('variable', name, known)
            for limb, chain in enumerate(self.chains):
                if name in chain.variables:
                    locked[limb, chain.index(name)] = 1
        return locked

    def seeds(self, values: Sequence[ArrayLike] | None = None) -> Array:
        """Pad one seed (n,) or (points, n) for each chain to the solver's common shape.

        NaN, and None for all, mean the middle of a variable's range.
        """
        if values is None:
            return np.full((len(self), 1, self.most_variables), np.nan)
        arrays = [np.atleast_2d(np.asarray(value, dtype=float)) for value in values]
        points = max(len(array) for array in arrays)
        result = np.full((len(self), points, self.most_variables), np.nan)
        for limb, (chain, array) in enumerate(zip(self.chains, arrays, strict=True)):
            if array.shape[1] != len(chain) or len(array) not in (1, points):
                raise SoftshellError(
                    f'seed of {chain.name!r} has shape {array.shape}; expected '
                    f'({len(chain)},) or ({points}, {len(chain)})'
                )
            result[limb, :, : len(chain)] = array
        return result

    def solve(
        self,
        goals: ArrayLike,
        seeds: ArrayLike | None = None,
        options: IkOptions | None = None,
        locked: NDArray[np.uint8] | Iterable[str] = (),
        postures: ArrayLike | None = None,
    ) -> LimbsResult:
        """Bring each chain's tip to its goals, or as close as its limits and reach allow.

        Args:
            goals: (limbs, points, 6) x, y, z [m], yaw, pitch, roll [rad] of the tip in the base,
                NaN where a coordinate is free.
            seeds: (limbs, 1 or points, most variables) starts of the search, e.g. of `seeds()`;
                NaN or None: the middle of the range.
            options: how to search.
            locked: variables that keep their seed's value, by name or as from `locks()`.
            postures: (limbs, most variables) where redundant chains, with more variables than
                constrained coordinates, would rather be; NaN where it does not matter.

        Returns:
            One result for each chain, in a sequence that also has the arrays of all.

        Raises:
            SoftshellError: a shape is wrong, a goal is infinite or has all coordinates free.
        """
        chosen = options or IkOptions()
        wanted = self._checked_goals(goals)
        limbs, points, most = len(self), wanted.shape[1], self.most_variables
        problem = Problem(
            wanted,
            self.seeds() if seeds is None else self._checked_seeds(seeds, points),
            self._checked_locks(locked),
            self._free_step if chosen.time_step is None else self._velocity * chosen.time_step,
        )
        rather = self._no_posture if postures is None else self._checked_postures(postures)
        results = Results(
            np.zeros((limbs, points, most)),
            np.empty((limbs, points), dtype=np.uint8),
            np.empty((limbs, points)),
            np.full((limbs, points, 6), np.nan),
            np.empty((limbs, points), dtype=np.uint16),
        )
        jumps = np.zeros((limbs, points), dtype=np.uint8)

        def part(*limits: int) -> None:
            solve_batch(self._tables, problem, rather, chosen.settings, limits, results, jumps)

        if limbs * points < POINTS_FOR_THREADS or (limbs == 1 and chosen.warm_start):
            part(0, limbs, 0, points)
        elif chosen.warm_start or limbs % THREADS == 0:
            # A warm-started path is one thread's from end to end.
            list(_threads().map(part, *_shares(limbs), [0] * THREADS, [points] * THREADS))
        else:
            list(_threads().map(part, [0] * THREADS, [limbs] * THREADS, *_shares(points)))
        return LimbsResult(self._sizes, *results, jumps)

    def _padded(self, rows: Sequence[Array], fill: float) -> Array:
        result = np.full((len(rows), max(len(row) for row in rows)), fill)
        for i, row in enumerate(rows):
            result[i, : len(row)] = row
        return result

    def _checked_goals(self, goals: ArrayLike) -> Array:
        result = np.ascontiguousarray(goals, dtype=np.float64)
        if result.ndim != 3 or result.shape[0] != len(self) or result.shape[2] != 6:
            raise SoftshellError(
                f'goals have shape {result.shape}; expected ({len(self)} limbs, points, 6: '
                f'{", ".join(COORDINATES)})'
            )
        infinite = np.isinf(result)
        if infinite.any():
            limb, point, coordinate = np.argwhere(infinite)[0]
            raise SoftshellError(
                f'goal {point} of {self.chains[limb].name!r}: {COORDINATES[coordinate]} is '
                f'{result[limb, point, coordinate]}; expected a finite number, or NaN if free'
            )
        free = np.isnan(result).all(axis=2)
        if free.any():
            limb, point = np.argwhere(free)[0]
            raise SoftshellError(
                f'goal {point} of {self.chains[limb].name!r}: all coordinates are free; expected '
                f'one or more of {", ".join(COORDINATES)}'
            )
        return result

    def _checked_seeds(self, seeds: ArrayLike, points: int) -> Array:
        result = np.ascontiguousarray(seeds, dtype=np.float64)
        if result.ndim == 2:
            result = np.ascontiguousarray(result[:, None, :])
        allowed = [(len(self), count, self.most_variables) for count in (1, points)]
        if result.shape not in allowed:
            raise SoftshellError(
                f'seeds have shape {result.shape}; expected {allowed[0]} or {allowed[1]}'
            )
        if np.isinf(result).any():
            raise SoftshellError('a seed is infinite; expected finite numbers or NaN')
        return result

    def _checked_locks(self, locked: NDArray[np.uint8] | Iterable[str]) -> NDArray[np.uint8]:
        if not isinstance(locked, np.ndarray):
            return self.locks(locked)
        result = np.ascontiguousarray(locked, dtype=np.uint8)
        if result.shape != self._nothing_locked.shape:
            raise SoftshellError(
                f'locked has shape {result.shape}; expected {self._nothing_locked.shape}'
            )
        return result

    def _checked_postures(self, postures: ArrayLike) -> Array:
        result = np.ascontiguousarray(postures, dtype=np.float64)
        if result.shape != self._velocity.shape:
            raise SoftshellError(
                f'postures have shape {result.shape}; expected {self._velocity.shape}'
            )
        return result


def solve_ik(
    chain: SerialChain,
    goals: ArrayLike,
    seed: ArrayLike | None = None,
    options: IkOptions | None = None,
    locked: Iterable[str] = (),
    posture: ArrayLike | None = None,
) -> IkResult:
    """Inverse kinematics of one chain at many points; see `Limbs.solve`.

    Args:
        chain: the chain.
        goals: (points, 6) or (6,), NaN where free.
        seed: (n,) or (points, n).
        options, locked: as in `Limbs.solve`.
        posture: (n,) as in `Limbs.solve`.
    """
    limbs = Limbs([chain])
    wanted = np.atleast_2d(np.asarray(goals, dtype=float))
    starts = None if seed is None else np.atleast_2d(np.asarray(seed, dtype=float))[None]
    rather = None if posture is None else np.atleast_2d(np.asarray(posture, dtype=float))
    return limbs.solve(wanted[None], starts, options, locked, rather)[0]


def _shares(count: int) -> tuple[list[int], list[int]]:
    edges = [count * k // THREADS for k in range(THREADS + 1)]
    return edges[:-1], edges[1:]


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads that live as long as the process: kernels run without the interpreter lock."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix='kinematics')
