"""The meshes of the panels: closed shells that are patches of a sphere.

Plain numpy and YAML: the build runs it before anything of softshell is installed.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import yaml

from softshell_description.panel import Panel
from softshell_description.slabs import slabs_obj

if TYPE_CHECKING:  # not there yet when the build runs this
    from numpy.typing import NDArray

    from softshell_kinematics.arrays import Array

#: Where an edge is in a grid, by row and column.
Edge = tuple[int | slice, int | slice]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed triangle mesh.

    Args:
        vertices: (n, 3) [m].
        normals: (n, 3) unit vectors, outwards of the solid.
        triangles: (m, 3) indices, anticlockwise seen from outside.
    """

    vertices: Array
    normals: Array
    triangles: NDArray[np.int64]

    def obj(self) -> str:
        """The mesh as a Wavefront OBJ file."""
        lines = [f'v {x:.7f} {y:.7f} {z:.7f}' for x, y, z in self.vertices]
        lines += [f'vn {x:.5f} {y:.5f} {z:.5f}' for x, y, z in self.normals]
        lines += [f'f {a}//{a} {b}//{b} {c}//{c}' for a, b, c in self.triangles + 1]
        return '\n'.join(lines) + '\n'


def read_panels(path: Path) -> tuple[Panel, ...]:
    """The panels of `panels.yaml`."""
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    return tuple(
        Panel(
            name=name,
            radius=data[name]['radius'],
            thickness=data[name]['thickness'],
            width=float(np.radians(data[name]['width'])),
            gap=data[name]['gap'],
            elevation=tuple(np.radians(data[name]['elevation'])),
            slabs=tuple(data[name]['slabs']),
            slab_margin=data['slab_margin'],
        )
        for name in data
        if isinstance(data[name], dict)
    )


def panel_mesh(panel: Panel) -> Mesh:
    """The shell of a panel: outer face, inner face and the rim between them.

    Each has vertices of its own, so that the faces shade smoothly and the rim stays sharp.
    """
    directions = panel.directions()
    outer = panel.radius * directions
    inner = (panel.radius - panel.thickness) * directions
    faces = [
        _sheet(outer, directions),
        _sheet(inner[:, ::-1], -directions[:, ::-1]),
        *(_rim(outer, inner, edge) for edge in _edges(*directions.shape[:2])),
    ]
    starts = np.cumsum([0] + [len(face.vertices) for face in faces[:-1]])
    return Mesh(
        np.concatenate([face.vertices for face in faces]),
        np.concatenate([face.normals for face in faces]),
        np.concatenate(
            [face.triangles + start for face, start in zip(faces, starts, strict=True)]
        ),
    )


def write_meshes(panels_path: Path, folder: Path) -> tuple[Path, ...]:
    """Write the meshes of each panel into a folder, where they are not already there.

    One is its shell, which is seen, the other its slabs, for collisions. Several processes may
    write at once: each file appears whole or not at all.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {}
    for panel in read_panels(panels_path):
        texts[f'{panel.name}_panel.obj'] = panel_mesh(panel).obj()
        texts[f'{panel.name}_slabs.obj'] = slabs_obj(panel)
    return tuple(_write(folder / name, text) for name, text in texts.items())


def _write(path: Path, text: str) -> Path:
    if path.is_file() and path.read_text(encoding='utf-8') == text:
        return path
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def _sheet(points: Array, normals: Array) -> Mesh:
    """A grid (rows, columns, 3) of points; outside is where rows × columns turn right-handed."""
    rows, columns = points.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    return Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles.reshape(-1, 3))


def _edges(rows: int, columns: int) -> list[Edge]:
    """The four edges of the outer face's grid, walked anticlockwise seen from outside."""
    every = slice(None)
    backward = slice(None, None, -1)
    return [(0, every), (every, columns - 1), (rows - 1, backward), (backward, 0)]


def _rim(outer: Array, inner: Array, edge: Edge) -> Mesh:
    points = np.stack([inner[edge], outer[edge]])
    along = np.gradient(outer[edge], axis=0)
    normals = np.cross(along, points[1] - points[0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return _sheet(points, np.stack([normals, normals]))
