"""The scene as viser shows it: the robot, what it feels, plans and has walked."""

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from softshell_dashboard.scene.looks import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import quaternion_from_rotation

#: Length of the arrow of a robot's weight, as a part of the robot's size.
OF_WEIGHT = 1.6
#: Length of a force's arrow where the weight is not known [m/N]; forces below the least are not
#: drawn [N].
PER_NEWTON, LEAST = 0.01, 0.05
#: Height at which lines on the ground are drawn above it [m].
ABOVE = 0.002
COLOURS = {
    'path': (90, 90, 200), 'plan': (20, 160, 90), 'support': (230, 140, 20),
    'contacts': (220, 40, 40),
}  # fmt: skip
#: Sizes of an arrow, as parts of the robot's.
SHAFT, HEAD, HEAD_LENGTH = 0.006, 0.015, 0.03


class View:
    """A viser server that listens on this machine alone; the page is its way to the outside.

    Args:
        port: that it listens on, on the loopback interface.
    """

    def __init__(self, port: int) -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints an address that is not ours
            self._server = viser.ViserServer('127.0.0.1', port, verbose=False)
        # A page could ask it to publish the scene through a server of strangers.
        self._server.request_share_url = _refuse  # type: ignore[method-assign]
        self.port = self._server.get_port()
        scene = self._server.scene
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        scene.configure_default_lights(cast_shadow=False)
        self._world = scene.add_frame('/world', show_axes=False)
        scene.add_grid('/world/grid', width=20.0, height=20.0, cell_size=0.1, section_size=1.0)
        self._robot: list[tuple[Shape, Any]] = []
        self._bodies: dict[str, list[Any]] = {}
        self._drawn: dict[str, Any] = {}
        self.fit(0.4, 0.0)

    def stop(self) -> None:
        """End the server."""
        self._server.stop()

    def fit(self, size: float, weight: float) -> None:
        """Have pages that come from now on begin with the robot in view.

        Args:
            size: of the robot [m].
            weight: of it [N], which has an arrow of `OF_WEIGHT`; 0: not known.
        """
        self._size = size
        self._per_newton = OF_WEIGHT * size / weight if weight > 0.0 else PER_NEWTON
        self._forget('contacts')
        camera = self._server.initial_camera
        camera.position = tuple((size * np.array([1.45, -1.8, 1.15])).tolist())
        camera.look_at = (0.0, 0.0, 0.2 * size)

    def set_robot(self, shapes: Sequence[Shape]) -> None:
        """Show another robot."""
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
        """Put links somewhere.

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
        """Keep a point in the middle of the scene; None: the origin of odom."""
        x, y = (0.0, 0.0) if position is None else position[:2].tolist()
        self._world.position = (-x, -y, 0.0)

    def draw_forces(self, points: Array, forces: Array) -> None:
        """Forces as arrows that push where they act.

        Args:
            points, forces: (contacts, 3) in odom [m], [N].
        """
        sizes = np.linalg.norm(forces, axis=1) if len(forces) else np.empty(0)
        kept = sizes > LEAST
        ends = points[kept]
        segments = np.stack([ends, ends + self._per_newton * forces[kept]], axis=1)
        self._draw('contacts', segments)

    def draw_lines(self, name: str, curves: Sequence[Array], closed: bool = False) -> None:
        """Curves of one of `COLOURS`.

        Args:
            name: of it.
            curves: (points, 3) of each, in odom [m].
            closed: whether each ends where it begins.
        """
        parts = []
        for curve in curves:
            if len(curve) > 1:
                following = np.roll(curve, -1, axis=0)
                pairs = np.stack([curve, following], axis=1)
                parts.append(pairs if closed else pairs[:-1])
        self._draw(name, np.concatenate(parts) if parts else np.empty((0, 2, 3)))

    def set_body(self, name: str, shapes: Sequence[tuple[Array, Array, Array]]) -> None:
        """Show a body of the world.

        Args:
            name: of it.
            shapes: vertices (n, 3), faces (m, 3) and colour (3,) of each, in its root link.
        """
        self.remove_body(name)
        scene, root = self._server.scene, f'/world/bodies/{len(self._bodies)}_{_plain(name)}'
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

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies that are shown."""
        return tuple(self._bodies)

    def move_body(self, name: str, position: Array, quaternion: Array) -> None:
        """Put a body somewhere; of one that is not shown nothing happens.

        Args:
            name: of it.
            position, quaternion: (3,) [m] and (4,) x, y, z, w, of its root link in odom.
        """
        if name in self._bodies:
            frame = self._bodies[name][0]
            frame.position, frame.wxyz = position, _wxyz(quaternion)

    def remove_body(self, name: str) -> None:
        """Show a body no longer."""
        for handle in reversed(self._bodies.pop(name, [])):
            handle.remove()

    def _forget(self, name: str) -> None:
        """Draw something anew the next time."""
        handle = self._drawn.pop(name, None)
        if handle is not None:
            handle.remove()

    def _draw(self, name: str, segments: Array) -> None:
        """Show line segments or arrows (n, 2, 3), or none."""
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
    """A quaternion x, y, z, w as viser takes it."""
    return np.roll(quaternion, 1, axis=-1)


def _plain(name: str) -> str:
    return ''.join(one if one.isalnum() else '_' for one in name)


def _refuse(*_: object, **__: object) -> None:
    """Share nothing."""
