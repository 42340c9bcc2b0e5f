"""Ground to walk on: slopes, stairs, height fields, rubble.

Each is the shape of a body that stands still. x is the way up; where a ramp or stairs begin is the
origin. Height fields and rubble have it in their middle.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.image import imread
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.shapes import Box, Compound, HeightField

#: Thickness of the slab of a ramp [m].
SLAB = 0.1
#: Between the samples of rubble [m].
RUBBLE_GRID = 0.02
#: Kinds of files that hold heights, beside pictures.
NUMBERS = ('.npy', '.csv', '.txt')


def ramp(slope: float, length: float, width: float) -> Compound:
    """A slope that rises from the origin along x.

    Args:
        slope: its angle [rad].
        length: along the slope [m].
        width: along y, half of it to either side [m].

    Raises:
        SoftshellError: the slope is not between −π/2 and π/2, or a length is 0 or less.
    """
    if not -0.5 * np.pi < slope < 0.5 * np.pi:
        raise SoftshellError(f'ramp: slope is {slope} rad; expected more than -π/2, less than π/2')
    pose = transform(rotation_about((0.0, 1.0, 0.0), -slope))
    return Compound(((pose @ shift(0.5 * length, 0.0, -0.5 * SLAB), Box((length, width, SLAB))),))


def stairs(steps: int, rise: float, run: float, width: float) -> Compound:
    """Solid stairs that rise along x; the front of the first step is at the origin.

    Args:
        steps: number of steps.
        rise: of each step along z [m].
        run: of each step along x [m].
        width: along y, half of it to either side [m].

    Raises:
        SoftshellError: there is no step, or a length is 0 or less.
    """
    if steps != int(steps) or steps < 1:
        raise SoftshellError(f'stairs: steps is {steps}; expected a whole number of 1 or more')
    return Compound(
        tuple(
            (shift((k + 0.5) * run, 0.0, 0.5 * (k + 1) * rise), Box((run, width, (k + 1) * rise)))
            for k in range(int(steps))
        )
    )


def height_field(file: str | Path, size: tuple[float, float], height: float = 1.0) -> HeightField:
    """Ground of the heights that a file holds.

    Args:
        file: a picture, in which black is 0 and white is `height`, seen from above with x to the
            right and y upwards; or a table of heights (`.npy`, `.csv`, `.txt`), whose rows go
            along y.
        size: lengths along x and y [m].
        height: of white, or what the numbers of a table are multiplied by [m].

    Raises:
        SoftshellError: the file cannot be read, or holds no heights.
    """
    file = Path(file).expanduser()
    try:
        if file.suffix == '.npy':
            heights = np.load(file, allow_pickle=False)
        elif file.suffix in NUMBERS:
            heights = np.loadtxt(file, delimiter=',' if file.suffix == '.csv' else None, ndmin=2)
        else:
            heights = _grey(imread(file))[::-1]
    except (OSError, ValueError, SyntaxError) as error:
        text = ' '.join(str(error).split())
        expected = f'expected a picture, or numbers in one of {", ".join(NUMBERS)}'
        raise SoftshellError(f'height field {str(file)!r}: {text}; {expected}') from None
    if not np.isfinite(height):
        raise SoftshellError(
            f'height field {str(file)!r}: height is {height} m; expected a finite'
        )
    return HeightField(height * np.asarray(heights, dtype=np.float64), size)


def _grey(picture: NDArray[Any]) -> Array:
    """(rows, columns) brightness of a picture, 0 to 1; its transparency does not count."""
    largest = 1.0 if np.issubdtype(picture.dtype, np.floating) else np.iinfo(picture.dtype).max
    grey = picture / largest
    return grey if grey.ndim == 2 else grey[..., :3].mean(axis=2)


def rubble(size: tuple[float, float], height: float, block: float, seed: int = 0) -> HeightField:
    """Level ground strewn with blocks, the same ones for the same seed.

    Args:
        size: lengths along x and y [m].
        height: of the highest block [m]; each has one between 0 and that.
        block: length of the sides of the largest blocks [m]; the smallest have half of it.
        seed: of the random generator.

    Raises:
        SoftshellError: a length is 0 or less, or the ground would have more than 4 million
            samples.
    """
    for name, value in (('height', height), ('block', block), *zip('xy', size, strict=True)):
        if not 0.0 < value < np.inf:
            raise SoftshellError(f'rubble: {name} is {value} m; expected more than 0, and finite')
    columns, rows = (int(np.ceil(length / RUBBLE_GRID)) + 1 for length in size)
    if rows * columns > 4_000_000:
        raise SoftshellError(f'rubble: a size of {size[0]} m × {size[1]} m is too large')
    generator = np.random.default_rng(seed)
    heights = np.zeros((rows, columns))
    x, y = (
        np.linspace(-0.5 * length, 0.5 * length, n)
        for length, n in zip(size, (columns, rows), strict=True)
    )
    for _ in range(int(np.ceil(2.0 * size[0] * size[1] / block**2))):
        centre = generator.uniform(-0.5, 0.5, 2) * size
        half = 0.5 * block * generator.uniform(0.5, 1.0, 2)
        inside = np.ix_(np.abs(y - centre[1]) < half[1], np.abs(x - centre[0]) < half[0])
        heights[inside] = np.maximum(heights[inside], generator.uniform(0.0, height))
    return HeightField(heights, size)
