"""The core of the dashboard: desk, show and log of one robot; needs no server and no ROS."""

import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softshell_dashboard import messages
from softshell_dashboard.desk import Desk
from softshell_dashboard.journal import Journal, Kind
from softshell_dashboard.keys import bindings_for
from softshell_dashboard.protocols import Robot, Scene, Source
from softshell_dashboard.seats import Visitor
from softshell_dashboard.settings import PageSettings
from softshell_dashboard.show import Show, finite
from softshell_kinematics.arrays import Array
from softshell_sim.scenes.scene_file import OWN_BODIES
from softshell_teleop.offer import Action
from softshell_teleop.settings import Settings

#: Most bodies of a simulated world that a page lists.
MOST_BODIES = 200
#: Time between two checks for bodies that were added or removed, and for unused cameras [s].
WORLD_PERIOD = 0.5

#: The shapes of a body, as `Scene.set_body` takes them.
Looks = list[tuple[Array, Array, Array]]


class Station:
    """Desk, show and log of one robot.

    Args:
        keys: key map, speeds and steps, as for the keyboard.
        page: settings of the page.
        robot: that is commanded.
        source: of measurements.
        scene: in which they are shown.
        journal: the log.
        now: a clock that never runs backwards [s].

    Attributes:
        desk: the visitors, and the commands of the one who drives.
        show: keeps the scene, the plots and the numbers up to date.
        journal: the log.
    """

    def __init__(
        self,
        keys: Settings,
        page: PageSettings,
        robot: Robot,
        source: Source,
        scene: Scene,
        journal: Journal,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keys, self._page, self._robot, self._source = keys, page, robot, source
        self._scene, self.journal, self._now = scene, journal, now
        self.desk = Desk(keys, robot, journal, page.hold_timeout, now)
        self.show = Show(source, scene, self.warn, now)
        self._offer: dict[str, Any] = {}
        self._offered: object = None
        self._world_at = 0.0
        self._shown_bodies: object = None
        self._looks: dict[str, Looks] = {}

    def step(self, watched: bool) -> bool:
        """Do what is due.

        Args:
            watched: whether any page shows the scene.

        Returns:
            False once ROS is shut down.
        """
        alive = self._robot.poll()
        self.desk.step()
        try:
            self._bring_up_to_date(watched)
        except Exception:  # driving has to go on, whatever cannot be shown
            self.warn(f'the scene cannot be updated: {traceback.format_exc().splitlines()[-1]}')
        return alive

    def offer(self) -> dict[str, Any]:
        """What the robot can do, for JSON; the same object as long as nothing has changed."""
        offer = self._robot.offer()
        if offer is not self._offered or not self._offer:
            self._offered = offer
            actions = self._robot.actions
            names = {one.name for one in actions}
            drive = self._keys.drive
            self._offer = {
                'type': 'offer',
                'ready': offer is not None,
                'actions': [action_dict(one) for one in actions],
                'gaits': list(offer.gaits) if offer else [],
                'walks': bool(offer and offer.walks),
                'poses': _ranges(offer) if offer and offer.poses else None,
                'modes': {
                    label: name for label, name in self._page.modes.items() if name in names
                },
                'bodies': {name: one.text() for name, one in self._page.bodies.items()},
                'keys': bindings_for(self._keys, offer),
                'speed': {
                    'minimum': drive.speed_minimum,
                    'maximum': drive.speed_maximum,
                    'linear': drive.linear,
                    'angular': drive.angular,
                },
            }
        return self._offer

    def numbers(self) -> dict[str, Any]:
        """The state of the robot, for JSON; the same for all visitors."""
        bodies = self._robot.bodies
        return {
            **self.show.numbers(),
            'running': [
                {
                    'name': one.name,
                    'part': one.sub_action,
                    'progress': finite(round(one.progress, 3)),
                }
                for one in self._robot.executions
            ],
            'world': None
            if bodies is None
            else [one.name for one in bodies if one.name not in OWN_BODIES][:MOST_BODIES],
            'cameras': list(self._source.cameras()),
        }

    def heed(self, visitor: Visitor, message: messages.Message) -> None:
        """Do what a message of a visitor asks for; see `Desk.heed`.

        Raises:
            SoftshellError: the message is refused; the text says why.
        """
        self.desk.heed(visitor, message)

    def picture(self, camera: str) -> bytes | None:
        """The newest picture of a camera as JPEG; None if there is none."""
        return self._source.picture(camera)

    def note_refusal(self, visitor: Visitor, text: str) -> None:
        """Log that a message of a visitor was refused, and why."""
        self.journal.add(Kind.REFUSED, f'{visitor.name}: {text}', time.time())

    def warn(self, text: str) -> None:
        """Log a warning."""
        self.journal.add(Kind.WARNING, text, time.time())

    def _bring_up_to_date(self, watched: bool) -> None:
        view = self.desk.view
        self.show.step(watched, view.follow, view.contacts)
        now = self._now()
        if now >= self._world_at:
            self._world_at = now + WORLD_PERIOD
            self._robot.look_at_world(self._source.body_names())
            self._show_bodies()
            self._source.close_unwanted()

    def _show_bodies(self) -> None:
        bodies = self._robot.bodies
        if bodies is self._shown_bodies:
            return
        self._shown_bodies = bodies
        before = self._looks
        self._looks = {
            body.name: [_shape(one) for one in body.shapes]
            for body in bodies or ()
            if len(body.shapes)
        }
        for name in before.keys() - self._looks.keys():
            self._scene.remove_body(name)
        for body in bodies or ():
            looks = self._looks.get(body.name, [])
            if looks and not _alike(looks, before.get(body.name, [])):
                self._scene.set_body(body.name, looks)
                p, q = body.pose.position, body.pose.orientation
                position, turn = np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])
                self._scene.move_body(body.name, position, turn)


def action_dict(action: Action) -> Mapping[str, Any]:
    """An action and its parameters, for JSON."""
    return {
        'name': action.name,
        'description': action.description,
        'parameters': [
            {
                'name': one.name,
                'default': finite(one.default_value),
                'minimum': finite(one.minimum),
                'maximum': finite(one.maximum),
                'unit': one.unit,
                'meaning': one.meaning,
            }
            for one in action.parameters
        ],
    }


def _ranges(offer: Any) -> dict[str, tuple[float, float]] | None:
    """Ranges of height [m], roll and pitch [rad] of the base; None if any is not finite."""
    ranges = {'z': offer.height, 'roll': offer.roll, 'pitch': offer.pitch}
    return ranges if np.isfinite(list(ranges.values())).all() else None


def _alike(one: Looks, other: Looks) -> bool:
    """Whether two bodies look the same."""
    return len(one) == len(other) and all(
        np.array_equal(a, b)
        for shape, counterpart in zip(one, other, strict=True)
        for a, b in zip(shape, counterpart, strict=True)
    )


def _shape(shape: Any) -> tuple[Array, Array, Array]:
    """Vertices (n, 3) [m], triangles (m, 3) and colour of a shape of a body."""
    return (
        np.asarray(shape.vertices, dtype=float).reshape(-1, 3),
        np.asarray(shape.triangles).reshape(-1, 3),
        np.asarray(shape.color, dtype=float),
    )
