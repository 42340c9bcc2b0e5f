"""The show: what was measured becomes a scene, plots and numbers; no server, no ROS."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softshell_dashboard.history import History
from softshell_dashboard.protocols import Scene, Source
from softshell_dashboard.scene.figure import Figure, pose_of, support
from softshell_dashboard.scene.looks import Shape, shapes_of
from softshell_dashboard.scene.paths import with_paths
from softshell_dashboard.snapshot import Snapshot
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion
from softshell_sim.pictures.visuals import visuals_of

#: Between two points of the walked path [m], and how many of them are kept.
STEP, MOST_STEPS = 0.02, 1500
#: Between two drawings of what is about the robot, and of the whole where nobody looks [s].
LINES_PERIOD, IDLE_PERIOD = 0.1, 0.2
#: A robot without looks is taken to be as large as this [m].
SMALLEST = 0.05
#: Of the Earth [m/s^2].
GRAVITY = 9.81
#: Points of a planned way at most.
MOST_POINTS = 60


class Show:
    """Follows the stack.

    Args:
        source: what is measured.
        scene: where it is shown.
        tell: takes a line about what cannot be shown.
        now: a clock that never runs backwards [s].

    Attributes:
        history: for the plots.
    """

    def __init__(
        self,
        source: Source,
        scene: Scene,
        tell: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source, self._scene, self._tell, self._now = source, scene, tell, now
        self.history = History()
        self._figure: Figure | None = None
        self._path: list[Array] = []
        self._drawn_path = 0
        self._plan: Array | None = None
        self._curves: Array = np.empty((0, 0, 3))
        self._lines_at = self._idle_at = -math.inf
        self._margin: float | None = None
        self._last = Snapshot()

    def step(self, watched: bool, follow: bool, all_contacts: bool) -> None:
        """Bring the scene up to date.

        Args:
            watched: somebody looks; else little is done.
            follow: the robot stays in the middle.
            all_contacts: forces of all contacts, not of the feet alone.
        """
        now = self._now()
        if not watched and now < self._idle_at:
            return
        self._idle_at = now + IDLE_PERIOD
        text = self._source.description()
        if text is not None:
            self._set_robot(text)
        self._last = shot = self._source.snapshot(all_contacts and watched)
        base = None if shot.base is None else pose_of(shot.base.position, shot.base.orientation)
        self._walk(base)
        poses = None
        if self._figure is not None and shot.joints:
            poses = self._figure.poses(shot.joints, base)
            if watched and np.isfinite(poses).all():
                self._scene.move_robot(poses)
                self._scene.centre(base[:3, 3] if follow and base is not None else None)
        if poses is not None and now >= self._lines_at:
            self._lines_at = now + LINES_PERIOD
            self._lines(shot, poses, base, watched)
        for name, place in shot.bodies.items() if watched else ():
            self._scene.move_body(name, place[:3], place[3:])
        if self.history.is_due(now):
            self.history.add(self._sample(shot), now)

    def numbers(self) -> dict[str, Any]:
        """What a page shows in words, for JSON."""
        health, shot, fingers = self._source.health(), self._last, self._source.fingers()
        base = None
        if shot.base is not None:
            x, y, z = map(finite, shot.base.position.tolist())
            base = {'x': x, 'y': y, 'z': z, 'yaw': _yaw(shot.base.orientation)}
        posture = health.posture
        return {
            'name': self._figure.urdf.name if self._figure is not None else '',
            'bridge': health.bridge,
            'state': health.state,
            'reasons': list(health.reasons),
            'mode': health.mode,
            'real_time_factor': finite(health.real_time_factor),
            'temperature': finite(health.temperature),
            'margin': finite(self._margin),
            'base': base,
            'posture': dict(zip(('z', 'roll', 'pitch'), posture, strict=True))
            if posture
            else None,
            'fingers': [
                {
                    'name': name,
                    'unit': unit,
                    'value': finite(value),
                    'range': fingers.ranges.get(name),
                }
                for name, unit, value in zip(
                    fingers.names, fingers.units, fingers.values, strict=True
                )
            ],
        }

    def joints(self) -> list[list[Any]]:
        """What each joint does, for JSON.

        Returns:
            Of each: name, position [rad] or [m], how far it is from what it is told, effort
            [N m] or [N], temperature of its motor [°C]; None where that is not known.
        """
        shot, hot = self._last, self._source.temperatures()
        return [
            [
                name,
                finite(position),
                finite(shot.commands.get(name, math.nan) - position),
                finite(shot.efforts.get(name)),
                finite(hot.get(name)),
            ]
            for name, position in shot.joints.items()
        ]

    def _set_robot(self, text: str) -> None:
        text = with_paths(text)
        try:
            figure = Figure(text, self._source.base_link())
            shapes = shapes_of(visuals_of(text), figure.links)
        except SoftshellError as error:
            self._tell(f'the robot cannot be shown: {error}')
            return
        self._figure = figure
        self._path, self._drawn_path = [], 0
        self._scene.set_robot(shapes)
        weight = GRAVITY * figure.mass
        self._scene.fit(size_of(shapes, figure.poses({})), weight)

    def _walk(self, base: Array | None) -> None:
        """Note where the base has been."""
        if base is None or not np.isfinite(base).all():
            return
        place = base[:3, 3]
        if not self._path or np.linalg.norm((place - self._path[-1])[:2]) > STEP:
            self._path.append(np.array([place[0], place[1], 0.002]))
            self._path = self._path[-MOST_STEPS:]

    def _lines(self, shot: Snapshot, poses: Array, base: Array | None, watched: bool) -> None:
        """Draw what is about the robot, and see how safely it stands."""
        assert self._figure is not None
        feet = shot.feet
        standing = np.empty((0, 3))
        if feet is not None:
            there = self._figure.numbers(feet.names)
            if len(there) == len(feet.names):
                places = poses[there, :3, 3]
                standing = places[np.array(feet.touching, dtype=bool)]
        centre = self._figure.centre_of_mass(poses)
        polygon, self._margin = support(standing, centre)
        if not watched:
            return
        if len(self._path) != self._drawn_path:
            self._drawn_path = len(self._path)
            self._scene.draw_lines('path', [np.array(self._path)])
        ground = standing[:, 2].min() if len(standing) else 0.0
        corners = np.column_stack([polygon, np.full(len(polygon), ground)])
        self._scene.draw_lines('support', [corners], closed=True)
        self._draw_plan(shot, base)
        if len(shot.contact_points):
            self._scene.draw_forces(shot.contact_points, shot.contact_forces)
        elif feet is not None and len(there) == len(feet.names):
            self._scene.draw_forces(places, feet.force)
        else:
            self._scene.draw_forces(np.empty((0, 3)), np.empty((0, 3)))

    def _draw_plan(self, shot: Snapshot, base: Array | None) -> None:
        """Ways of the feet by the newest trajectory, which move with the base."""
        feet = self._source.feet()
        if shot.plan is not self._plan and self._figure is not None:
            self._plan = shot.plan
            self._curves = np.empty((0, 0, 3))
            if shot.plan is not None and feet:
                chosen = np.linspace(0, len(shot.plan) - 1, min(len(shot.plan), MOST_POINTS))
                rows = shot.plan[chosen.round().astype(int)]
                self._curves = self._figure.curves(shot.plan_joints, rows, feet)
        curves = self._curves
        if base is not None and curves.size:
            curves = curves @ base[:3, :3].T + base[:3, 3]
        self._scene.draw_lines('plan', list(curves))

    def _sample(self, shot: Snapshot) -> Mapping[str, float | None]:
        health = self._source.health()
        return {
            'tracking': shot.tracking(),
            'height': None if shot.base is None else float(shot.base.position[2]),
            'temperature': health.temperature,
            'real_time_factor': health.real_time_factor,
            'margin': self._margin,
        }


def size_of(shapes: Sequence[Shape], poses: Array) -> float:
    """Largest extent of a robot along x, y or z [m].

    Args:
        shapes: that it shows.
        poses: (links, 4, 4) of its links.
    """
    points = [
        shape.vertices @ poses[link, :3, :3].T + poses[link, :3, 3]
        for shape in shapes
        for link in shape.links
    ]
    if not points:
        return SMALLEST
    whole = np.concatenate(points)
    return max(SMALLEST, float((whole.max(axis=0) - whole.min(axis=0)).max()))


def _yaw(orientation: Array) -> float | None:
    """Heading of a quaternion [rad]; None of one that is no rotation."""
    try:
        return float(angles_from_rotation(rotation_from_quaternion(orientation))[0])
    except SoftshellError:
        return None


def finite(value: float | None) -> float | None:
    """For JSON, which knows no NaN."""
    return value if value is not None and math.isfinite(value) else None
