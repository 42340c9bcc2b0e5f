"""Files of heights: pictures, and tables of numbers. Large ones are refused before reading."""

from pathlib import Path

import numpy as np
from PIL import Image

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.shapes import MOST_SAMPLES, real_numbers, refuse_samples

#: Suffixes of files that hold tables of heights; others are pictures.
NUMBERS = ('.npy', '.csv', '.txt')
#: White in a picture of 8 and of 16 bits.
WHITE_OF_8, WHITE_OF_16 = 255.0, 65535.0
#: Most characters per number in a table of text; larger files are not read.
LONGEST_NUMBER = 64


def read_heights(file: Path) -> Array:
    """The (rows, columns) of heights in a file; rows go along y, from low to high.

    Args:
        file: a table (`.npy`, `.csv`, `.txt`), or a picture. The last row of a picture has the
            lowest y; black is 0 and white is 1, floating-point numbers are taken as they are.

    Raises:
        SoftshellError: the file cannot be read, has no real numbers, or too many.
    """
    what = f'height field {str(file)!r}'
    try:
        if file.suffix == '.npy':
            return _of_array(what, file)
        if file.suffix in NUMBERS:
            return _of_text(what, file)
        return _of_picture(what, file)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        text = ' '.join(str(error).split())
        expected = f'expected a picture, or numbers in one of {", ".join(NUMBERS)}'
        raise SoftshellError(f'{what}: {text}; {expected}') from None


def _of_array(what: str, file: Path) -> Array:
    heights = np.load(file, mmap_mode='r', allow_pickle=False)
    if not isinstance(heights, np.ndarray):
        raise ValueError('it holds several arrays, as a file of suffix .npz does')
    if heights.ndim == 2:
        refuse_samples(what, *heights.shape)
    return real_numbers(what, heights)


def _of_text(what: str, file: Path) -> Array:
    length = file.stat().st_size
    if length > LONGEST_NUMBER * MOST_SAMPLES:
        raise SoftshellError(f'{what} has {length} bytes; expected at most {MOST_SAMPLES} numbers')
    lines = file.read_text(encoding='utf-8').splitlines()
    if not any(line.strip() for line in lines):
        raise ValueError('it is empty')
    return np.loadtxt(lines, delimiter=',' if file.suffix == '.csv' else None, ndmin=2)


def _of_picture(what: str, file: Path) -> Array:
    with Image.open(file) as picture:
        refuse_samples(what, picture.height, picture.width)
        kind, format_of_file = picture.mode, picture.format
        if kind == 'I' and format_of_file == 'TIFF':
            raise SoftshellError(
                f'{what} is a picture of whole numbers of 32 bits, whose value of white is not '
                'known; expected one of 8 or 16 bits, or of floating-point numbers'
            )
        if kind == 'F':
            numbers = np.asarray(picture, dtype=np.float64)
        elif kind.startswith('I'):  # of files of 16 bits
            numbers = np.asarray(picture, dtype=np.float64) / WHITE_OF_16
        else:
            colours = np.asarray(picture.convert('RGB'), dtype=np.float64)
            numbers = colours.mean(axis=2) / WHITE_OF_8
    return numbers[::-1]
