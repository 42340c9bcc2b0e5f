"""One joint of a chain."""

import enum
import math
from dataclasses import dataclass, field
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import as_numbers, is_number
from softshell_kinematics.errors import NonFiniteError, SoftshellError
from softshell_kinematics.limits import checked_pose

INFINITY = math.inf


class JointKind(enum.IntEnum):
    """How a joint moves."""

    REVOLUTE = 0
    PRISMATIC = 1
    FIXED = 2


def _checked_kind(kind: Any, subject: str) -> JointKind:
    try:
        return JointKind(kind)
    except ValueError:
        expected = ', '.join(map(str, JointKind.__members__))
        raise SoftshellError(f'{subject}: kind is {kind!r}; expected one of {expected}') from None


@dataclass(frozen=True)
class Coupling:
    """A joint's position follows a variable: position = multiplier · variable + offset.

    Raises:
        SoftshellError: there is no such kind.

    Attributes:
        variable: the independent joint that is followed; any number of joints may share it.
        multiplier: [-]
        offset: [rad] or [m]
        kind: of the joint that the variable belongs to, which sets the variable's unit; None: that
            of the joint that follows.
    """

    variable: str
    multiplier: float = 1.0
    offset: float = 0.0
    kind: JointKind | None = None

    def __post_init__(self) -> None:
        if self.kind is not None:
            kind = _checked_kind(self.kind, f'coupling to {self.variable!r}')
            object.__setattr__(self, 'kind', kind)


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint and the fixed transform that comes before it.

    Raises:
        NonFiniteError: a number is NaN, or infinite where only a limit or a speed may be.
        SoftshellError: a value is not a number, the origin is not rigid, the axis is 0, the limits
            are in the wrong order, the speed is negative, or there is no such kind.

    Attributes:
        name: unique in its chain.
        kind: revolute, prismatic or fixed.
        origin: (4, 4) pose of the joint's frame, at position 0, in that of the joint before it.
        axis: (3,) unit vector in the joint's frame.
        lower, upper: limits of the position [rad] or [m].
        velocity: largest speed [rad/s] or [m/s].
        coupling: the variable that it follows; None for an independent joint, which is itself a
            variable of the same name.
    """

    name: str
    kind: JointKind
    origin: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    axis: NDArray[np.float64] = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    lower: float = -INFINITY
    upper: float = INFINITY
    velocity: float = INFINITY
    coupling: Coupling | None = None

    def __post_init__(self) -> None:
        subject = f'joint {self.name!r}'
        kind = _checked_kind(self.kind, subject)
        for what, value in (
            ('lower limit', self.lower), ('upper limit', self.upper), ('velocity', self.velocity),
            ('multiplier', self.multiplier), ('offset', self.offset),
        ):  # fmt: skip
            if not is_number(value):
                raise SoftshellError(f'{subject}: {what} is {shortened(value)}; expected a number')
        origin = checked_pose(self.origin, f'{subject}: origin')
        axis = as_numbers(self.axis, f'{subject}: axis').copy()
        length = np.linalg.norm(axis) if axis.shape == (3,) else 0.0
        if not (math.isfinite(length) and length > 0.0):
            raise SoftshellError(f'{subject}: axis is {self.axis}; expected 3 numbers, not all 0')
        if math.isnan(self.lower) or math.isnan(self.upper):
            raise NonFiniteError(f'{subject}: a limit', math.nan, 'a number, infinite if none')
        if not self.lower <= self.upper:
            raise SoftshellError(
                f'{subject}: lower limit {self.lower} is above upper limit {self.upper}'
            )
        if not self.velocity >= 0.0:
            raise SoftshellError(f'{subject}: velocity is {self.velocity}; expected 0 or more')
        for what, value in (('multiplier', self.multiplier), ('offset', self.offset)):
            if not math.isfinite(value):
                raise NonFiniteError(f'{subject}: {what}', value, 'a finite number')
        axis /= length
        origin.setflags(write=False)
        axis.setflags(write=False)
        object.__setattr__(self, 'kind', kind)
        object.__setattr__(self, 'origin', origin)
        object.__setattr__(self, 'axis', axis)

    @property
    def variable(self) -> str | None:
        """The independent variable that moves this joint; None if it is fixed."""
        if self.kind is JointKind.FIXED:
            return None
        return self.name if self.coupling is None else self.coupling.variable

    @property
    def variable_kind(self) -> JointKind:
        """Kind of the joint that the variable belongs to."""
        if self.coupling is None or self.coupling.kind is None:
            return self.kind
        return self.coupling.kind

    @property
    def multiplier(self) -> float:
        """Change of the position per change of the variable."""
        return 1.0 if self.coupling is None else self.coupling.multiplier

    @property
    def offset(self) -> float:
        """Position where the variable is 0."""
        return 0.0 if self.coupling is None else self.coupling.offset
