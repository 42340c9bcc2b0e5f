"""Meshes that are grown by the thickness of the layer round a body, for PyBullet.

PyBullet replaces each mesh, and each object of an OBJ file, by its convex hull and adds a margin.
"""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.pictures.meshes import read_mesh
from softshell_sim.pybullet.quietly import pybullet

#: Margin that PyBullet adds to the hull of a mesh of a URDF [m].
MARGIN = 0.001


def grow_meshes(name: str, urdf: str, by: float, folder: Path) -> str:
    """A URDF whose collision meshes are convex hulls with their faces moved outwards.

    Args:
        name: of the robot, for messages.
        urdf: its text, with meshes by path.
        by: distance outside the mesh at which contact begins [m].
        folder: to which the hulls are written.

    Raises:
        SoftshellError: PyBullet cannot read a mesh, or it is flat; the text names it.
    """
    root = ElementTree.fromstring(urdf)
    for count, mesh in enumerate(root.findall('link/collision/geometry/mesh')):
        file = mesh.get('filename', '')
        scale = [float(value) for value in mesh.get('scale', '1 1 1').split()]
        scale *= 3 if len(scale) == 1 else 1  # PyBullet takes no single number
        path = folder / f'{count}.obj'
        try:
            hulls = [_grown(vertices, by - MARGIN) for vertices in _solids(file, scale)]
        except (pybullet.error, QhullError, ValueError):
            raise SoftshellError(
                f'robot {name!r}: the collision mesh {file} cannot get a layer; '
                'expected a body that is not flat, with a padding of 1 mm or more, as PyBullet '
                'itself adds 1 mm to every mesh; or padding 0'
            ) from None
        _write(path, hulls)
        mesh.set('filename', str(path))
        mesh.set('scale', '1 1 1')
    return ElementTree.tostring(root, encoding='unicode')


def _solids(file: str, scale: list[float]) -> list[Array]:
    """(vertices, 3) of each convex body that PyBullet makes of a mesh [m]."""
    if Path(file).suffix.lower() == '.obj':
        return [part.vertices for part in read_mesh(file, tuple(scale))]
    return [_vertices(file, scale)]


def _vertices(file: str, scale: list[float]) -> Array:
    """(vertices, 3) of the convex hull of a mesh, as PyBullet reads it [m]."""
    client = pybullet.connect(pybullet.DIRECT)
    try:
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_MESH, fileName=file, meshScale=scale, physicsClientId=client
        )
        body = pybullet.createMultiBody(0.0, shape, physicsClientId=client)
        return np.array(pybullet.getMeshData(body, -1, physicsClientId=client)[1])
    finally:
        pybullet.disconnect(client)


def _grown(vertices: Array, by: float) -> Array:
    """(vertices, 3) of the convex hull of vertices with its faces moved outwards, all [m]."""
    hull = ConvexHull(vertices)
    faces = hull.equations.copy()
    faces[:, 3] -= by
    return np.asarray(HalfspaceIntersection(faces, vertices.mean(axis=0)).intersections)


def _write(path: Path, hulls: list[Array]) -> None:
    """Write an OBJ file with the convex hull of each of these (vertices, 3) [m] as an object."""
    lines, start = [], 1
    for number, vertices in enumerate(hulls):
        lines.append(f'o hull_{number}')
        lines += ['v ' + ' '.join(map(repr, vertex)) for vertex in vertices.tolist()]
        lines += [
            'f ' + ' '.join(str(corner + start) for corner in face)
            for face in ConvexHull(vertices).simplices.tolist()
        ]
        start += len(vertices)
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
