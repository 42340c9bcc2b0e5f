"""Output of the interface: lines that scroll, and a status line that is redrawn in place."""

import contextlib
import math
import os
import unicodedata
from dataclasses import dataclass
from typing import TextIO

from softshell_common.terminal import obeys_codes
from softshell_teleop.offer import Offer
from softshell_teleop.settings import Settings

_ARROWS = {'up': '↑', 'down': '↓', 'left': '←', 'right': '→'}
_GROUPS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ('walk', (('forward', 'backward'), ('left', 'right'), ('turn_left', 'turn_right'))),
    (
        'base',
        (
            ('raise', 'lower'),
            ('tilt_forward', 'tilt_backward'),
            ('tilt_left', 'tilt_right'),
            ('level',),
        ),
    ),
    ('action', ()),  # those of the settings
    ('speed', (('faster', 'slower'),)),
    ('gait', (('next_gait',),)),
    ('other', (('stop', 'emergency_stop'), ('help', 'keys'), ('exit',))),
)


class Screen:
    """Prints to a terminal; to a dumb one or anything else, plain lines without a status line.

    Args:
        stream: where to print.

    Attributes:
        interactive: whether it is a terminal that obeys escape sequences.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.interactive = obeys_codes(stream)
        self._colours = self.interactive and 'NO_COLOR' not in os.environ
        self._status = ''
        self._drawn = ''

    def print(self, text: str, style: str = '') -> None:
        """Print lines above the status line. `style` is an SGR parameter, e.g. `33`."""
        if self.interactive:
            self._write('\r\x1b[K')
        if style and self._colours:
            text = '\n'.join(f'\x1b[{style}m{line}\x1b[0m' for line in text.split('\n'))
        self._write(text + '\n')
        self._drawn = ''
        self._draw()

    def status(self, text: str) -> None:
        """Redraw the status line, cut to the width of the terminal as it is now."""
        self._status = text
        if self.interactive:
            self._draw()

    def end(self) -> None:
        """Remove the status line; the cursor is then on an empty line."""
        if self.interactive:
            self._status = self._drawn = ''
            self._write('\r\x1b[K')

    def _draw(self) -> None:
        if not (self.interactive and self._status):
            return
        shown = clipped(self._status, self._columns() - 1)
        if shown == self._drawn:
            return
        self._drawn = shown
        dim = f'\x1b[7m{shown}\x1b[0m' if self._colours else shown
        self._write(f'\r{dim}\x1b[K')

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def _write(self, text: str) -> None:
        """Print; errors are ignored: if the terminal hung up, reading its keys ends the loop."""
        encoding = self._stream.encoding or 'utf-8'
        text = text.encode(encoding, 'replace').decode(encoding)
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


@dataclass(frozen=True)
class Reading:
    """The pose of the base as last measured, in odom.

    Attributes:
        x, y, z: position [m].
        roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll) [rad].
        age: time since it was received [s].
    """

    x: float
    y: float
    z: float
    roll: float
    pitch: float
    yaw: float
    age: float


def status_text(reading: Reading | None, speed: float, doing: str) -> str:
    """The status line; the most important part comes first, since narrow terminals cut it.

    Args:
        reading: the pose of the base; None before the first odometry.
        speed: factor of the speeds.
        doing: what the robot does, in a few words; may be empty.
    """
    if reading is None:
        base = 'base: waiting for odom'
    elif reading.age > 1.0:
        base = f'base: no odom for {reading.age:.0f} s'
    else:
        roll, pitch, yaw = (
            math.degrees(angle) for angle in (reading.roll, reading.pitch, reading.yaw)
        )
        base = (
            f'height {reading.z:.3f} m  rpy {roll:+5.1f} {pitch:+5.1f} {yaw:+6.1f}°  '
            f'at {reading.x:+.2f} {reading.y:+.2f} m'
        )
    return f' {base}  speed ×{speed:.2f}' + (f'  {doing}' if doing else '')


def clipped(text: str, columns: int) -> str:
    """`text` cut to a width in columns; control characters become spaces."""
    out, used = [], 0
    for character in text:
        if not character.isprintable():
            character = ' '
        wide = 2 if unicodedata.east_asian_width(character) in 'WF' else 1
        if used + wide > columns:
            break
        out.append(character)
        used += wide
    return ''.join(out)


def key_table(settings: Settings, offer: Offer | None = None) -> str:
    """The key map as a table of at most 60 columns.

    Args:
        settings: the key map.
        offer: what the robot can be asked for; keys for anything else are left out. None: not
            known yet; no key is left out.
    """
    keys = settings.keys.model_dump(by_alias=True)
    actions = tuple(name for name in settings.actions if offer is None or name in offer.actions)
    hidden = _hidden(offer)
    lines = []
    for title, pairs in _GROUPS:
        if title in hidden:
            continue
        if title == 'action':
            pairs = tuple(actions[start : start + 2] for start in range(0, len(actions), 2))
        named = settings.actions if title == 'action' else keys
        for place, names in enumerate(pairs):
            shown = '' if place else title
            entries = ''.join(f'{_entry(named[name], name):<25}' for name in names)
            lines.append(f'  {shown:<8}{entries}'.rstrip())
    return '\n'.join(lines)


def _hidden(offer: Offer | None) -> set[str]:
    """Titles of the groups of keys that this robot cannot use."""
    if offer is None:
        return set()
    used = {
        'walk': offer.walks,
        'speed': offer.walks,
        'gait': len(offer.gaits) > 1,
        'base': offer.poses,
    }
    return {title for title, is_used in used.items() if not is_used}


def help_text(settings: Settings, offer: Offer | None = None) -> str:
    """The help text, for a first-time user; for the arguments see `key_table`."""
    hold = settings.hold
    return (
        'softshell keyboard: hold a key to walk, release it to stop\n\n'
        f'{key_table(settings, offer)}\n\n'
        f'  A tap walks for {hold.first:g} s; a held key ends {hold.repeat:g} s after release.\n'
        '  The robot then ends its stride, which takes a second or two.\n'
        '  Exit (also Ctrl-C, Ctrl-D) ends this interface, not the robot.\n'
    )


def _entry(keys: tuple[str, ...], name: str) -> str:
    shown = ' '.join(_ARROWS.get(key, key.upper() if len(key) == 1 else key) for key in keys)
    return f'{shown or "-":<6} {name.replace("_", " ")}'
