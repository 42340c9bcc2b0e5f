"""Pictures of an engine's world while an experiment runs; no display is needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.physics.engine import Engine
from softshell_sim.sensing.camera import OPTICAL, View

#: Frame rate of the video [1/s].
RATE = 25.0
#: Pictures in each of the two rows of the overview.
ACROSS = 4


def view_from(
    eye: ArrayLike, target: ArrayLike, width: int = 480, height: int = 360, field: float = 0.9
) -> View:
    """The view of an upright camera that looks at a point.

    Args:
        eye: (3,) position of the camera in the world [m].
        target: (3,) point in the middle of the picture [m]; not straight above or below `eye`.
        width, height: size of the picture [pixels].
        field: horizontal angle of view [rad].
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
    """Takes pictures at a fixed rate and writes them as a video.

    Attributes:
        speed: how many times as fast as real time the video plays.
        wanted: whether pictures are taken; if not, nothing is rendered or saved.
    """

    speed: float = 1.0
    wanted: bool = True

    def __post_init__(self) -> None:
        self._pictures: list[NDArray[np.uint8]] = []
        self._due = 0.0

    def look(self, engine: Engine, view: View, time: float) -> None:
        """Take a picture if one is due.

        Args:
            engine: renders the picture.
            view: of its camera.
            time: since the start of the experiment [s].
        """
        self.take(lambda: engine.picture(view).rgb, time)

    def take(self, picture: Callable[[], NDArray[np.uint8]], time: float) -> None:
        """Take a picture if one is due; it is repeated for each that was due since the last one.

        Args:
            picture: renders a picture, (height, width, 3); called only if one is due.
            time: since the start of the experiment [s].
        """
        if self.wanted and time >= self._due - 1e-9:
            seen = picture()
            while time >= self._due - 1e-9:
                self._pictures.append(seen)
                self._due += self.speed / RATE

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write the video `NAME.mp4`, and `NAME.png` with eight of its pictures.

        Args:
            folder: an existing folder.
            name: of the files, without their endings.

        Returns:
            The paths of both files; empty if no picture was taken.

        Raises:
            OSError: a file cannot be written.
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
    """Eight of the pictures, evenly spread over the video, in two rows."""
    places = np.linspace(0, len(pictures) - 1, 2 * ACROSS).round().astype(int)
    rows = [np.hstack([pictures[k] for k in places[row : row + ACROSS]]) for row in (0, ACROSS)]
    return np.vstack(rows)


def eye_about(target: Array, distance: float, yaw: float, pitch: float) -> Array:
    """(3,) the position of a camera at a distance and a direction from its target [m].

    Args:
        target: (3,) the point that the camera looks at [m].
        distance: from the target to the camera [m].
        yaw: direction from the target to the camera, from x towards y [rad].
        pitch: angle of that direction above the ground [rad].
    """
    level = np.cos(pitch)
    return target + distance * np.array([level * np.cos(yaw), level * np.sin(yaw), np.sin(pitch)])
