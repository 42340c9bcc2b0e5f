"""A video of a robot from its recorded states; no display is needed."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from errno import EIO
from pathlib import Path

import imageio_ffmpeg

from softshell_description.model import RobotModel
from softshell_sim.pictures.render import (
    Camera,
    Motion,
    Picture,
    Studio,
    Subject,
    subject_of,
    targets_of,
)
from softshell_sim.pictures.visuals import NOTHING, Triangles

#: Pictures that are drawn ahead before they are encoded.
FRAMES_PER_CHUNK = 48

# It warns of every video that is interrupted, which here is no fault.
logging.getLogger('imageio_ffmpeg').setLevel(logging.ERROR)


def save_video(
    robot: RobotModel,
    motion: Motion,
    path: Path,
    frames_per_second: float,
    camera: Camera | None = None,
    tell: Callable[[int], None] = lambda drawn: None,
    beside: Callable[[int], Triangles] = lambda frame: NOTHING,
) -> None:
    """Draw every state of `motion` into an MP4 file, on all cores.

    Args:
        robot: the robot.
        motion: one state a frame.
        path: of the file.
        frames_per_second: of the video.
        camera: default: one that has the whole robot in view.
        tell: takes the number of frames drawn so far.
        beside: gives further triangles in the world, by the number of the frame.

    Raises:
        OSError: the file could not be written, or cannot be read back whole.
    """
    camera = camera or Camera()
    subject = subject_of(robot, motion)
    pictures = draw_all(motion, subject, camera, frames_per_second, beside)
    write_video(pictures, len(motion.positions), camera, path, frames_per_second, tell)


def write_video(
    pictures: Iterable[Picture],
    count: int,
    camera: Camera,
    path: Path,
    frames_per_second: float,
    tell: Callable[[int], None] = lambda drawn: None,
) -> None:
    """Write pictures into an MP4 file.

    Args:
        pictures: one a frame.
        count: number of pictures.
        camera: that took them; it has their size.
        path: of the file.
        frames_per_second: of the video.
        tell: takes the number of frames written so far.

    Raises:
        OSError: the file could not be written, or cannot be read back whole.
    """
    # The encoder does not report a full disk in a usable way; the file is read back instead.
    writer = imageio_ffmpeg.write_frames(
        str(path),
        (camera.width, camera.height),
        fps=frames_per_second,
        quality=7,
        macro_block_size=8,
        ffmpeg_log_level='quiet',
    )
    # If drawing is interrupted, the encoder is ended too; it would go on otherwise.
    with closing(writer):
        writer.send(None)
        for drawn, picture in enumerate(pictures, 1):
            try:
                writer.send(picture)
            except OSError as error:
                said = str(error).partition('\n')[0]
                text = (
                    f'the encoder ended at picture {drawn} of {count}: {said}; is the disk full?'
                )
                raise OSError(EIO, text, str(path)) from error
            tell(drawn)
    _read_back(path, count)


def _read_back(path: Path, frames: int) -> None:
    """Check that a video has so many frames.

    Raises:
        OSError: it cannot be read, or has another number of frames.
    """
    try:
        written, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    except RuntimeError:
        written = 0
    if written != frames:
        text = f'{written} of {frames} pictures can be read back; is the disk full?'
        raise OSError(EIO, text, str(path))


def draw_all(
    motion: Motion,
    subject: Subject,
    camera: Camera,
    frames_per_second: float,
    beside: Callable[[int], Triangles] = lambda row: NOTHING,
) -> Iterator[Picture]:
    """Pictures in order, drawn by several threads: the compiled functions release the GIL.

    Args:
        motion: one state a picture.
        subject: the robot.
        camera: goes along with it.
        frames_per_second: of the states.
        beside: gives further triangles in the world, by the row of the state.
    """
    studio, targets = Studio(subject), targets_of(motion, subject, frames_per_second)

    def draw(row: int) -> Picture:
        return studio.draw(motion[[row]], targets[row], camera, beside(row))

    count = len(motion.positions)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for start in range(0, count, FRAMES_PER_CHUNK):
            rows = range(start, min(start + FRAMES_PER_CHUNK, count))
            yield from pool.map(draw, rows)
