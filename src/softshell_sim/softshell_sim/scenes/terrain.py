"""Ground to walk on: slopes, stairs, height fields, rubble.

Each is the shape of a body that stands still. Ramps and stairs rise along x from the origin;
height fields and rubble have the origin in their middle.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changing.changes import SetSurface, Spawn
from softshell_sim.number_checks import LONGEST, is_number, number_problems, whole_problems
from softshell_sim.scenes.height_files import read_heights
from softshell_sim.shapes import (
    MOST_PARTS,
    Blocks,
    Box,
    Compound,
    HeightField,
    Shape,
    refuse_samples,
)

#: Thickness of a ramp, and of the ground under the blocks of rubble [m].
SLAB = 0.1
#: Distance of the samples of rubble [m].
RUBBLE_GRID = 0.02
#: The largest blocks of rubble are at least so long [m]: the smallest then cover a sample.
SMALLEST_BLOCK = 2.0 * RUBBLE_GRID


def laid(
    shape: Shape, friction: float, pose: Array | None = None, name: str = 'ground'
) -> tuple[Spawn, SetSurface]:
    """The changes that lay ground in a world, and give it a friction with the robot.

    That of `WorldSettings` is between robot and floor alone.

    Args:
        shape: of the ground.
        friction: coefficient of sliding friction between ground and robot.
        pose: (4, 4) where its origin is in the world; None: in that of the world.
        name: of the body.
    """
    spec = ObjectSpec(name, shape, pose=np.eye(4) if pose is None else pose)
    return Spawn(spec), SetSurface(name, Surface(friction), 'robot')


def ramp(slope: float, length: float, width: float) -> Compound:
    """A slope that rises from the origin along x.

    Args:
        slope: its angle [rad].
        length: along the slope [m].
        width: along y, half of it to either side [m].

    Raises:
        SoftshellError: the slope is not between −π/2 and π/2, or a length is 0 or less.
    """
    if not is_number(slope) or not -0.5 * np.pi < slope < 0.5 * np.pi:
        shown = f'{slope} rad' if is_number(slope) else repr(slope)
        raise SoftshellError(f'ramp: slope is {shown}; expected more than -π/2, less than π/2')
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
        SoftshellError: there is no step or too many, or a length is 0 or less.
    """
    if not is_number(steps) or steps % 1 != 0 or not 1 <= steps <= MOST_PARTS:
        shown = steps if is_number(steps) else repr(steps)
        raise SoftshellError(
            f'stairs: steps is {shown}; expected a whole number of 1 to {MOST_PARTS}'
        )
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
            along y. Floating-point numbers of a picture are multiplied by `height`, as in a table.
        size: lengths along x and y [m].
        height: of white [m]; numbers of a table are multiplied by it.

    Raises:
        SoftshellError: the file cannot be read, or has no heights or too many.
    """
    file = Path(file).expanduser()
    if not is_number(height) or not abs(height) <= LONGEST:
        raise SoftshellError(
            f'height field {str(file)!r}: height is {height!r}; expected a number between '
            f'-{LONGEST:g} and {LONGEST:g} m'
        )
    return HeightField(height * read_heights(file), size)


def rubble(size: tuple[float, float], height: float, block: float, seed: int = 0) -> Blocks:
    """Level ground strewn with blocks, the same ones for the same seed.

    Args:
        size: lengths along x and y [m].
        height: of the highest block [m]; the others are between 0 and that.
        block: length of the sides of the largest blocks [m]; those of the smallest are half of it.
        seed: of the random generator.

    Raises:
        SoftshellError: a length is 0 or less or too large, the blocks are too small for the grid
            of samples, there are too many samples, or the seed is no whole number of 0 or more.
    """
    for name, value in (('height', height), ('block', block), *zip('xy', size, strict=True)):
        for problem in number_problems(name, value, 'm', LONGEST, above=True):
            raise SoftshellError(f'rubble: {problem}')
    if block < SMALLEST_BLOCK:
        raise SoftshellError(
            f'rubble: block is {block} m; expected {SMALLEST_BLOCK} m or more, for the ground is '
            f'sampled every {RUBBLE_GRID} m'
        )
    for problem in whole_problems('seed', seed):
        raise SoftshellError(f'rubble: {problem}')
    columns, rows = (int(np.ceil(length / RUBBLE_GRID)) + 1 for length in size)
    refuse_samples(f'rubble of {size[0]} m x {size[1]} m', rows, columns)
    count = int(np.ceil(2.0 * size[0] * size[1] / block**2))
    blocks = np.random.default_rng(seed).random((count, 5))
    centres, halves = (blocks[:, :2] - 0.5) * size, 0.25 * block * (1.0 + blocks[:, 2:4])
    (left, right), (front, back) = (
        _within(length, samples, centres[:, axis], halves[:, axis])
        for axis, (length, samples) in enumerate(zip(size, (columns, rows), strict=True))
    )
    tops = height * blocks[:, 4]
    heights = np.zeros((rows, columns))
    for block_height, *ends in zip(tops, front, back, left, right, strict=True):
        covered = heights[ends[0] : ends[1], ends[2] : ends[3]]
        np.maximum(covered, block_height, out=covered)
    # Half-way down to the samples around it, a block is as long and as wide as it is in the field.
    apart, middle = size / np.array([columns - 1.0, rows - 1.0]), 0.5 * np.array(size)
    low, high = (np.column_stack(ends) - 0.5 for ends in ((left, front), (right, back)))
    low, high = (np.clip(apart * ends - middle, -middle, middle) for ends in (low, high))
    low, high = np.vstack([-middle, low]), np.vstack([middle, high])
    boxes = np.column_stack([low, np.full(len(low), -SLAB), high, [0.0, *tops]])
    return Blocks(heights, size, boxes[(high > low).all(axis=1)])


def _within(
    length: float, samples: int, centres: Array, halves: Array
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Along one axis, index of the first sample within each block, and of the first beyond it.

    Args:
        length: of the ground [m].
        samples: their number, from one end of the ground to the other.
        centres: (blocks,) of the blocks, from the middle of the ground [m].
        halves: (blocks,) half lengths of the blocks [m].
    """
    places = np.linspace(-0.5 * length, 0.5 * length, samples)
    first = np.searchsorted(places, centres - halves, side='right')
    return first, np.searchsorted(places, centres + halves, side='left')
