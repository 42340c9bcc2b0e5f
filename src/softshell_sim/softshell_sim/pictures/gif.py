"""An animated GIF of pictures."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from softshell_sim.pictures.render import Picture

#: Most colours that a GIF can have.
COLOURS = 256


def save_gif(
    pictures: Iterable[Picture],
    typical: Sequence[Picture],
    path: Path,
    period: float,
    tell: Callable[[int], None] = lambda drawn: None,
) -> None:
    """Write pictures into a GIF that is repeated without end.

    Args:
        pictures: one or more, one for each frame, all of one size.
        typical: pictures of the same size, from which the colours of the GIF are chosen.
        path: of the file.
        period: how long a frame is shown [s]; a GIF counts hundredths of a second.
        tell: takes the number of frames drawn so far.

    Raises:
        OSError: the file could not be written.
    """
    palette = Image.fromarray(np.concatenate(typical)).quantize(COLOURS, Image.Quantize.MEDIANCUT)

    def frames() -> Iterator[Image.Image]:
        for drawn, picture in enumerate(pictures, 1):
            # Dither would make still parts of the picture flicker.
            yield Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
            tell(drawn)

    rest = frames()
    first = next(rest)
    milliseconds = round(100.0 * period) * 10
    first.save(
        path, format='GIF', save_all=True, append_images=rest, duration=milliseconds, loop=0
    )
