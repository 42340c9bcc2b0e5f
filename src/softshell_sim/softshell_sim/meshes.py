"""Meshes from files, and shapes as triangles: the same for engines and pictures."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: Turn that brings a COLLADA file's upward axis to z.
UPWARDS = {
    'X_UP': ((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    'Y_UP': ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    'Z_UP': ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
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

    What a COLLADA file (.dae) says of its unit and its upward axis counts.

    Args:
        file: its path.
        scale: along x, y and z; a negative one mirrors.

    Raises:
        SoftshellError: the file cannot be read, or has no triangles.
    """
    try:
        scene = trimesh.load_scene(file, split_objects=True)
        parts = [part for part in scene.dump() if isinstance(part, trimesh.Trimesh)]
        turn = scale_of(file)
    except Exception as error:  # each of its readers raises what it likes
        raise SoftshellError(f'mesh {file}: {error or type(error).__name__}') from None
    if not any(len(part.faces) for part in parts):
        raise SoftshellError(f'mesh {file} has no triangles; expected a surface')
    turn = np.diag(scale) @ turn
    mirrored = np.linalg.det(turn) < 0.0
    meshes = []
    for part in parts:
        if len(part.faces):
            faces = np.asarray(part.faces, dtype=np.int64)
            vertices = np.asarray(part.vertices, dtype=np.float64) @ turn.T
            meshes.append(Mesh(vertices, faces[:, ::-1] if mirrored else faces, colours_of(part)))
    return meshes


def scale_of(file: str) -> Array:
    """(3, 3) what a file's own axes and unit become in x forward, z up, and metres."""
    if Path(file).suffix.lower() != '.dae':
        return np.eye(3)
    asset = ElementTree.parse(file).getroot().find('{*}asset')
    unit = asset.find('{*}unit') if asset is not None else None
    axis = asset.findtext('{*}up_axis', 'Y_UP') if asset is not None else 'Y_UP'
    return np.array(UPWARDS[axis.strip()]) * float(
        unit.get('meter', 1.0) if unit is not None else 1
    )


def colours_of(part: Any) -> Array | None:
    """(faces, 3) colours of a mesh that has some, of a picture on it those at the corners."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == 'texture':
        visual = visual.to_color()
        if visual.kind is None:
            return None
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
