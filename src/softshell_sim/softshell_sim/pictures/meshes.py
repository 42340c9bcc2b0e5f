"""Meshes from files, and shapes as triangles: the same for engines and pictures."""

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Sides of a round shape, and of a ball's finest division.
SIDES, DIVISIONS = 32, 3


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles, seen from outside their corners go counterclockwise.

    Args:
        vertices: (vertices, 3) [m].
        faces: (faces, 3) numbers of vertices.
        colours: (faces, 3) red, green and blue, 0 to 1; None: the file names none.
    """

    vertices: Array
    faces: NDArray[np.int64]
    colours: Array | None = None


def read_mesh(file: str, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> list[Mesh]:
    """The objects in a file, each where the file puts it: STL, OBJ, DAE, PLY, GLTF.

    What a COLLADA file (.dae) says of its unit counts, what it says of its upward axis does not:
    so it is in RViz and in PyBullet, and robots are made for that.

    Args:
        file: its path.
        scale: along x, y and z; a negative one mirrors.

    Raises:
        SoftshellError: the file cannot be read, or has no triangles.
    """
    try:
        stamp = os.stat(file).st_mtime_ns
        parts, factors = _parts(file, stamp), np.array(scale) * unit_of(file)
    except Exception as error:  # each of its readers raises what it likes
        raise SoftshellError(f'mesh {file}: {error or type(error).__name__}') from None
    if not parts:
        raise SoftshellError(f'mesh {file} has no triangles; expected a surface')
    return [
        Mesh(
            part.vertices * factors,
            part.faces[:, ::-1] if np.prod(factors) < 0.0 else part.faces,
            part.colours,
        )
        for part in parts
    ]


@lru_cache(maxsize=256)
def _parts(file: str, _: int) -> tuple[Mesh, ...]:
    """The objects in a file, by its name and its time: a world that is reset reads none anew."""
    scene = trimesh.load_scene(file, split_objects=True)
    return tuple(
        Mesh(
            np.asarray(part.vertices, dtype=np.float64),
            np.asarray(part.faces, dtype=np.int64),
            colours_of(part),
        )
        for part in scene.dump()
        if isinstance(part, trimesh.Trimesh) and len(part.faces)
    )


def unit_of(file: str) -> float:
    """What a file counts lengths in [m]."""
    if Path(file).suffix.lower() != '.dae':
        return 1.0
    unit = ElementTree.parse(file).getroot().find('{*}asset/{*}unit')
    return 1.0 if unit is None else float(unit.get('meter', '1'))


def colours_of(part: Any) -> Array | None:
    """(faces, 3) colours of a mesh that has some, of a picture on it those at the corners."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == 'texture':
        try:
            corners = np.asarray(visual.to_color().vertex_colors, dtype=np.float64)
        except (AttributeError, IndexError, TypeError, ValueError):  # no picture, or no place
            return None
        if len(corners) != len(part.vertices):
            return None
        colours: Array = corners[part.faces][..., :3].mean(axis=1) / 255.0
        return colours
    return np.asarray(visual.face_colors, dtype=np.float64)[:, :3] / 255.0


def meshes_of(kind: ElementTree.Element) -> list[Mesh]:
    """A URDF's shape, the element within `<geometry>`, as triangles.

    Raises:
        SoftshellError: it is a mesh that cannot be read, or no shape that there is.
    """

    def numbers(name: str, default: str) -> tuple[float, ...]:
        return tuple(float(value) for value in kind.get(name, default).split())

    def number(name: str) -> float:
        return float(kind.get(name, '0'))

    make = trimesh.creation
    makers: dict[str, Callable[[], Any]] = {
        'box': lambda: make.box(numbers('size', '0 0 0')),
        'sphere': lambda: make.icosphere(DIVISIONS, number('radius')),
        'cylinder': lambda: make.cylinder(number('radius'), number('length'), SIDES),
        'capsule': lambda: make.capsule(number('length'), number('radius'), (SIDES, SIDES)),
    }
    if kind.tag == 'mesh':
        return read_mesh(kind.get('filename', ''), numbers('scale', '1 1 1'))
    if kind.tag not in makers:
        expected = ', '.join([*makers, 'mesh'])
        raise SoftshellError(f'unknown shape <{kind.tag}> of a URDF; expected one of {expected}')
    made = makers[kind.tag]()
    return [Mesh(np.array(made.vertices), np.array(made.faces, dtype=np.int64))]
