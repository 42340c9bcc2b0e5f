"""The scene in viser: the robot, contact forces, planned paths and the path it has walked."""

import contextlib
import io
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from softshell_dashboard.scene.looks import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import quaternion_from_rotation

#: Length of an arrow for a force as large as the robot's weight, divided by the robot's size.
OF_WEIGHT = 1.6
#: Length of an arrow per force if the weight is unknown [m/N]; smaller forces are not drawn [N].
PER_NEWTON, LEAST = 0.01, 0.05
#: Colours of lines and arrows: red, green, blue.
COLOURS = {
    'path': (90, 90, 200), 'plan': (20, 160, 90), 'support': (230, 140, 20),
    'contacts': (220, 40, 40),
}  # fmt: skip
#: Radii of an arrow's shaft and head, and length of its head, divided by the robot's size.
SHAFT, HEAD, HEAD_LENGTH = 0.006, 0.015, 0.03


class View:
    """The scene: a viser server that can be reached from this machine only.

    Pages get the scene through the server of the dashboard.

    Args:
        port: on the loopback interface.

    Attributes:
        port: on which viser listens.
    """

    def __init__(self, port: int) -> None:
        # viser prints its own address, which is not the one to open.
        with contextlib.redirect_stdout(io.StringIO()):
            self._server = viser.ViserServer('127.0.0.1', port, verbose=False)
        # Otherwise a page could ask viser to publish the scene through a server on the internet.
        self._server.request_share_url = _refuse  # type: ignore[method-assign]
        self.port = self._server.get_port()
        scene = self._server.scene
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        scene.configure_default_lights(cast_shadow=False)
        self._world = scene.add_frame('/world', show_axes=False)
        scene.add_grid('/world/grid', width=20.0, height=20.0, cell_size=0.1, section_size=1.0)
        self._robot: list[tuple[Shape, Any]] = []
        self._bodies: dict[str, list[Any]] = {}
        self._numbers = itertools.count()
        self._drawn: dict[str, Any] = {}
        self.fit(0.4, 0.0)

    def stop(self) -> None:
        """End the server."""
        self._server.stop()

    def fit(self, size: float, weight: float) -> None:
        """Fit the first view of new pages, and the sizes of arrows, to a robot.

        Args:
            size: of the robot [m].
            weight: of the robot [N]; 0: unknown.
        """
        self._size = size
        self._per_newton = OF_WEIGHT * size / weight if weight > 0.0 else PER_NEWTON
        self._forget('contacts')
        camera = self._server.initial_camera
        camera.position = tuple((size * np.array([1.45, -1.8, 1.15])).tolist())
        camera.look_at = (0.0, 0.0, 0.2 * size)

    def set_robot(self, shapes: Sequence[Shape]) -> None:
        """Show a robot, in place of the one before."""
        for _, handle in self._robot:
            handle.remove()
        self._robot = []
        for number, shape in enumerate(shapes):
            count = len(shape.links)
            handle = self._server.scene.add_batched_meshes_simple(
                f'/world/robot/{number}',
                shape.vertices.astype(np.float32),
                shape.faces.astype(np.uint32),
                batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
                batched_positions=np.zeros((count, 3)),
                batched_colors=shape.colours,
                lod='off',
                cast_shadow=False,
                receive_shadow=False,
            )
            self._robot.append((shape, handle))

    def move_robot(self, poses: Array) -> None:
        """Set the poses of the robot's links.

        Args:
            poses: (links, 4, 4) in odom.
        """
        turns = _wxyz(quaternion_from_rotation(poses[:, :3, :3])).astype(np.float32)
        places = poses[:, :3, 3].astype(np.float32)
        with self._server.atomic():
            for shape, handle in self._robot:
                handle.batched_wxyzs = turns[shape.links]
                handle.batched_positions = places[shape.links]

    def centre(self, position: Array | None) -> None:
        """Move the world so that a point (3,) in odom is in the middle; None: the origin [m]."""
        x, y = (0.0, 0.0) if position is None else position[:2].tolist()
        self._world.position = (-x, -y, 0.0)

    def draw_forces(self, points: Array, forces: Array) -> None:
        """Draw forces as arrows that begin where they act.

        Args:
            points: (contacts, 3) in odom [m].
            forces: (contacts, 3) in odom [N].
        """
        sizes = np.linalg.norm(forces, axis=1) if len(forces) else np.empty(0)
        kept = sizes > LEAST
        ends = points[kept]
        segments = np.stack([ends, ends + self._per_newton * forces[kept]], axis=1)
        self._draw('contacts', segments)

    def draw_lines(self, name: str, curves: Sequence[Array], closed: bool = False) -> None:
        """Draw curves, in place of those that had the same name.

        Args:
            name: one of `COLOURS`.
            curves: (points, 3) of each curve, in odom [m].
            closed: whether the last point of each curve is joined to its first.
        """
        parts = []
        for curve in curves:
            if len(curve) > 1:
                following = np.roll(curve, -1, axis=0)
                pairs = np.stack([curve, following], axis=1)
                parts.append(pairs if closed else pairs[:-1])
        self._draw(name, np.concatenate(parts) if parts else np.empty((0, 2, 3)))

    def set_body(self, name: str, shapes: Sequence[tuple[Array, Array, Array]]) -> None:
        """Show a body of the world, in place of the one that had the same name.

        Args:
            name: of the body.
            shapes: vertices (n, 3) in its root link [m], faces (m, 3) and colour (3,) from 0 to 1
                of each shape.
        """
        self.remove_body(name)
        scene, root = self._server.scene, f'/world/bodies/{next(self._numbers)}_{_plain(name)}'
        frame = scene.add_frame(root, show_axes=False)
        parts = [
            scene.add_mesh_simple(
                f'{root}/{number}',
                vertices.astype(np.float32),
                faces.astype(np.uint32),
                color=(255 * colour).astype(np.uint8),
                flat_shading=True,
                side='double',
                cast_shadow=False,
                receive_shadow=False,
            )
            for number, (vertices, faces, colour) in enumerate(shapes)
        ]
        self._bodies[name] = [frame, *parts]

    def move_body(self, name: str, position: Array, quaternion: Array) -> None:
        """Set the pose of a body; nothing happens if it is not shown.

        Args:
            name: of the body.
            position: (3,) of its root link in odom [m].
            quaternion: (4,) x, y, z, w of its root link in odom.
        """
        if name in self._bodies:
            frame = self._bodies[name][0]
            frame.position, frame.wxyz = position, _wxyz(quaternion)

    def remove_body(self, name: str) -> None:
        """Remove a body from the scene, if it is shown."""
        for handle in reversed(self._bodies.pop(name, [])):
            handle.remove()

    def _forget(self, name: str) -> None:
        """Remove lines or arrows, so that they are created again the next time."""
        handle = self._drawn.pop(name, None)
        if handle is not None:
            handle.remove()

    def _draw(self, name: str, segments: Array) -> None:
        """Show line segments or arrows: (n, 2, 3) begin and end of each, in odom [m]."""
        handle = self._drawn.get(name)
        if not len(segments):
            if handle is not None:
                handle.visible = False
            return
        points = segments.astype(np.float32)
        if handle is None:
            scene, colour = self._server.scene, COLOURS[name]
            if name == 'contacts':
                handle = scene.add_arrows(
                    f'/world/{name}',
                    points,
                    colour,
                    shaft_radius=SHAFT * self._size,
                    head_radius=HEAD * self._size,
                    head_length=HEAD_LENGTH * self._size,
                )
            else:
                handle = scene.add_line_segments(
                    f'/world/{name}', points, colour, thickness=3.0, thickness_units='screen'
                )
            self._drawn[name] = handle
            return
        handle.points = points
        if not handle.visible:
            handle.visible = True


def _wxyz(quaternion: Array) -> Array:
    """(..., 4) quaternions w, x, y, z, as viser takes them, from quaternions x, y, z, w."""
    return np.roll(quaternion, 1, axis=-1)


def _plain(name: str) -> str:
    """A name with only letters, digits and underscores, for a path in the scene."""
    return ''.join(one if one.isalnum() else '_' for one in name)


def _refuse(*_: object, **__: object) -> None:
    """Do nothing: takes the place of viser's function that publishes the scene."""
