"""Meshes as PyBullet can read them, with or without a layer round them.

PyBullet replaces each mesh, and each object of an OBJ file, by its convex hull and adds a margin.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.pictures.meshes import Mesh, meshes_of
from softshell_sim.pybullet.mesh_files import is_plain_collada, is_sound
from softshell_sim.urdf.shapes import label_of

#: Margin that PyBullet adds to the hull of a mesh of a URDF [m].
MARGIN = 0.001


def readable_meshes(urdf: str, folder: Path) -> str:
    """A URDF whose meshes PyBullet can read: others are written anew as OBJ files.

    Args:
        urdf: its text, with meshes by path.
        folder: to which they are written.

    Raises:
        SoftshellError: a mesh cannot be read; the text names its link and file.
    """
    root = ElementTree.fromstring(urdf)
    count = 0
    for label, mesh in _meshes(root, 'collision', 'visual'):
        file = mesh.get('filename', '')
        if is_sound(file):
            continue
        solids = _solids(mesh, label)
        if is_plain_collada(file):
            continue
        _replace(mesh, folder / f'read_{count}.obj', solids)
        count += 1
    return ElementTree.tostring(root, encoding='unicode') if count else urdf


def grow_meshes(name: str, urdf: str, by: float, folder: Path) -> str:
    """A URDF whose collision meshes are convex hulls with their faces moved outwards.

    Args:
        name: of the robot, for messages.
        urdf: its text, with meshes by path.
        by: distance outside the mesh at which contact begins [m].
        folder: to which the hulls are written.

    Raises:
        SoftshellError: a mesh cannot be read, or is flat; the text names its link and file.
    """
    root = ElementTree.fromstring(urdf)
    for count, (label, mesh) in enumerate(_meshes(root, 'collision')):
        try:
            hulls = [_grown(solid.vertices, by - MARGIN) for solid in _solids(mesh, label)]
        except (QhullError, ValueError):
            raise SoftshellError(
                f'robot {name!r}, {label}: mesh {mesh.get("filename")} cannot get a layer; '
                'expected a body that is not flat, with a padding of 1 mm or more, as PyBullet '
                'itself adds 1 mm to every mesh; or padding 0'
            ) from None
        _replace(mesh, folder / f'{count}.obj', hulls)
    return ElementTree.tostring(root, encoding='unicode')


def _meshes(root: ElementTree.Element, *kinds: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """Meshes of the shapes of these kinds, each with what has it, for messages."""
    for link in root.findall('link'):
        for kind in kinds:
            for shape in link.findall(kind):
                for mesh in shape.findall('geometry/mesh'):
                    yield label_of(link.get('name', ''), shape), mesh


def _solids(mesh: ElementTree.Element, label: str) -> list[Mesh]:
    """The bodies of a mesh of which PyBullet takes the convex hulls.

    Raises:
        SoftshellError: it cannot be read.
    """
    parts: list[Mesh] = meshes_of(mesh, label)
    if Path(mesh.get('filename', '')).suffix.lower() == '.obj':
        return parts
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)]).tolist()
    vertices = np.concatenate([part.vertices for part in parts])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    return [Mesh(vertices, np.concatenate(faces))]


def _grown(vertices: Array, by: float) -> Mesh:
    """The convex hull of (vertices, 3) with its faces moved outwards, all [m]."""
    hull = ConvexHull(vertices)
    faces = hull.equations.copy()
    faces[:, 3] -= by
    corners = np.asarray(HalfspaceIntersection(faces, vertices.mean(axis=0)).intersections)
    return Mesh(corners, ConvexHull(corners).simplices.astype(np.int64))


def _replace(mesh: ElementTree.Element, path: Path, solids: list[Mesh]) -> None:
    """Let a mesh of a URDF be an OBJ file that is written now, each of its objects a solid."""
    lines, start = [], 1
    for number, solid in enumerate(solids):
        lines.append(f'o hull_{number}')
        lines += ['v ' + ' '.join(map(repr, vertex)) for vertex in solid.vertices.tolist()]
        lines += [
            'f ' + ' '.join(str(corner + start) for corner in face)
            for face in solid.faces.tolist()
        ]
        start += len(solid.vertices)
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    mesh.set('filename', str(path))
    mesh.set('scale', '1 1 1')
