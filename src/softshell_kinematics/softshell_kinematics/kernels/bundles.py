"""Named tuples of the arrays and numbers that kernels take and pass on.

Compiled code takes them apart at no cost.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: How a search ended: status, ‖e‖², iterations.
Outcome = tuple[int, float, int]


class Tables(NamedTuple):
    """Several chains, one after another; the package's docstring says what the tables hold.

    Attributes:
        numbers, codes: (rows of all chains, 14) and (…, 2).
        chains: (limbs, 6) each chain's first row, the row of its tip, its number of variables; and
            of its closed form the family, whether it is solved backwards, the joint that is held.
        lower, upper: (limbs, most variables) bounds [rad] or [m], all finite.
        seed_lower, seed_upper: (limbs, most variables) between which further seeds are spread.
        length: (limbs,) error of position that counts as much as 1 rad during a search [m].
        forms: (limbs, FORM_SIZE) numbers of their closed forms.
        farthest: (limbs, 6) largest magnitude of each coordinate of a goal [m, rad].
        largest: (limbs, most variables) largest magnitude of each variable [rad] or [m].
    """

    numbers: Floats
    codes: Integers
    chains: Integers
    lower: Floats
    upper: Floats
    seed_lower: Floats
    seed_upper: Floats
    length: Floats
    forms: Floats
    farthest: Floats
    largest: Floats


class MechanismTables(NamedTuple):
    """Several chains that share variables.

    Attributes:
        numbers, codes: as of `Tables`.
        chains: (limbs, 3) each chain's first row, the row of its tip, its number of variables.
        members: (limbs, most variables) the places of a chain's variables among those of all.
        lower, upper: (variables,) bounds [rad] or [m], all finite.
        seed_lower, seed_upper: (variables,) between which further seeds are spread.
    """

    numbers: Floats
    codes: Integers
    chains: Integers
    members: Integers
    lower: Floats
    upper: Floats
    seed_lower: Floats
    seed_upper: Floats


class Problem(NamedTuple):
    """Goals of several chains, where searches start, and what may move how far.

    For a mechanism the first axis of goals is that of points, and the other arrays have one row
    for all its variables.

    Attributes:
        goals: (limbs, points, 6) x, y, z [m], yaw, pitch, roll [rad], NaN where free.
        seeds: (limbs, 1 or points, most variables)
        locked: (limbs, most variables) not 0 where a variable keeps its seed.
        step_limit: (limbs, most variables) how far a variable may go from one point of a
            warm-started path to the next.
    """

    goals: Floats
    seeds: Floats
    locked: NDArray[Any]
    step_limit: Floats


class Settings(NamedTuple):
    """How to search: the numbers of `IkOptions`, each of one type whatever the caller wrote."""

    position_weight: float
    rotation_weight: float
    tolerance: float
    max_iterations: int
    restarts: int
    warm_start: bool
    jump: float
    allow_jumps: bool


class Answers(NamedTuple):
    """Written by the kernels: what was found for several chains; see `LimbsResult`.

    Attributes:
        numbers: (limbs, points, 7 + most variables) by the columns RESIDUAL, ERRORS, VALUES.
        marks: (limbs, points, 3) by the columns STATUS, ITERATIONS, JUMPED.
    """

    numbers: Floats
    marks: NDArray[np.uint16]


#: Columns of `Answers`: the residual, the first of the six errors, the first variable.
RESIDUAL, ERRORS, VALUES = 0, 1, 7
#: Columns of its marks: how a search ended, iterations, whether a path jumped.
STATUS, ITERATIONS, JUMPED = 0, 1, 2


class Results(NamedTuple):
    """Written by the kernels; the arrays of `MechanismResult`."""

    q: Floats
    status: NDArray[np.uint8]
    residual: Floats
    error: Floats
    iterations: NDArray[np.uint16]


class Chain(NamedTuple):
    """One chain: rows first … last - 1 of the tables, its tip in row last, n variables."""

    numbers: Floats
    codes: Integers
    first: int
    last: int
    n: int


class Form(NamedTuple):
    """A chain's closed form, if it has one; see `closed_form`.

    Attributes:
        numbers: (FORM_SIZE,)
        family: NO_FORM, WRIST or PARALLEL.
        backwards: whether the chain is solved from its tip.
        held: index of the one of seven joints that is held, the first or the last; else -1.
    """

    numbers: Floats
    family: int
    backwards: bool
    held: int


class Rows(NamedTuple):
    """The constrained coordinates of a goal, each a row of the error.

    Attributes:
        count: how many.
        positions: how many of them are of position; they come first.
        whole: whether all three angles are constrained.
        enough: ‖e‖² that counts as converged, as the rows are weighted.
    """

    count: int  # type: ignore[assignment]  # a tuple has a method of this name
    positions: int
    whole: bool
    enough: float


class Memory(NamedTuple):
    """The memory of one search; `work` says what it holds."""

    work: Floats
    matrix: Floats
    hessian: Floats
    frames: Floats
    index: Integers  # type: ignore[assignment]  # as above
