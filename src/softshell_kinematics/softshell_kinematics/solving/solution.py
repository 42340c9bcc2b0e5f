"""Inverse kinematics: the options of a search, its statuses and its results."""

import enum
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array, is_number
from softshell_kinematics.errors import ProblemsError
from softshell_kinematics.kernels.bundles import (
    ERRORS,
    ITERATIONS,
    JUMPED,
    RESIDUAL,
    STATUS,
    VALUES,
    Settings,
)


class IkStatus(enum.IntEnum):
    """How the search for one point ended."""

    #: The weighted residual is within tolerance.
    CONVERGED = 0
    #: Best effort: an optimum on a limit that stands in the way.
    LIMIT_BOUND = 1
    #: Best effort: a least-squares optimum, no limit involved.
    UNREACHABLE = 2
    #: Best effort: stopped at a singular pose that is no optimum.
    SINGULAR = 3
    #: Stopped by the number of iterations.
    ITERATION_LIMIT = 4


def option(default: Any, meaning: str, low: float = 0.0, high: float = 1.0) -> Any:
    """A field of `IkOptions`: default, meaning, and the range of its value, both ends included.

    Code that offers an option elsewhere, such as a node's parameter, takes all three from here.
    """
    return field(default=default, metadata={'meaning': meaning, 'range': (low, high)})


def _problems(name: str, value: Any, default: Any, allowed: tuple[float, float]) -> Iterator[str]:
    """What is wrong with an option, if anything."""
    low, high = allowed
    if isinstance(default, bool):
        if not isinstance(value, bool | np.bool_):
            yield f'{name} is {value!r}; expected True or False'
        return
    whole = isinstance(default, int)
    if not is_number(value) or isinstance(value, bool) or (whole and value % 1 != 0):
        yield f'{name} is {value!r}; expected a {"whole " * whole}number'
    elif not low <= value <= high:
        yield f'{name} is {value}; expected {low:g} to {high:g}'


@dataclass(frozen=True)
class IkOptions:
    """How to search: each option with its default, its meaning and its range."""

    tolerance: float = option(
        1e-8, 'weighted residual that counts as converged [m] and [rad]', 1e-12, 0.1
    )
    max_iterations: int = option(
        60, 'steps tried from one seed; as many again towards the least-squares optimum where '
        'position and angles of a goal cannot be met together', 1, 65535,
    )  # fmt: skip
    restarts: int = option(
        20, 'further seeds tried where a search fails, from a fixed sequence spread over the '
        'limits, and twice as many for the optimum of a goal out of reach; on a warm-started path '
        'only at its first point, unless it may jump; 0: one search, from the seed', 0, 1000,
    )  # fmt: skip
    warm_start: bool = option(False, 'start each point from the solution of the one before')
    position_weight: float = option(
        1.0, 'weight of x, y, z in the residual [1/m], which for a robot in millimetres is 1e-3 '
        'of that for the same in metres', 1e-3, 1e3,
    )  # fmt: skip
    rotation_weight: float = option(1.0, 'weight of the angles in the residual [1/rad]', 1e-3, 1e3)
    jump: float = option(
        0.5, 'change of a variable from one point of a warm-started path to the next, beyond '
        'which the way between them is followed in small parts, to stay on the branch [rad]; of '
        'one that slides a joint in reaches of its chain', 1e-9, math.inf,
    )  # fmt: skip
    allow_jumps: bool = option(
        False, 'where its branch cannot follow a warm-started path, search from further seeds as '
        'well, and report the jump',
    )  # fmt: skip
    time_step: float | None = option(
        None, "time from one point of a warm-started path to the next, which then keeps to the "
        "joints' speeds [s]; None: any speed", 1e-9, 1e9,
    )  # fmt: skip
    threads: int = option(
        0, 'threads that share a large problem; 0: one for each CPU that the process may use',
        0, 1024,
    )  # fmt: skip
    #: The fields that kernels need, as numbers in the order of `Settings`.
    settings: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems: list[str] = []
        for each in fields(self):
            if not each.init:
                continue
            value = getattr(self, each.name)
            if value is not None or each.default is not None:
                problems += _problems(each.name, value, each.default, each.metadata['range'])
        if problems:
            raise ProblemsError('IK options', problems)
        settings = np.array([getattr(self, name) for name in Settings._fields], dtype=np.float64)
        object.__setattr__(self, 'settings', settings)


