"""Inverse kinematics of several chains in one compiled call."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array, for_kernel, own
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.kernels.bundles import VALUES, Tables
from softshell_kinematics.kernels.layout import pack
from softshell_kinematics.model.chain import SerialChain, stacked
from softshell_kinematics.model.closed_forms import find_form
from softshell_kinematics.model.configurations import (
    Configuration,
    configuration_rows,
    locked_names,
)
from softshell_kinematics.solving.goals import QUARTER_TURN, upright
from softshell_kinematics.solving.limb_checks import checked_locks, refuse_wrong, seeds_to_hold
from softshell_kinematics.solving.postures import one_each, posture_rows
from softshell_kinematics.solving.search import GOALS, SEEDS, Arguments, Search
from softshell_kinematics.solving.solution import IkOptions, LimbsResult
from softshell_kinematics.transforms import COORDINATES

DEFAULTS = IkOptions()
#: Default of `locked`: no variable keeps its seed's value.
NOTHING: tuple[str, ...] = ()


def chosen_options(options: IkOptions | None) -> IkOptions:
    """The options to search with: those given, or the defaults for None.

    Raises:
        SoftshellError: they are not `IkOptions`.
    """
    if options is None:
        return DEFAULTS
    if not isinstance(options, IkOptions):
        raise SoftshellError(f'options are {options!r}; expected IkOptions(...)')
    return options


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
        self.chains = chains = tuple(chains)
        if not chains:
            raise SoftshellError('Limbs of no chain; expected one or more')
        numbers, codes, rows = stacked(chains)
        sizes = [len(chain) for chain in chains]
        forms = [find_form(chain._numbers, chain._codes) for chain in chains]
        kinds = [(form.family, form.backwards, form.held) for form in forms]
        self._tables = Tables(
            numbers,
            codes,
            np.column_stack([rows, kinds]).astype(np.int64),
            _padded([chain.ranges.bounds[0] for chain in chains], 0.0),
            _padded([chain.ranges.bounds[1] for chain in chains], 0.0),
            _padded([chain.ranges.spread[0] for chain in chains], 0.0),
            _padded([chain.ranges.spread[1] for chain in chains], 0.0),
            np.array([chain.ranges.length for chain in chains]),
            np.stack([form.numbers for form in forms]),
            np.stack([chain.ranges.farthest for chain in chains]),
            _padded([chain.ranges.largest for chain in chains], np.inf),
        )
        self._layout = pack(self._tables)
        self._sizes = tuple(sizes)
        self._columns = VALUES + max(sizes)
        self._middle = _padded([chain.middle() for chain in chains], 0.0)[:, None, :]
        self._velocity = _padded([chain.velocity for chain in chains], np.inf)
        # Nothing is locked, any step is allowed, and no posture is better than others.
        nothing = np.zeros_like(self._velocity)
        self._no_wishes = np.stack([nothing, nothing + np.inf, nothing + np.nan])

    def __len__(self) -> int:
        return len(self.chains)

    @property
    def most_variables(self) -> int:
        """Number of variables of the chain that has most."""
        most: int = self._tables.lower.shape[1]
        return most

    def locks(self, variables: Iterable[str] | None) -> NDArray[np.uint8]:
        """(limbs, most variables) 1 where a variable is named.

        Args:
            variables: names of variables; None: no variable.

        Raises:
            UnknownNameError: no chain has a variable of that name.
            SoftshellError: `variables` is one text, not a list; or holds something else than text.
        """
        known = {name for chain in self.chains for name in chain.variables}
        locked = np.zeros(self._velocity.shape, dtype=np.uint8)
        for name in locked_names(variables, ', or an array as from locks()'):
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
                name [rad] or [m]. Variables that are not named, and all for None, start at the
                middle of their range.

        Returns:
            (limbs, 1 or points, most variables), 0 beyond a chain's own.

        Raises:
            UnknownNameError: a name is not one of the chain's variables.
            SoftshellError: a shape is wrong.
        """
        if values is None:
            return self._middle.copy()
        subjects = [f'seed of {chain.name!r}' for chain in self.chains]
        rows = [
            configuration_rows(each, chain.variables, chain.middle(), subject)
            for each, chain, subject in zip(
                one_each(values, self.chains, 'seeds'), self.chains, subjects, strict=True
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
        locked: NDArray[np.uint8] | Iterable[str] | None = NOTHING,
        postures: Sequence[Configuration | None] | Array | None = None,
    ) -> LimbsResult:
        """Bring each chain's tip to its goals, or as close as its limits and reach allow.

        Args:
            goals: (limbs, points, 6) x, y, z [m], yaw, pitch, roll [rad] of the tip in the base,
                NaN where a coordinate is free. `limits` says how large they may be.
            seeds: (limbs, 1 or points, most variables) starts of the search, e.g. of `seeds()`;
                None: nothing is known. Then a chain of six or seven joints with a closed form
                gets, for a whole pose, its solution nearest to the middle of all ranges; others
                start at that middle.
            options: how to search.
            locked: variables that keep their seed's value, by name or as from `locks()`.
            postures: configurations that redundant chains, which have more variables than
                constrained coordinates, approach as far as the goal allows: for each chain (n,)
                or (points, n), or some variables by name, or None.

        Returns:
            One result for each chain, in a sequence that also has the arrays of all.

        Raises:
            OutOfRangeError: a goal, a seed or a posture is larger than `limits` allow, or a locked
                variable's seed is outside its limits.
            NonFiniteError: a goal is infinite, or a seed or a posture is NaN or infinite.
            UnknownNameError: a locked variable, or one of a posture, does not exist.
            SoftshellError: a shape is wrong, a goal has all coordinates free, or the seeds of a
                locked variable differ on a warm-started path.
        """
        chosen = chosen_options(options)
        arguments = self.arguments(goals, seeds, chosen, locked, postures)
        search = Search(self._sizes, arguments, chosen)
        search.go_on()
        return search.result()

    def begin(
        self,
        goals: ArrayLike,
        seeds: ArrayLike | None = None,
        options: IkOptions | None = None,
        locked: NDArray[np.uint8] | Iterable[str] | None = NOTHING,
        postures: Sequence[Configuration | None] | Array | None = None,
    ) -> Search:
        """Prepare a problem, to be solved in slices of its points; arguments as in `solve`.

        Raises:
            OutOfRangeError: as `solve`.
            NonFiniteError: as `solve`.
            UnknownNameError: as `solve`.
            SoftshellError: as `solve`.
        """
        chosen = chosen_options(options)
        arguments = list(self.arguments(goals, seeds, chosen, locked, postures))
        # The caller may use its arrays again before the last slice.
        arguments[GOALS] = own(arguments[GOALS], goals)
        arguments[SEEDS] = own(arguments[SEEDS], seeds)
        return Search(self._sizes, tuple(arguments), chosen)

    def arguments(
        self,
        goals: ArrayLike,
        seeds: ArrayLike | None,
        options: IkOptions,
        locked: NDArray[np.uint8] | Iterable[str] | None,
        postures: Sequence[Configuration | None] | Array | None,
    ) -> Arguments:
        """Check a problem and bring it into the kernel's form; arguments as in `solve`.

        Raises:
            OutOfRangeError: as `solve`.
            NonFiniteError: as `solve`.
            UnknownNameError: as `solve`.
            SoftshellError: as `solve`.
        """
        wanted = for_kernel(goals, 'goals')
        if wanted.ndim != 3 or wanted.shape[0] != len(self.chains) or wanted.shape[2] != 6:
            raise SoftshellError(
                f'goals have shape {wanted.shape}; expected ({len(self)} limbs, points, 6: '
                f'{", ".join(COORDINATES)})'
            )
        starts = self._middle if seeds is None else self._shaped_seeds(seeds, wanted.shape[1])
        refuse_wrong(self.chains, self._layout, wanted, starts)
        wanted, wishes = upright(wanted), self._no_wishes
        if locked is not NOTHING or postures is not None or options.time_step is not None:
            wishes = wishes.copy()
            if isinstance(locked, np.ndarray):
                wishes[0] = checked_locks(locked, self._velocity.shape)
            else:
                wishes[0] = self.locks(locked)
            starts = seeds_to_hold(self.chains, self._tables, starts, wishes[0], options)
            if options.time_step is not None:
                wishes[1] = self._velocity * options.time_step
            if postures is not None:
                rather = posture_rows(self.chains, self._tables, postures, wanted.shape[1])
                wishes = np.concatenate([wishes[:2], rather])
        return self._with_room(options, wanted, starts, wishes, seeds is None)

    def arguments_of_one(self, goal: Array, seed: Array | None, options: IkOptions) -> Arguments:
        """The same for one chain's goal (6,) and seed (n,); the kernel itself checks these."""
        wanted = for_kernel(goal, 'goal')
        if abs(wanted[4]) > QUARTER_TURN:
            wanted = upright(wanted)
        return (
            *self._layout,
            options.settings,
            wanted[None, None],
            self._middle if seed is None else for_kernel(seed, 'seed')[None, None],
            self._no_wishes,
            np.empty((1, 1, self._columns)),
            np.empty((1, 1, 3), np.uint16),
            seed is None,
        )

    def _with_room(
        self, options: IkOptions, goals: Array, seeds: Array, wishes: Array, guessed: bool
    ) -> Arguments:
        """Arguments with arrays for the answers."""
        limbs, points, _ = goals.shape
        return (
            *self._layout,
            options.settings,
            goals,
            seeds,
            wishes,
            np.zeros((limbs, points, self._columns)),
            np.empty((limbs, points, 3), np.uint16),
            guessed,
        )

    def refuse_wrong(self, arguments: Arguments) -> None:
        """Refuse the first goal or seed that cannot be used.

        Args:
            arguments: from `arguments`.

        Raises:
            OutOfRangeError: it is larger than `limits` allow.
            NonFiniteError: a goal is infinite, or a seed is NaN or infinite.
            SoftshellError: a goal has all coordinates free.
        """
        refuse_wrong(self.chains, self._layout, arguments[GOALS], arguments[SEEDS])

    def _shaped_seeds(self, seeds: ArrayLike, points: int) -> Array:
        result = for_kernel(seeds, 'seeds')
        if result.ndim == 2:
            result = result[:, None, :]
        limbs, most = self._velocity.shape
        if result.shape != (limbs, 1, most) and result.shape != (limbs, points, most):
            each = f' or ({limbs}, {points}, {most})' if points != 1 else ''
            raise SoftshellError(
                f'seeds have shape {result.shape}; expected ({limbs}, 1, {most}){each}'
            )
        return result


def _padded(rows: Sequence[Array], fill: float) -> Array:
    result = np.full((len(rows), max(len(row) for row in rows)), fill)
    for i, row in enumerate(rows):
        result[i, : len(row)] = row
    return result
