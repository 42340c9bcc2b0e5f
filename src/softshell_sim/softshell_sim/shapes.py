"""Shapes of rigid bodies, centred at the origin of their frame; SI units."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.limits import checked_pose
from softshell_kinematics.transforms import shift, skew
from softshell_sim.number_checks import LONGEST, number_problems

#: Fewest samples of a height field along each axis.
FEWEST_SAMPLES = 2
#: Most samples of a height field: PyBullet takes 4 µs and 2 kB for each, and crashes at 2 million.
MOST_SAMPLES = 300_000
#: Most parts of a compound: engines check each of them against every other shape.
MOST_PARTS = 300


@dataclass(frozen=True)
class Box:
    """A box; `size`: lengths along x, y, z [m]."""

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        _refuse('box', size=self.size)


@dataclass(frozen=True)
class Sphere:
    """A sphere; radius [m]."""

    radius: float

    def __post_init__(self) -> None:
        _refuse('sphere', radius=(self.radius,))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z; radius and length [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _refuse('cylinder', radius=(self.radius,), length=(self.length,))


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z with half spheres at its ends; radius, length of the cylinder [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _refuse('capsule', radius=(self.radius,), length=(self.length,))


@dataclass(frozen=True)
class Plane:
    """All space below z = 0; only for bodies that stand still."""


@dataclass(frozen=True, eq=False)
class HeightField:
    """Ground of varying height, centred above the origin; only for bodies that stand still.

    Args:
        heights: (rows, columns) [m], rows in order of increasing y, columns of increasing x;
            between samples the ground is made of triangles.
        size: lengths along x and y, from the first sample to the last [m].

    Raises:
        SoftshellError: heights are not finite, are beyond ±1e4 m, or are too few or too many, or
            the size is out of range.
    """

    heights: Array
    size: tuple[float, float]

    def __post_init__(self) -> None:
        heights = real_numbers('height field', self.heights)
        if heights.ndim != 2 or min(heights.shape) < FEWEST_SAMPLES:
            raise SoftshellError(
                f'height field has heights of the shape {heights.shape}; expected '
                f'(rows, columns), {FEWEST_SAMPLES} or more of each'
            )
        refuse_samples('height field', heights.shape[0], heights.shape[1])
        wrong = ~(np.abs(heights) <= LONGEST)
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise SoftshellError(
                f'height field: row {row}, column {column} is {heights[row, column]} m; '
                f'expected finite heights between -{LONGEST:g} and {LONGEST:g} m'
            )
        _refuse('height field', size=self.size)
        heights.flags.writeable = False
        object.__setattr__(self, 'heights', heights)


@dataclass(frozen=True, eq=False)
class Blocks(HeightField):
    """A height field of boxes on level ground, for engines whose height fields have no thickness.

    Args:
        blocks: (n, 6) lowest x, y, z and highest x, y, z of each box [m]; together they are as
            high as the field, except between two samples where a box ends.

    Raises:
        SoftshellError: as `HeightField`.
    """

    blocks: Array

    def boxes(self) -> Iterator[tuple[Array, Box]]:
        """The (4, 4) pose in the frame of the field, and the shape, of each box."""
        for low, high in self.blocks.reshape(-1, 2, 3):
            yield shift(*(0.5 * (low + high)).tolist()), Box(tuple((high - low).tolist()))


#: Shapes that a compound may be made of.
Part = Box | Sphere | Cylinder | Capsule


@dataclass(frozen=True, eq=False)
class Compound:
    """Several shapes that are one rigid shape.

    Args:
        parts: (4, 4) pose of each in the frame of the compound, and its shape; poses are copied.

    Raises:
        SoftshellError: there are no parts, or too many, or one is not at a pose.
    """

    parts: tuple[tuple[Array, Part], ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise SoftshellError('compound has no parts; expected one or more')
        if len(self.parts) > MOST_PARTS:
            raise SoftshellError(
                f'compound has {len(self.parts)} parts; expected at most {MOST_PARTS}'
            )
        parts = tuple(
            (checked_pose(pose, f'pose of part {number} of a compound'), part)
            for number, (pose, part) in enumerate(self.parts, start=1)
        )
        object.__setattr__(self, 'parts', parts)


Shape = Part | Plane | HeightField | Compound
#: Shapes of bodies that stand still.
Ground = Plane | HeightField


def parts_of(shape: Shape) -> Iterator[tuple[Array, Part | Ground]]:
    """The (4, 4) pose and shape of each part of a compound; of any other shape that itself."""
    if isinstance(shape, Compound):
        yield from shape.parts
    else:
        yield np.eye(4), shape


def volume(shape: Part) -> float:
    """Volume of a shape [m^3]."""
    match shape:
        case Box(size):
            return math.prod(size)
        case Sphere(radius):
            return 4.0 / 3.0 * math.pi * radius**3
        case Cylinder(radius, length):
            return math.pi * radius**2 * length
        case Capsule(radius, length):
            return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)


def thickness(shape: Part) -> float:
    """The smallest thickness of a shape [m]."""
    match shape:
        case Box(size):
            return min(size)
        case Sphere(radius) | Capsule(radius, _):
            return 2.0 * radius
        case Cylinder(radius, length):
            return min(2.0 * radius, length)


def mass_properties(shape: Shape, mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) [m] and inertia (3, 3) about it [kg m^2]; the density is uniform."""
    if isinstance(shape, Ground):
        return np.zeros(3), np.zeros((3, 3))
    parts = shape.parts if isinstance(shape, Compound) else ((np.eye(4), shape),)
    volumes = np.array([volume(part) for _, part in parts])
    masses = mass * volumes / volumes.sum()
    centres = np.array([pose[:3, 3] for pose, _ in parts])
    centre = masses @ centres / mass if mass > 0.0 else volumes @ centres / volumes.sum()
    inertia = np.zeros((3, 3))
    for (pose, part), each, place in zip(parts, masses, centres, strict=True):
        turn, arm = pose[:3, :3], skew(place - centre)
        inertia += each * (turn @ _moments(part) @ turn.T - arm @ arm)
    return centre, inertia


