"""Makes short animations from videos, small enough for a README."""

from collections.abc import Iterator
from pathlib import Path

import imageio_ffmpeg
from PIL import Image

from softshell_kinematics.errors import SoftshellError

WIDTH = 320  # [pixels]
RATE = 12.0  # [pictures/s] of a loop
QUALITY = 45  # of WebP, 0 to 100


def save_loop(video: Path, path: Path, begin: float, seconds: float, speed: float) -> None:
    """Write a part of a video as an animated WebP that repeats without end.

    Args:
        video: path of the video.
        path: path of the animation.
        begin: where the part begins, as a part of the whole, 0 to 1.
        seconds: length of the part in the video [s]; it may end earlier with the video.
        speed: speed of the animation over that of the video.

    Raises:
        SoftshellError: there is no such video, or no picture in that part.
        OSError: the animation cannot be written.
    """
    if not video.is_file():
        raise SoftshellError(f'{video}: no such video')
    pictures = [*_part(video, begin, seconds, speed / RATE)]
    if not pictures:
        raise SoftshellError(f'{video}: has no pictures after {begin:g} of its length')
    first, *others = pictures
    whole = path.with_name(f'.{path.name}')
    first.save(
        whole, format='WEBP', save_all=True, append_images=others, duration=round(1000 / RATE),
        loop=0, quality=QUALITY, method=6,
    )  # fmt: skip
    whole.replace(path)


def _part(video: Path, begin: float, seconds: float, period: float) -> Iterator[Image.Image]:
    """The pictures of a part, one in each period [s] of the video."""
    frames = imageio_ffmpeg.read_frames(str(video))
    about = next(frames)
    rate, size = about['fps'], about['size']
    first = begin * about['duration']
    due = first
    for index, frame in enumerate(frames):
        time = index / rate
        if time > first + seconds:
            break
        if time >= due:
            due += period
            picture = Image.frombytes('RGB', size, frame)
            yield picture.resize(
                (WIDTH, round(WIDTH * size[1] / size[0])), Image.Resampling.LANCZOS
            )
    frames.close()
