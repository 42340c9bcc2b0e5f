"""An animated picture of an action, not simulated: the robot, and the trails of its tips."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from PIL import Image, ImageDraw, ImageFont

from softshell_common.output_folder import OutputFolder
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_recording.rehearsed import Rehearsed
from softshell_sim.pictures.gif import save_gif
from softshell_sim.pictures.render import Camera, Picture, Subject, subject_of
from softshell_sim.pictures.video import draw_all, write_video
from softshell_sim.pictures.visuals import Triangles, joined

#: Pictures of each kind: their camera, and the time between two frames [s].
GIF, VIDEO = '.gif', '.mp4'
CAMERAS = {
    GIF: Camera(400, 300, distance=1.3, yaw=25.0, pitch=-32.0),
    VIDEO: Camera(640, 480, distance=1.3, yaw=25.0, pitch=-32.0),
}
PERIODS = {GIF: 0.08, VIDEO: 0.04}
#: How long the last picture is shown [s].
REST = 0.6
#: An action that would need more frames is shown faster.
MOST_FRAMES = 600
#: Space that the file may take [B].
SIZE = 30e6
#: Thickness of a trail, as a part of the robot's size.
THICKNESS = 0.006
#: Colour of the caption, and its height as a part of the height of the picture.
CAPTION, LETTERS = (70, 70, 70), 0.06


def kind_of(path: Path) -> str:
    """Which kind of animated picture a file is, from its suffix: `GIF` or `VIDEO`.

    Raises:
        SoftshellError: the suffix is another one.
    """
    kind = path.suffix.lower()
    if kind not in PERIODS:
        raise SoftshellError(f'{path}: expected a name that ends in {" or ".join(PERIODS)}')
    return kind


def save_preview(
    robot: RobotModel,
    rehearsed: Rehearsed,
    path: Path,
    tell: Callable[[float], None] = lambda done: None,
) -> float:
    """Draw what an action does into a GIF or an MP4 file.

    Args:
        robot: the robot.
        rehearsed: what the action does.
        path: of the file; its suffix says which.
        tell: takes the share that is drawn, 0 to 1.

    Returns:
        How many times faster than real time it is shown.

    Raises:
        SoftshellError: the file is of another kind, or could not be written.
    """
    kind = kind_of(path)
    output = OutputFolder(path.parent, SIZE)
    camera, period = CAMERAS[kind], PERIODS[kind]
    length = float(rehearsed.times[-1]) + REST
    count = min(MOST_FRAMES, 1 + int(length / period))
    faster = max(1.0, length / (count * period))
    shown = rehearsed.at(np.linspace(0.0, (count - 1) * period * faster, count))
    subject = subject_of(robot, rehearsed.motion[[0]])
    trails = _tubes(shown, THICKNESS * subject.size)
    frames = _frames(shown, subject, camera, period, trails)
    with output.new_file(path.name) as file:
        if kind == GIF:
            ends = shown.motion[[0, count - 1]]
            # The first and the last picture have all colours.
            typical = [
                *draw_all(ends, subject, camera, 1.0, lambda row: joined(trails if row else []))
            ]
            save_gif(frames, typical, file, period, lambda drawn: tell(drawn / count))
        else:
            rate = 1.0 / period
            write_video(frames, count, camera, file, rate, lambda drawn: tell(drawn / count))
    return faster


def _frames(
    shown: Rehearsed,
    subject: Subject,
    camera: Camera,
    period: float,
    trails: list[Triangles],
) -> Iterator[Picture]:
    pictures = draw_all(
        shown.motion, subject, camera, 1.0 / period, lambda row: _until(trails, row)
    )
    for picture, name, time in zip(pictures, shown.names, shown.times, strict=True):
        yield captioned(picture, f'{name}  {time:.1f} s')


def captioned(picture: Picture, text: str) -> Picture:
    """A picture with a line of text in its lower left corner."""
    image = Image.fromarray(picture)
    height = LETTERS * image.height
    place = (height / 2, image.height - height / 2)
    font = ImageFont.load_default(height)
    ImageDraw.Draw(image).text(place, text, CAPTION, font, anchor='ls')
    return np.asarray(image)


def _tubes(shown: Rehearsed, radius: float) -> list[Triangles]:
    """For each two frames that follow each other, the trails between them."""
    colours = colormaps['tab10'].colors  # type: ignore[attr-defined]
    count = len(shown.times) - 1
    tubes = [
        [
            tube(path[row], path[row + 1], radius, colours[place % len(colours)])
            for place, path in enumerate(shown.trails.values())
        ]
        for row in range(count)
    ]
    return [joined(parts) for parts in tubes]


def _until(trails: list[Triangles], row: int) -> Triangles:
    return joined(trails[:row])


def tube(begin: Array, end: Array, radius: float, colour: tuple[float, float, float]) -> Triangles:
    """A square tube between two points.

    Args:
        begin, end: (3,) [m].
        radius: of the circle around its section [m].
        colour: red, green and blue, 0 to 1.
    """
    along = end - begin
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        return joined([])
    aside = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    aside *= radius / np.linalg.norm(aside)
    up = np.cross(along, aside) / length
    ring = np.array([aside, up, -aside, -up])
    after = np.roll(ring, -1, axis=0)
    corners = np.concatenate([
        np.stack([begin + ring, begin + after, end + ring], axis=1),
        np.stack([end + ring, begin + after, end + after], axis=1),
    ])  # fmt: skip
    outward = (ring + after) / np.linalg.norm(ring + after, axis=1, keepdims=True)
    normals = np.repeat(np.tile(outward, (2, 1))[:, None], 3, axis=1)
    return Triangles(corners, normals, np.tile(colour, (len(corners), 1)))