class _Points:
    """What all results share: properties are views of the arrays that the kernels wrote.

    … stands for the leading axes of a result: limbs and points, points, or none.

    Args:
        numbers, marks: as of `Answers`, with or without the axes of limbs and points.
    """

    __slots__ = ('_marks', '_numbers')

    def __init__(self, numbers: Array, marks: NDArray[np.uint16]) -> None:
        self._numbers, self._marks = numbers, marks

    @property
    def q(self) -> Array:
        """(…, n) variables [rad] or [m], always within limits."""
        return self._numbers[..., VALUES:]

    @property
    def status(self) -> NDArray[np.uint16]:
        """(…) values of `IkStatus`."""
        return self._marks[..., STATUS][()]

    @property
    def residual(self) -> Array:
        """(…) weighted norm of the constrained coordinates' error."""
        return self._numbers[..., RESIDUAL][()]

    @property
    def error(self) -> Array:
        """(…, 6) goal minus reached, unweighted [m, rad]; NaN where free.

        If all angles are constrained the last three are the rotation vector of R_goal Rᵀ in the
        base.
        """
        return self._numbers[..., ERRORS:VALUES]

    @property
    def iterations(self) -> NDArray[np.uint16]:
        """(…) steps tried, of all seeds together; at most 65535."""
        return self._marks[..., ITERATIONS][()]

    @property
    def jumps(self) -> NDArray[np.uint16]:
        """(…) 1 where a warm-started path left its branch.

        There a variable changed by more than half of `IkOptions.jump` at once, also when the way
        from the point before was followed in small parts.
        """
        return self._marks[..., JUMPED][()]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """(…) whether the residual is within tolerance."""
        within: NDArray[np.bool_] = self.status == IkStatus.CONVERGED
        return within

    @property
    def all_converged(self) -> bool:
        """Whether every point converged."""
        return not self.status.any()


class IkResult(_Points):
    """Solutions of one chain, point by point; for one goal alone without the axis of points."""

    __slots__ = ()

    def at(self, point: int) -> 'IkResult':
        """The solution of one point, without the axis of points."""
        return IkResult(self._numbers[point], self._marks[point])

    def with_points(self) -> 'IkResult':
        """The same with an axis of points, also where there is one point alone."""
        if self._numbers.ndim == 2:
            return self
        return IkResult(self._numbers[None], self._marks[None])

    def __repr__(self) -> str:
        return (
            f'IkResult(q={self.q!r}, status={self.status!r}, residual={self.residual!r}, '
            f'error={self.error!r}, iterations={self.iterations!r}, jumps={self.jumps!r})'
        )


class LimbsResult(_Points, Sequence[IkResult]):
    """Solutions of several chains, by limb and point, and as a sequence of those of each chain.

    q is (limbs, points, most variables), 0 beyond a chain's own.

    Args:
        sizes: number of variables of each chain.
        numbers, marks: as of `Answers`.
    """

    __slots__ = ('sizes',)

    def __init__(self, sizes: tuple[int, ...], numbers: Array, marks: NDArray[np.uint16]) -> None:
        super().__init__(numbers, marks)
        self.sizes = sizes

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, limb: int) -> IkResult: ...

    @overload
    def __getitem__(self, limb: slice) -> list[IkResult]: ...

    def __getitem__(self, limb: int | slice) -> IkResult | list[IkResult]:
        if isinstance(limb, slice):
            return [self[i] for i in range(*limb.indices(len(self)))]
        size = VALUES + self.sizes[limb]
        return IkResult(self._numbers[limb, :, :size], self._marks[limb])
