"""Worlds whose lengths and masses are scaled, and the conversion between them and SI.

Engines have thresholds in metres, so small things are sometimes simulated as larger ones: SoMo
multiplies lengths by 20. Users of such a world work in SI; a `WorldScale` converts what goes in
and what comes out. Time is not scaled.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from softshell_common.plain_data import from_data
from softshell_common.yaml_file import StrictModel
from softshell_continuum.forms import (
    ActuatorForm,
    DiscForm,
    JointForm,
    JointLimits,
    LinkForm,
    MemberForm,
)
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import OutOfRangeError, UnknownNameError

Value = TypeVar('Value', float, Array)
Form = TypeVar('Form', bound=StrictModel)

#: Powers of length and of mass in each quantity.
QUANTITIES: Mapping[str, tuple[int, int]] = {
    'angle': (0, 0),
    'angular velocity': (0, 0),
    'friction': (0, 0),
    'restitution': (0, 0),
    'time': (0, 0),
    'length': (1, 0),
    'velocity': (1, 0),
    'gravity': (1, 0),
    'mass': (0, 1),
    'force': (1, 1),
    'torque': (2, 1),
    'inertia': (2, 1),
    'rotational stiffness': (2, 1),
    'rotational damping': (2, 1),
    'linear stiffness': (0, 1),
    'linear damping': (0, 1),
    'density': (-3, 1),
    'pressure': (-1, 1),
    "Young's modulus": (-1, 1),
    'energy': (2, 1),
    'power': (2, 1),
    'impulse': (1, 1),
}
_POSE = ('length',) * 3 + ('angle',) * 3
#: Quantities of the numbers in forms: one for all numbers of an entry, or one for each. Entries
#: that are not here are the same in every world, such as colours and numbers of segments.
NUMBERS: Mapping[type[StrictModel], Mapping[str, str | tuple[str, ...]]] = {
    LinkForm: {
        'dimensions': 'length',
        'mass': 'mass',
        'inertia': 'inertia',
        'offset': _POSE,
        'friction_along': 'friction',
    },
    JointLimits: {
        'lower': 'angle',
        'upper': 'angle',
        'effort': 'torque',
        'velocity': 'angular velocity',
    },
    JointForm: {
        'stiffness': 'rotational stiffness',
        'damping': 'rotational damping',
        'friction': 'torque',
        'neutral': 'angle',
        'neutral_axis': 'length',
    },
    ActuatorForm: {'length': 'length'},
    DiscForm: {'at': 'length'},
    MemberForm: {'pose': _POSE},
}


@dataclass(frozen=True)
class WorldScale:
    """Factors by which the numbers of a world are larger than those in SI.

    Attributes:
        length: factor of lengths.
        mass: factor of masses.

    Raises:
        OutOfRangeError: a factor is not a positive, finite number.
    """

    length: float = 20.0
    mass: float = 1.0

    def __post_init__(self) -> None:
        for name in ('length', 'mass'):
            value = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not (number and 0.0 < value < np.inf):
                raise OutOfRangeError(
                    f'{name} of a world scale', value, 'a number of more than 0, and finite'
                )

    def factor(self, quantity: str) -> float:
        """Factor of a quantity from SI to the world.

        Args:
            quantity: one of `QUANTITIES`, e.g. `length`, `force` or `torque`.

        Raises:
            UnknownNameError: there is no such quantity.
        """
        if quantity not in QUANTITIES:
            raise UnknownNameError('quantity', quantity, QUANTITIES)
        of_length, of_mass = QUANTITIES[quantity]
        return float(self.length) ** of_length * float(self.mass) ** of_mass

    def to_world(self, quantity: str, value: Value) -> Value:
        """Convert a number, or an array of them, from SI to the world.

        Args:
            quantity: one of `QUANTITIES`, e.g. `length`, `force` or `torque`.
            value: the number or numbers.

        Raises:
            UnknownNameError: there is no such quantity.
        """
        return value * self.factor(quantity)

    def to_si(self, quantity: str, value: Value) -> Value:
        """Convert a number, or an array of them, from the world to SI.

        Args:
            quantity: one of `QUANTITIES`, e.g. `length`, `force` or `torque`.
            value: the number or numbers.

        Raises:
            UnknownNameError: there is no such quantity.
        """
        return value / self.factor(quantity)

    def form_to_world(self, form: Form) -> Form:
        """Convert the `form` of a manipulator, an assembly or a part from SI to the world.

        Raises:
            ProblemsError: a number is out of range then.
        """
        return _converted(form, self.to_world)

    def form_to_si(self, form: Form) -> Form:
        """Convert the `form` of a manipulator, an assembly or a part from the world to SI.

        Raises:
            ProblemsError: a number is out of range then.
        """
        return _converted(form, self.to_si)


def _converted(form: Form, convert: Callable[[str, float], float]) -> Form:
    """A form in which `convert` has converted each number by its quantity.

    Raises:
        ProblemsError: a number is out of range then.
    """
    quantities = NUMBERS.get(type(form), {})
    values: dict[str, Any] = {}
    for name in type(form).model_fields:
        value = getattr(form, name)
        if value is not None and name in quantities:
            values[name] = _numbers(value, quantities[name], convert)
        else:
            values[name] = _within(value, convert)
    return from_data(type(form), values)


def _within(value: Any, convert: Callable[[str, float], float]) -> Any:
    """An entry without a quantity, in which forms are converted."""
    if isinstance(value, StrictModel):
        return _converted(value, convert)
    if isinstance(value, tuple):
        return tuple(_within(each, convert) for each in value)
    return value


def _numbers(
    value: float | tuple[float, ...],
    quantity: str | tuple[str, ...],
    convert: Callable[[str, float], float],
) -> float | tuple[float, ...]:
    """An entry of one or several numbers, converted."""
    if not isinstance(value, tuple):
        assert isinstance(quantity, str)
        return convert(quantity, value)
    each = (quantity,) * len(value) if isinstance(quantity, str) else quantity
    return tuple(map(convert, each, value))
