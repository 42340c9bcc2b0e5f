"""Which mesh files PyBullet reads by itself: of others it leaves out the shape, without an error.

It reads no ASCII STL, PLY or GLTF. In COLLADA files it looks only for triangles and lists of
polygons, and not for nodes that are used by their name. In an OBJ file it does not check the
numbers of the corners, and takes whatever is in memory there.
"""

import os
import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from pathlib import Path

import numpy as np

#: Bytes before the triangles of a binary STL file.
HEADER = 84
#: A triangle of a binary STL file: its normal and three corners, and two further bytes.
TRIANGLE = np.dtype([('numbers', '<f4', 12), ('attribute', '<u2')])
#: Elements of a COLLADA file of which PyBullet leaves out a part, or all.
LEFT_OUT = (
    'polygons',
    'tristrips',
    'trifans',
    'instance_node',
    'instance_controller',
)


def is_sound(file: str) -> bool:
    """Whether a file is a mesh that PyBullet reads as it is meant: a sound binary STL or OBJ.

    This is found without trimesh, whose import would make most starts longer.

    Args:
        file: its path; there may be no such file.
    """
    try:
        return _is_sound(file, os.stat(file).st_mtime_ns)
    except (OSError, ValueError):  # there is no such file, or what should be a number is none
        return False


@lru_cache(maxsize=256)
def _is_sound(file: str, _: int) -> bool:
    """As `is_sound`; kept by path and time of change.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is an OBJ file with text in place of a number.
    """
    match Path(file).suffix.lower():
        case '.stl':
            return _is_binary_stl(Path(file).read_bytes())
        case '.obj':
            return _is_sound_obj(Path(file).read_text(encoding='utf-8', errors='replace'))
    return False


def _is_binary_stl(content: bytes) -> bool:
    """Whether a file is as long as its header says, and its numbers are finite."""
    count = int.from_bytes(content[HEADER - 4 : HEADER], 'little')
    if count == 0 or len(content) != HEADER + count * TRIANGLE.itemsize:
        return False
    numbers = np.frombuffer(content, TRIANGLE, count, HEADER)['numbers']
    return bool(np.isfinite(numbers[:, 3:]).all())


def _is_sound_obj(text: str) -> bool:
    """Whether a file has faces, all of them between finite vertices that it has.

    Raises:
        ValueError: there is text in place of a number.
    """
    if '\\\n' in text:  # PyBullet does not join lines
        return False
    vertices: list[float] = []
    corners: list[int] = []
    for line in text.splitlines():
        match line.split():
            case ['v', x, y, z, *_]:
                vertices += float(x), float(y), float(z)
            case ['f', *words]:
                if len(words) < 3:
                    return False
                for word in words:
                    corner = int(word.partition('/')[0])
                    # Numbers below 0 count back from the last vertex so far.
                    corners.append(corner if corner >= 0 else len(vertices) // 3 + 1 + corner)
            case ['v' | 'f', *_]:
                return False
    return (
        bool(corners)
        and min(corners) >= 1
        and max(corners) <= len(vertices) // 3
        and bool(np.isfinite(vertices).all())
    )


def is_plain_collada(file: str) -> bool:
    """Whether a file is a COLLADA file of which PyBullet reads everything.

    Args:
        file: path of a mesh that trimesh can read.
    """
    if Path(file).suffix.lower() != '.dae':
        return False
    root = ElementTree.parse(file).getroot()
    return all(root.find(f'.//{{*}}{name}') is None for name in LEFT_OUT)
