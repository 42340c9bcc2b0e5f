"""Which messages of a bag are of one clock, and in which order; needs no ROS.

A clock begins anew where a stack is started again while it is recorded, and single stamps may be
wrong. What is kept are stretches of a clock that follow one another, with the most messages.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_recording.assemble import times_of

#: A stretch of the clock ends where a stamp lies further back than this, or further ahead than
#: this and the time that has passed [s]. What comes less too late is of the same stretch.
JUMP = 0.5
#: With fewer messages a stretch the clock does not jump: it is the order that is wrong.
SHORTEST = 5
#: No recording has a gap as long as this: what lies further ahead is of another clock [s].
FAR = 86400.0

Rows = NDArray[np.intp]


def rows_of_one_clock(
    messages: Sequence[Any],
    walls: Sequence[int],
    name: str,
    tell: Callable[[str], None] = lambda line: None,
) -> Rows:
    """The messages of one clock, by their stamps; of equal stamps the first one counts.

    Args:
        messages: with stamps, in the order in which they came.
        walls: when each of them was received [ns].
        name: of their topic, and of the bag.
        tell: takes a line if some are left out, or do not count.

    Returns:
        (kept,) places in `messages`, those of equal stamps included.
    """
    if not messages:
        return np.empty(0, dtype=np.intp)
    stamps = times_of(list(messages))
    stretches = _stretches(stamps, 1e-9 * np.diff(np.array(walls, dtype=float)))
    kept = np.concatenate([stretches[place] for place in _following(stamps, stretches)])
    rows: Rows = kept[np.argsort(stamps[kept], kind='stable')]
    told = f'of {len(stamps)} messages are left out: '
    if len(rows) < len(stamps):
        first = stamps[np.setdiff1d(np.arange(len(stamps)), rows)[0]]
        tell(
            f'{name}: {len(stamps) - len(rows)} {told}the clock jumps, and most messages are from '
            f'{stamps[rows[0]]:.3f} to {stamps[rows[-1]]:.3f} s; the first of the others has the '
            f'stamp {first:.3f} s'
        )
    again = rows[1:][np.diff(stamps[rows]) <= 0.0]
    if len(again):
        tell(
            f'{name}: {len(again)} {told}their stamps are those of messages before, the first '
            f'{stamps[again[0]]:.3f} s; expected one message for each stamp'
        )
    return rows


def meanwhile(rows: Rows, walls: Sequence[int]) -> tuple[int, int] | None:
    """When messages of one clock came, if others of another clock came before or after.

    A single message, whose stamp may just be wrong, is no other clock.

    Args:
        rows: as from `rows_of_one_clock`.
        walls: when each message was received, also of those that are left out [ns].

    Returns:
        The times of the last message before and of the first one after [ns]; None if these are
        all.
    """
    first, last = int(rows.min()), int(rows.max())
    before, after = first > 1, len(walls) - 1 - last > 1
    if not before and not after:
        return None
    return (
        walls[first - 1] if before else np.iinfo(np.int64).min,
        walls[last + 1] if after else np.iinfo(np.int64).max,
    )


def ros_clock(messages: Sequence[Any], walls: Sequence[int]) -> Callable[[Sequence[int]], Array]:
    """A function from times of receipt [ns, wall] to the ROS clock [s].

    Args:
        messages: those with a stamp, by which the two clocks are compared; by their stamps.
        walls: when each of them was received [ns].
    """
    known, stamps = np.sort(np.array(walls, dtype=float)), times_of(list(messages))

    def moments(when: Sequence[int]) -> Array:
        times: Array = np.interp(np.array(when, dtype=float), known, stamps)
        return times

    return moments


def _stretches(stamps: Array, passed: Array) -> list[Rows]:
    """Rows that are cut where the clock jumps; all of them if only their order is wrong.

    Args:
        stamps: (messages,) [s].
        passed: (messages - 1,) from when each was received until the next one was [s].
    """
    steps = np.diff(stamps)
    jumps = np.flatnonzero((steps < -JUMP) | (steps > JUMP + passed))
    rows = np.arange(len(stamps))
    if len(rows) < SHORTEST * (len(jumps) + 1):
        return [rows]
    return np.split(rows, jumps + 1)


def _following(stamps: Array, stretches: Sequence[Rows]) -> list[int]:
    """The stretches that follow one another in time and have the most messages."""
    begins = np.array([stamps[rows].min() for rows in stretches])
    ends = np.array([stamps[rows].max() for rows in stretches])
    most = np.array([len(rows) for rows in stretches])
    before = np.full(len(stretches), -1)
    for place in range(1, len(stretches)):
        ahead = begins[place] - ends[:place]
        fits = np.flatnonzero((ahead > 0.0) & (ahead < FAR))
        if len(fits):
            before[place] = fits[np.argmax(most[fits])]
            most[place] += most[before[place]]
    chosen = [int(np.argmax(most))]
    while before[chosen[0]] >= 0:
        chosen.insert(0, int(before[chosen[0]]))
    return chosen