def _moments(shape: Part) -> Array:
    """(3, 3) inertia of a shape of 1 kg about its centre [m^2]."""
    match shape:
        case Box((x, y, z)):
            return np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0
        case Sphere(radius):
            return 0.4 * radius * radius * np.eye(3)
        case Cylinder(radius, length):
            across = (3.0 * radius * radius + length * length) / 12.0
            return np.diag([across, across, 0.5 * radius * radius])
        case Capsule(radius, length):
            return _capsule_moments(radius, length)


def _capsule_moments(radius: float, length: float) -> Array:
    """(3, 3) of a cylinder and two half spheres, their centres of mass 3/8 r beyond its ends."""
    whole = volume(Capsule(radius, length))
    tube, caps = math.pi * radius**2 * length / whole, 4.0 / 3.0 * math.pi * radius**3 / whole
    along = radius**2 * (0.5 * tube + 0.4 * caps)
    across = tube * (3.0 * radius**2 + length**2) / 12.0
    across += caps * (0.4 * radius**2 + 0.25 * length**2 + 0.375 * radius * length)
    return np.diag([across, across, along])


def real_numbers(what: str, given: object) -> Array:
    """A copy (...,) of heights as an array of float64.

    Args:
        what: thing that has the heights, for the message.
        given: array or nested lists of numbers.

    Raises:
        SoftshellError: they are not real numbers, or rows of different lengths.
    """
    try:
        heights = np.asarray(given)
    except ValueError:
        raise SoftshellError(
            f'{what} has heights in lists of different lengths; expected rows of equal length'
        ) from None
    if heights.dtype.kind not in 'buif':
        raise SoftshellError(f'{what} has heights of type {heights.dtype}; expected real numbers')
    return heights.astype(np.float64)


def refuse_samples(what: str, rows: int, columns: int) -> None:
    """Refuse a height field of too many samples.

    Args:
        what: thing that would have the samples, for the message.
        rows, columns: numbers of samples.

    Raises:
        SoftshellError: rows × columns is too large; the text names the limit.
    """
    if rows * columns > MOST_SAMPLES:
        raise SoftshellError(
            f'{what} has {rows} x {columns} samples; expected at most {MOST_SAMPLES} in all, such '
            'as 547 x 547'
        )


def _refuse(what: str, **lengths: tuple[float, ...]) -> None:
    """Refuse lengths that are not above 0, are too large, or are too few or too many.

    Raises:
        ProblemsError: it lists all that is wrong.
    """
    counts = {'box': 3, 'height field': 2}
    problems = []
    for name, values in lengths.items():
        count = counts.get(what, 1)
        if len(values) != count:
            problems.append(f'{name} has {len(values)} numbers; expected {count}')
        for value in values:
            problems += number_problems(name, value, 'm', LONGEST, above=True)
    if problems:
        raise ProblemsError(what, problems)
