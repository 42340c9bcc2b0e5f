"""What a stream that may be a terminal can show; needs no ROS."""

import os
from typing import TextIO


def obeys_codes(stream: TextIO) -> bool:
    """Whether a stream is a terminal that obeys escape sequences.

    One that does not would show them: a dumb one, or one of which nobody says what kind it is.
    """
    return stream.isatty() and os.environ.get('TERM') not in (None, '', 'dumb')
