"""An animated GIF of pictures."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from softshell_sim.pictures.render import Picture

#: Colours of a GIF.
COLOURS = 256


def save_gif(
    pictures: Iterable[Picture],
    typical: Sequence[Picture],
    path: Path,
    period: float,
    tell: Callable[[int], None] = lambda drawn: None,
) -> None:
    """Write pictures into a GIF that begins again when it ends.

    Args:
        pictures: one a frame, all of one size.
        typical: pictures that have all their colours, of the same size.
        path: of the file.
        period: for which a frame is shown, in whole hundredths of a second [s].
        tell: takes the number of frames drawn so far.

    Raises:
        OSError: the file could not be written.
    """
    palette = Image.fromarray(np.concatenate(typical)).quantize(COLOURS, Image.Quantize.MEDIANCUT)

    def frames() -> Iterator[Image.Image]:
        for drawn, picture in enumerate(pictures, 1):
            # Without dither, which would let all that stands still flicker.
            yield Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
            tell(drawn)

    rest = frames()
    first = next(rest)
    milliseconds = round(100.0 * period) * 10
    first.save(
        path, format='GIF', save_all=True, append_images=rest, duration=milliseconds, loop=0
    )
