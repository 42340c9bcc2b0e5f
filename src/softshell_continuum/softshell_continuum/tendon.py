"""Tendons along a manipulator: where they run, and their friction at eyes."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.checks import refuse_no_number
from softshell_kinematics.arrays import Array, as_numbers, is_number
from softshell_kinematics.errors import SoftshellError

#: Eyes that are closer along the backbone have no direction from one to the next [m].
SHORTEST = 1e-12


@dataclass(frozen=True)
class Tendon:
    """A thread through eyes beside the backbone; it ends at the last one.

    Attributes:
        name: of the tendon.
        arc_lengths: of its eyes along the backbone, rising [m].
        offsets: (x, y) of its eyes in the section of the backbone there [m].
        friction: coefficient at its eyes: where it turns by an angle at an eye, a tension T falls
            to T exp(-friction · angle) while it is pulled through it, and rises to
            T exp(friction · angle) while it slips towards its end.
        stiffness: EA of the thread [N]; infinite: it does not stretch. It stretches as if friction
            took nothing from its tension.
        outside: its length from where it is pulled to the first eye [m]; it stretches as well.

    Raises:
        SoftshellError: it has fewer than two eyes, their arc lengths do not rise, an offset is no
            pair, or a value is out of range or not a number.
    """

    name: str
    arc_lengths: tuple[float, ...]
    offsets: tuple[tuple[float, float], ...]
    friction: float = 0.0
    stiffness: float = math.inf
    outside: float = 0.0

    def __post_init__(self) -> None:
        text = f'tendon {self.name!r}'
        counts = _count(self.arc_lengths), _count(self.offsets)
        if counts[0] < 2 or counts[0] != counts[1]:
            raise SoftshellError(
                f'{text}: {counts[0]} arc lengths and {counts[1]} offsets; expected as many of '
                'both, two or more'
            )
        if not all(_count(pair) == 2 for pair in self.offsets):
            raise SoftshellError(
                f'{text} has offsets {list(self.offsets)}; expected a pair (x, y) of each eye'
            )
        numbers = [*self.arc_lengths, *(value for pair in self.offsets for value in pair)]
        real = all(map(is_number, numbers)) and np.isfinite(numbers).all()
        if not real or (np.diff(self.arc_lengths) <= SHORTEST).any():
            raise SoftshellError(
                f'{text} has arc lengths {list(self.arc_lengths)} and offsets '
                f'{[list(pair) for pair in self.offsets]}; expected numbers, the first rising'
            )
        for name in ('friction', 'stiffness', 'outside'):
            refuse_no_number(f'{text}: {name}', getattr(self, name))
        if not 0.0 <= self.friction < math.inf:
            raise SoftshellError(f'{text}: friction is {self.friction}; expected 0 or more')
        if not self.stiffness > 0.0:
            raise SoftshellError(f'{text}: stiffness is {self.stiffness} N; expected more than 0')
        if not 0.0 <= self.outside < math.inf:
            raise SoftshellError(f'{text}: outside is {self.outside} m; expected 0 or more')

    @classmethod
    def along(
        cls,
        name: str,
        discs: ArrayLike,
        radius: float,
        angle: float = 0.0,
        twist: float = 0.0,
        **more: float,
    ) -> 'Tendon':
        """A tendon at a distance from the backbone, straight or helical.

        Args:
            name: of the tendon.
            discs: (n,) arc lengths of its eyes [m].
            radius: its distance from the backbone [m].
            angle: its direction from the backbone at arc length 0, from x towards y [rad].
            twist: how that angle grows with the arc length [rad/m].
            more: `friction`, `stiffness`, `outside`.

        Raises:
            SoftshellError: a value is not a number, or as of a tendon.
        """
        text = f'tendon {name!r}'
        places = as_numbers(discs, f'{text}: arc lengths').ravel()
        for what, value in (('radius', radius), ('angle', angle), ('twist', twist)):
            refuse_no_number(f'{text}: {what}', value)
        angles = angle + twist * places
        rows = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        offsets = tuple((float(x), float(y)) for x, y in rows)
        return cls(name, tuple(map(float, places)), offsets, **more)


def _count(values: object) -> int:
    """Number of entries; 0 of what has none."""
    return len(values) if isinstance(values, Collection) and np.iterable(values) else 0


def capstan(corners: Array, friction: float) -> Array:
    """Part of its tension that a tendon has in each of its spans.

    It is pulled at its first eye. By the capstan equation of Euler and Eytelwein the tension is
    multiplied by exp(-friction · φ) at an eye where the tendon turns by an angle φ, since friction
    is against the slip, which is towards the first eye.

    Args:
        corners: (eyes, 3) positions of its eyes [m].
        friction: coefficient; negative where the slip is towards the last eye.

    Returns:
        (eyes - 1,) parts; that of the first span is 1.
    """
    spans = np.diff(corners, axis=0)
    directions = spans / np.linalg.norm(spans, axis=1, keepdims=True)
    across = np.linalg.norm(np.cross(directions[:-1], directions[1:]), axis=1)
    angles = np.arctan2(across, (directions[:-1] * directions[1:]).sum(axis=1))
    return np.exp(-friction * np.concatenate([[0.0], np.cumsum(angles)]))


def refuse_rigid(tendon: str, stiffness: float) -> None:
    """Check that a tendon that is held at a length stretches, so that lengths give tensions.

    Args:
        tendon: what a message calls it.
        stiffness: EA of the thread [N].

    Raises:
        SoftshellError: it does not stretch.
    """
    if not math.isfinite(stiffness):
        raise SoftshellError(
            f'{tendon} is held at a length and cannot stretch; expected a finite stiffness'
        )


def checked_names(tendons: Sequence[Tendon]) -> tuple[str, ...]:
    """Names of tendons.

    Raises:
        SoftshellError: two tendons have the same name.
    """
    names = tuple(tendon.name for tendon in tendons)
    for name in names:
        if names.count(name) > 1:
            raise SoftshellError(f'{names.count(name)} tendons are named {name!r}; expected one')
    return names
