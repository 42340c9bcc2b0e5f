"""The show: makes scene, plots and numbers from measurements; needs no server and no ROS."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softshell_common.gravity import GRAVITY
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

#: Distance between two points of the path of the base [m], and how many of them are kept.
STEP, MOST_STEPS = 0.02, 1500
#: Period at which lines and forces are drawn, and period of all updates while nobody watches [s].
LINES_PERIOD, IDLE_PERIOD = 0.1, 0.2
#: Least size of a robot for the camera, e.g. of one without visual meshes [m].
SMALLEST = 0.05
#: Most points of the planned path of a foot.
MOST_POINTS = 60
#: Height above the ground at which the path of the base is drawn [m].
ABOVE = 0.002


class Show:
    """Keeps scene, plots and numbers up to date.

    Args:
        source: of measurements.
        scene: in which they are shown.
        tell: called with a line of text if something cannot be shown.
        now: a clock that never runs backwards [s].

    Attributes:
        history: samples for the plots.
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
        self._path_is_drawn = True
        self._plan: Array | None = None
        self._curves: Array = np.empty((0, 0, 3))
        self._lines_at = self._idle_at = -math.inf
        self._margin: float | None = None
        self._last = Snapshot()

    def step(self, watched: bool, follow: bool, all_contacts: bool) -> None:
        """Update the scene, the plots and the numbers.

        Args:
            watched: whether any page shows the scene; if not, little is done.
            follow: whether the robot stays in the middle of the scene.
            all_contacts: whether to show all contacts of a simulation; otherwise only the feet.
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
        """The state of the robot that a page shows as numbers and text, for JSON."""
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
        """The table of joints, for JSON.

        Returns:
            For each joint: name, position [rad] or [m], command minus position, effort [N m] or
            [N] and temperature of its motor [°C]; None for what is not known.
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
        self._path, self._path_is_drawn = [], True
        self._scene.set_robot(shapes)
        weight = GRAVITY * figure.mass
        self._scene.fit(size_of(shapes, figure.poses({})), weight)

    def _walk(self, base: Array | None) -> None:
        """Add the position of the base to its path."""
        if base is None or not np.isfinite(base).all():
            return
        place = base[:3, 3]
        if not self._path or np.linalg.norm((place - self._path[-1])[:2]) > STEP:
            self._path.append(np.array([place[0], place[1], ABOVE]))
            self._path = self._path[-MOST_STEPS:]
            self._path_is_drawn = False

    def _lines(self, shot: Snapshot, poses: Array, base: Array | None, watched: bool) -> None:
        """Draw path, support polygon, plan and forces; computes the stability margin."""
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
        if not self._path_is_drawn:
            self._path_is_drawn = True
            self._scene.draw_lines('path', [np.array(self._path)])
        ground = standing[:, 2].min() if len(standing) else 0.0
        corners = np.column_stack([polygon, np.full(len(polygon), ground)])
        self._scene.draw_lines('support', [corners], closed=True)
        self._draw_plan(shot, base)
        if len(shot.contact_points):
            self._scene.draw_forces(shot.contact_points, _lifting(shot.contact_forces))
        elif feet is not None and len(there) == len(feet.names):
            self._scene.draw_forces(places, feet.force)
        else:
            self._scene.draw_forces(np.empty((0, 3)), np.empty((0, 3)))

    def _draw_plan(self, shot: Snapshot, base: Array | None) -> None:
        """Draw the paths of the feet in the newest trajectory; they move with the base."""
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
    """Largest extent of a robot along x, y or z [m], at least `SMALLEST`.

    Args:
        shapes: of its links.
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


def _lifting(forces: Array) -> Array:
    """(contacts, 3) of each contact the force on that of its two bodies which it lifts.

    Of a force and its reaction a simulation reports either, e.g. that on the floor.
    """
    return np.where(forces[:, 2:] < 0.0, -forces, forces)


def _yaw(orientation: Array) -> float | None:
    """Yaw of a quaternion x, y, z, w [rad]; None if the quaternion is no rotation."""
    try:
        return float(angles_from_rotation(rotation_from_quaternion(orientation))[0])
    except SoftshellError:
        return None


def finite(value: float | None) -> float | None:
    """A number for JSON: None if it is not finite, because JSON has no NaN."""
    return value if value is not None and math.isfinite(value) else None
