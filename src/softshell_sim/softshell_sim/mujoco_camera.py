"""Pictures of a MuJoCo world by rays, one through each pixel: MuJoCo's own need OpenGL."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.camera import SKY, Picture, View
from softshell_sim.mujoco_shapes import HIDDEN

#: Groups of shapes that are seen.
VISIBLE = np.array([group != HIDDEN for group in range(6)], dtype=np.uint8)
#: From where the light comes, and its parts.
LIGHT_FROM = np.array([0.6, -0.9, 1.6]) / np.linalg.norm([0.6, -0.9, 1.6])
AMBIENT, DIFFUSE = 0.5, 0.5
#: Side of the tiles of a plane [m], and their colours.
TILE = 1.0
TILES = np.array([[0.93, 0.93, 0.93], [0.62, 0.70, 0.90]])


@dataclass(frozen=True, eq=False)
class Hits:
    """What (rays,) rays meet first.

    Attributes:
        start: (3,) where all of them begin [m].
        ways: (rays, 3) unit vectors.
        slants: (rays,) length of a way over its part along the camera's axis.
        shapes: (rays,) MuJoCo's numbers of what they meet; −1: nothing.
        distances: (rays,) from the start [m].
        normals: (rays, 3) there.
    """

    start: Array
    ways: Array
    slants: Array
    shapes: NDArray[np.int32]
    distances: Array
    normals: Array


def take_picture(model: Any, data: Any, view: View) -> Picture:
    """What is seen; each shape in its colour, brighter where it faces the light.

    Args:
        model, data: of MuJoCo, all shapes placed.
        view: what to show.
    """
    hits = _cast(model, data, view)
    depth = hits.distances / hits.slants
    seen = (hits.shapes >= 0) & (depth <= view.far)
    rgb = np.full((len(seen), 3), SKY, dtype=np.uint8)
    rgb[seen] = _colours(model, hits, seen).round()
    size = view.height, view.width
    shown = np.where(seen, depth, np.inf).astype(np.float32)
    return Picture(rgb.reshape(*size, 3), shown.reshape(size))


def _cast(model: Any, data: Any, view: View) -> Hits:
    columns, rows = np.meshgrid(np.arange(view.width), np.arange(view.height))
    matrix = view.intrinsics
    rays = np.ones((view.width * view.height, 3))
    rays[:, 0] = (columns.ravel() - matrix[0, 2]) / matrix[0, 0]
    rays[:, 1] = (rows.ravel() - matrix[1, 2]) / matrix[1, 1]
    slants = np.linalg.norm(rays, axis=1)
    count = len(rays)
    hits = Hits(
        view.pose[:3, 3].copy(),
        np.ascontiguousarray((rays / slants[:, None]) @ view.pose[:3, :3].T),
        slants,
        np.full(count, -1, dtype=np.int32),
        np.full(count, -1.0),
        np.zeros((count, 3)),
    )
    mujoco.mj_multiRay(
        model, data, hits.start, hits.ways.reshape(-1), VISIBLE, True, -1, hits.shapes,
        hits.distances, hits.normals.reshape(-1), count, view.far * float(slants.max()),
    )  # fmt: skip
    near = (hits.shapes >= 0) & (hits.distances < view.near * slants)
    for ray in np.flatnonzero(near).tolist():
        _look_beyond(model, data, hits, ray, view.near * slants[ray])
    return hits


def _look_beyond(model: Any, data: Any, hits: Hits, ray: int, skipped: float) -> None:
    """Cast a ray anew from a distance [m], so that what is nearer is left out."""
    shape, normal = np.zeros(1, dtype=np.int32), np.zeros(3)
    start, way = hits.start + skipped * hits.ways[ray], hits.ways[ray]
    further = mujoco.mj_ray(model, data, start, way, VISIBLE, 1, -1, shape, normal)
    hits.shapes[ray], hits.distances[ray] = shape[0], skipped + further
    hits.normals[ray] = normal


def _colours(model: Any, hits: Hits, seen: NDArray[np.bool_]) -> Array:
    """(seen rays, 3) colours of what is met, of 255."""
    shapes = hits.shapes[seen]
    colours: Array = model.geom_rgba[shapes, :3].astype(np.float64)
    plane = model.geom_type[shapes] == mujoco.mjtGeom.mjGEOM_PLANE
    points = hits.start[:2] + hits.distances[seen, None] * hits.ways[seen, :2]
    tiles = np.floor(points[plane] / TILE).astype(np.int64).sum(axis=1) % 2
    colours[plane] = TILES[tiles]
    lit = AMBIENT + DIFFUSE * np.clip(hits.normals[seen] @ LIGHT_FROM, 0.0, 1.0)
    colours *= 255.0 * lit[:, None]
    return colours
