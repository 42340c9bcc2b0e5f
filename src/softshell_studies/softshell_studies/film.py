"""Pictures of an engine's world while an experiment runs; no display is needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.engine import Engine
from softshell_sim.sensing.camera import OPTICAL, View

#: Pictures of the video in a second.
RATE = 25.0
#: Pictures beside each other in the overview.
ACROSS = 4


def view_from(
    eye: ArrayLike, target: ArrayLike, width: int = 480, height: int = 360, field: float = 0.9
) -> View:
    """What is seen from a (3,) point that looks at another, upright [m].

    Args:
        eye: where the camera is.
        target: what is in the middle of the picture; not straight above or below.
        width, height: of the picture [pixels].
        field: angle from the left edge to the right one [rad].
    """
    at, ahead = np.asarray(eye, float), np.asarray(target, float) - np.asarray(eye, float)
    ahead = ahead / np.linalg.norm(ahead)
    left = np.cross([0.0, 0.0, 1.0], ahead)
    left /= np.linalg.norm(left)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([ahead, left, np.cross(ahead, left)]) @ OPTICAL
    pose[:3, 3] = at
    distance = float(np.linalg.norm(np.asarray(target, float) - at))
    return View(pose, width, height, field, 0.02 * distance, 50.0 * distance)


@dataclass
class Film:
    """Takes pictures in equal times, till it is saved.

    Attributes:
        speed: how much faster than real time the video goes.
        wanted: whether any pictures are taken at all.
    """

    speed: float = 1.0
    wanted: bool = True

    def __post_init__(self) -> None:
        self._pictures: list[NDArray[np.uint8]] = []
        self._due = 0.0

    def look(self, engine: Engine, view: View, time: float) -> None:
        """Take a picture if one is due.

        Args:
            engine: whose world is seen.
            view: of it.
            time: since the begin [s].
        """
        self.take(lambda: engine.picture(view).rgb, time)

    def take(self, picture: Callable[[], NDArray[np.uint8]], time: float) -> None:
        """Take a picture if one is due.

        Args:
            picture: gives one, (height, width, 3).
            time: since the begin [s].
        """
        if self.wanted and time >= self._due - 1e-9:
            self._pictures.append(picture())
            self._due += self.speed / RATE

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write `NAME.mp4`, and `NAME.png` of eight pictures of it; nothing if there are none.

        Args:
            folder: that is there.
            name: of the files, without ending.

        Returns:
            The files.

        Raises:
            OSError: they cannot be written.
        """
        if not self._pictures:
            return []
        from matplotlib.image import imsave

        from softshell_sim.pictures.render import Camera
        from softshell_sim.pictures.video import write_video

        height, width, _ = self._pictures[0].shape
        video, overview = folder / f'{name}.mp4', folder / f'{name}.png'
        camera = Camera(width, height)
        write_video(self._pictures, len(self._pictures), camera, video, RATE)
        imsave(overview, _beside(self._pictures))
        return [video, overview]


def _beside(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Pictures of equal times in two rows."""
    places = np.linspace(0, len(pictures) - 1, 2 * ACROSS).round().astype(int)
    rows = [np.hstack([pictures[k] for k in places[row : row + ACROSS]]) for row in (0, ACROSS)]
    return np.vstack(rows)


def eye_about(target: Array, distance: float, yaw: float, pitch: float) -> Array:
    """(3,) a point from which another is seen: so far away, from this side and so far above.

    Args:
        target: (3,) what is looked at [m].
        distance: from it [m].
        yaw: of the way from it to the eye, from x to y [rad].
        pitch: of that way above the ground [rad].
    """
    level = np.cos(pitch)
    return target + distance * np.array([level * np.cos(yaw), level * np.sin(yaw), np.sin(pitch)])
