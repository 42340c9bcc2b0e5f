"""The closed cage of a robot: its panels' outer surface, found from their collision meshes."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from softshell_description.form import RoomSpec
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.urdf_reader import origin_of, vector_of

#: Vertices at most this far inside a panel's sphere belong to its outer surface [m].
SURFACE = 0.0005


@dataclass(frozen=True, eq=False)
class Panel:
    """A panel that a limb carries.

    Args:
        link: that it is part of.
        chain: from the base to the link.
        joints: (n,) indices of the chain's variables in the robot's joint vector.
        moves: (n,) whether the panel may move the variable; shared joints stay.
        points: (points, 3) of the outer surface, in the link [m].
    """

    link: str
    chain: SerialChain
    joints: NDArray[np.int64]
    moves: NDArray[np.bool_]
    points: Array

    def surface(self, positions: Array) -> Array:
        """(points, 3) [m] of the outer surface in the base, at (joints,) positions [rad]."""
        pose = self.chain.forward(positions[self.joints])
        surface: Array = self.points @ pose[:3, :3].T + pose[:3, 3]
        return surface


@dataclass(frozen=True, eq=False)
class Cage:
    """A ball of panels.

    Args:
        closed: (joints,) positions in which it is closed [rad].
        lower, upper: (joints,) limits [rad].
        centre: (3,) of the ball, in the base [m].
        radius: of its outermost panels [m].
        panels: all of them.
        room: sphere in the base that panels keep out of; None: they may go anywhere.
    """

    closed: Array
    lower: Array
    upper: Array
    centre: Array
    radius: float
    panels: tuple[Panel, ...]
    room: RoomSpec | None = None

    def is_in_room(self, surface: Array) -> bool:
        """Whether any point of a `surface`, (points, 3) in the base [m], is in the room."""
        if self.room is None:
            return False
        distance = np.linalg.norm(surface - self.room.centre, axis=1)
        return bool(distance.min() < self.room.radius)


def cage_of(robot: RobotModel) -> Cage:
    """The cage of a robot, from the OBJ meshes that its links collide with.

    Raises:
        SoftshellError: it has no cage, no link has a collision mesh, or one is no readable OBJ.
    """
    if robot.cage is None:
        raise SoftshellError(f'robot {robot.name!r} has no cage; expected one in its robot.yaml')
    closed = robot.pose(robot.cage.pose)
    found = []
    for link in ElementTree.fromstring(robot.resolved_urdf).findall('link'):
        vertices = _vertices(link)
        if len(vertices):
            name = link.get('name', '')
            found.append((name, vertices, *_moved_by(robot, name)))
    if not found:
        raise SoftshellError(
            f'robot {robot.name!r}: no link has a collision mesh; expected the panels of its cage'
        )
    closed_vertices = []
    for _, vertices, chain, places, _ in found:
        pose = chain.forward(closed[places])
        closed_vertices.append(vertices @ pose[:3, :3].T + pose[:3, 3])
    centre, radii = _spheres(closed_vertices)
    panels = []
    for number, (name, vertices, chain, places, moves) in enumerate(found):
        distance = np.linalg.norm(closed_vertices[number] - centre, axis=1)
        outer = np.unique(np.round(vertices[distance > radii[number] - SURFACE], 6), axis=0)
        panels.append(Panel(name, chain, places, moves, outer))
    return Cage(
        closed, robot.lower_limits, robot.upper_limits, centre, float(radii.max()), tuple(panels),
        robot.cage.room,
    )  # fmt: skip


def _moved_by(
    robot: RobotModel, link: str
) -> tuple[SerialChain, NDArray[np.int64], NDArray[np.bool_]]:
    """The chain to a panel; `joints` and `moves` of the panel."""
    chain = chain_from_urdf(robot.urdf, robot.base.link, link, link)
    places = np.array([robot.index(name) for name in chain.variables], dtype=np.int64)
    return chain, places, np.array([name not in robot.shared for name in chain.variables])


def _vertices(link: ElementTree.Element) -> Array:
    """(n, 3) vertices of the collision meshes of a link, in the link [m].

    Raises:
        SoftshellError: a mesh is no readable OBJ, or its scale or place is not three numbers; the
            text names the link.
    """
    every = [np.zeros((0, 3))]
    for collision in link.findall('collision'):
        mesh = collision.find('geometry/mesh')
        if mesh is None:
            continue
        try:
            vertices = _read_vertices(Path(mesh.get('filename', '')))
        except (OSError, ValueError) as error:
            raise SoftshellError(
                f'link {link.get("name")!r}: mesh {mesh.get("filename", "")}: {error}; expected '
                'an OBJ file'
            ) from None
        try:
            scale = vector_of(mesh, 'scale', (1.0, 1.0, 1.0))
            pose = origin_of(collision.find('origin'))
        except SoftshellError as error:
            raise SoftshellError(f'link {link.get("name")!r}: collision: {error}') from None
        every.append(vertices * scale @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(every)


def _read_vertices(path: Path) -> Array:
    """(n, 3) vertices of an OBJ file, without the mesh's scale.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no text, or has no vertices of three numbers.
    """
    lines = path.read_text(encoding='utf-8').splitlines()
    rows = [line.split()[1:4] for line in lines if line.startswith('v ')]
    if not rows:
        raise ValueError('there are no vertices')
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)


def _spheres(clouds: list[Array]) -> tuple[Array, Array]:
    """Centre (3,) and radii (clouds,) of the spheres that the outside of each cloud lies on.

    Linear least squares of |p|² = 2 c·p + (r² − |c|²), one r for each cloud, over the corners of
    the convex hull of all.
    """
    owner = np.repeat(np.arange(len(clouds)), [len(cloud) for cloud in clouds])
    points = np.concatenate(clouds)
    corners = ConvexHull(points).vertices
    points, owner = points[corners], owner[corners]
    of_cloud = owner[:, None] == np.arange(len(clouds))
    solution, *_ = np.linalg.lstsq(
        np.hstack([2.0 * points, of_cloud]), (points**2).sum(axis=1), rcond=None
    )
    centre = solution[:3]
    return centre, np.sqrt(solution[3:] + centre @ centre)
