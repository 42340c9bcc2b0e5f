"""Meshes from files, and shapes of a URDF as triangles: for engines and for pictures."""

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Sides of a round shape, and how often the faces of an icosphere are divided.
SIDES, DIVISIONS = 32, 3


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles whose corners go counterclockwise as seen from outside.

    Args:
        vertices: (vertices, 3) [m].
        faces: (faces, 3) indices of vertices.
        colours: (faces, 3) red, green and blue, 0 to 1; None: the mesh has none.
    """

    vertices: Array
    faces: NDArray[np.int64]
    colours: Array | None = None


def read_mesh(
    file: str, scale: tuple[float, ...] = (1.0, 1.0, 1.0), label: str = ''
) -> list[Mesh]:
    """The objects in a file, each where the file puts it: STL, OBJ, DAE, PLY, GLTF.

    The unit of a COLLADA file (.dae) is applied and its upward axis is ignored, as RViz and
    PyBullet do it.

    Args:
        file: its path.
        scale: along x, y and z; a negative one mirrors.
        label: what has the mesh, for messages; empty: they do not say it.

    Raises:
        SoftshellError: the file cannot be read, or has no triangles.
    """
    which = f'{label}: mesh {file}' if label else f'mesh {file}'
    try:
        stamp = os.stat(file).st_mtime_ns
        parts, factors = _parts(file, stamp), np.array(scale) * unit_of(file)
    except Exception as error:  # the reader of each format raises errors of its own
        reason = error.strerror if isinstance(error, OSError) else None
        text = reason or str(error) or type(error).__name__
        raise SoftshellError(
            f'{which} cannot be read: {text}; expected STL, OBJ, DAE, PLY or GLTF'
        ) from None
    if not parts:
        raise SoftshellError(
            f'{which} has no triangles that can be read; expected a whole file with a surface'
        )
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
    """The objects in a file, in its unit.

    They are kept by path and time of change, so that a world that is reset reads no file again.
    """
    import trimesh  # only where shapes are drawn or read: it takes a tenth of a bridge's start

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
    """Length of a file's unit [m]: COLLADA states one, all other formats are in metres."""
    if Path(file).suffix.lower() != '.dae':
        return 1.0
    unit = ElementTree.parse(file).getroot().find('{*}asset/{*}unit')
    return 1.0 if unit is None else float(unit.get('meter', '1'))


def colours_of(part: Any) -> Array | None:
    """(faces, 3) red, green and blue of a mesh, 0 to 1; None: it has no colours.

    Args:
        part: a `trimesh.Trimesh`. Of a texture the colours at the corners of a face are averaged.
    """
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == 'texture':
        try:
            corners = np.asarray(visual.to_color().vertex_colors, dtype=np.float64)
        except (AttributeError, IndexError, TypeError, ValueError):  # an incomplete texture
            return None
        if len(corners) != len(part.vertices):
            return None
        colours: Array = corners[part.faces][..., :3].mean(axis=1) / 255.0
        return colours
    return np.asarray(visual.face_colors, dtype=np.float64)[:, :3] / 255.0


def meshes_of(kind: ElementTree.Element, label: str = '') -> list[Mesh]:
    """A URDF's shape, the element within `<geometry>`, as triangles.

    Args:
        kind: the element.
        label: what has it, for messages about a mesh; empty: they do not say it.

    Raises:
        SoftshellError: the shape is unknown, or a mesh that cannot be read.
    """

    def numbers(name: str, default: str) -> tuple[float, ...]:
        return tuple(float(value) for value in (kind.get(name) or default).split())

    def number(name: str) -> float:
        return float(kind.get(name, '0'))

    from trimesh import creation as make

    makers: dict[str, Callable[[], Any]] = {
        'box': lambda: make.box(numbers('size', '0 0 0')),
        'sphere': lambda: make.icosphere(DIVISIONS, number('radius')),
        'cylinder': lambda: make.cylinder(number('radius'), number('length'), SIDES),
        'capsule': lambda: make.capsule(number('length'), number('radius'), (SIDES, SIDES)),
    }
    if kind.tag == 'mesh':
        return read_mesh(kind.get('filename', ''), numbers('scale', '1 1 1'), label)
    if kind.tag not in makers:
        expected = ', '.join([*makers, 'mesh'])
        raise SoftshellError(f'unknown shape <{kind.tag}> of a URDF; expected one of {expected}')
    made = makers[kind.tag]()
    return [Mesh(np.array(made.vertices), np.array(made.faces, dtype=np.int64))]
