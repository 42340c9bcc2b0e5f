"""Pictures of a MuJoCo world by our own renderer: that of MuJoCo needs OpenGL."""

from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.mujoco.shapes import BASE, HIDDEN
from softshell_sim.pictures.meshes import meshes_of
from softshell_sim.pictures.scenery import Places, Poses, Scenery, draw
from softshell_sim.sensing.camera import Picture, View

#: Corners in a shape's frame (vertices, 3) [m], and triangles by numbers of corners.
Triangles = tuple[Array, Places]


class MujocoCamera:
    """Takes pictures of a world; its model may be compiled anew between two pictures."""

    def __init__(self) -> None:
        self._model: Any = None

    def take(self, model: Any, data: Any, view: View) -> Picture:
        """A picture of the world.

        Args:
            model, data: of MuJoCo, with frames computed.
            view: of the camera.
        """
        if model is not self._model:
            self._model, self._shapes = model, _visible(model)
            self._scenery = _scenery(model, self._shapes)
        shapes = self._shapes
        poses = Poses(data.geom_xmat[shapes].reshape(-1, 3, 3), data.geom_xpos[shapes])
        return draw(self._scenery, poses, view)


def _visible(model: Any) -> Places:
    """MuJoCo's numbers of the visible shapes."""
    shown = (model.geom_group != HIDDEN) & (model.geom_rgba[:, 3] > 0.0)
    return np.flatnonzero(shown).astype(np.int32)


def _scenery(model: Any, shapes: Places) -> Scenery:
    """The surfaces of shapes of a model, which have these numbers."""
    plane = model.geom_type[shapes] == mujoco.mjtGeom.mjGEOM_PLANE
    parts = [_triangles(model, shape) for shape in shapes.tolist()]
    corners = np.cumsum([0, *(len(vertices) for vertices, _ in parts)]).astype(np.int32)
    begin = np.cumsum([0, *(len(faces) for _, faces in parts)]).astype(np.int32)
    return Scenery(
        np.concatenate([vertices for vertices, _ in parts] or [np.empty((0, 3))]),
        np.concatenate(
            [faces + first for (_, faces), first in zip(parts, corners, strict=False)]
            or [np.empty((0, 3), dtype=np.int32)]
        ),
        np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(begin)),
        corners,
        begin,
        np.array([np.linalg.norm(v, axis=1).max(initial=0.0) for v, _ in parts]),
        np.flatnonzero(plane).astype(np.int32),
        255.0 * model.geom_rgba[shapes, :3].astype(np.float64),
    )


def _triangles(model: Any, shape: int) -> Triangles:
    """The surface of a shape; without triangles for a plane, which `draw` shows by itself."""
    kinds, kind = mujoco.mjtGeom, model.geom_type[shape]
    size, number = tuple(model.geom_size[shape].tolist()), model.geom_dataid[shape]
    if kind == kinds.mjGEOM_MESH:
        first, count = model.mesh_vertadr[number], model.mesh_vertnum[number]
        begin, faces = model.mesh_faceadr[number], model.mesh_facenum[number]
        vertices = model.mesh_vert[first : first + count].astype(np.float64)
        return vertices, model.mesh_face[begin : begin + faces].astype(np.int32)
    if kind == kinds.mjGEOM_HFIELD:
        rows, columns = model.hfield_nrow[number], model.hfield_ncol[number]
        first = model.hfield_adr[number]
        heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns)
        return _height_field(heights.astype(np.float64), *model.hfield_size[number, :3])
    if kind == kinds.mjGEOM_BOX:
        return _made('box', size=' '.join(str(2.0 * half) for half in size))
    if kind == kinds.mjGEOM_SPHERE:
        return _made('sphere', radius=str(size[0]))
    if kind == kinds.mjGEOM_CYLINDER:
        return _made('cylinder', radius=str(size[0]), length=str(2.0 * size[1]))
    if kind == kinds.mjGEOM_CAPSULE:
        return _made('capsule', radius=str(size[0]), length=str(2.0 * size[1]))
    return np.empty((0, 3)), np.empty((0, 3), dtype=np.int32)


@lru_cache(maxsize=256)
def _made(kind: str, **sizes: str) -> Triangles:
    """The surface of a shape of a URDF; round shapes become polyhedra."""
    (mesh,) = meshes_of(Element(kind, sizes))
    return mesh.vertices, mesh.faces.astype(np.int32)


def _height_field(heights: Array, x: float, y: float, top: float) -> Triangles:
    """A height field and the sides of the block below it.

    Args:
        heights: (rows, columns), 0 to 1, rows along y.
        x, y: half its lengths [m].
        top: height [m] where `heights` is 1.
    """
    rows, columns = heights.shape
    # One more row of points all round, vertically below the edge.
    padded = np.pad(top * heights, 1, constant_values=-BASE)
    xs = np.pad(np.linspace(-x, x, columns), 1, mode='edge')
    ys = np.pad(np.linspace(-y, y, rows), 1, mode='edge')
    grid = np.stack([*np.meshgrid(xs, ys), padded], axis=-1)
    numbers = np.arange(grid.size // 3, dtype=np.int32).reshape(rows + 2, columns + 2)
    near, right = numbers[:-1, :-1].ravel(), numbers[:-1, 1:].ravel()
    left, beyond = numbers[1:, :-1].ravel(), numbers[1:, 1:].ravel()
    faces = np.concatenate(
        [np.stack([near, right, beyond], axis=1), np.stack([near, beyond, left], axis=1)]
    )
    return grid.reshape(-1, 3), faces
