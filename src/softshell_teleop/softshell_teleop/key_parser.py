"""Turns the bytes of a terminal into names of keys.

A key is its lower-case character or a name such as `up`, `space` or `ctrl-d`. Sequences may arrive
in pieces, so the parser keeps unfinished ones. It has no time-out: if a slow line delays the rest
of an escape sequence, `[A` is still the arrow and never the letter A.
"""

_CONTROL = {
    0x00: 'ctrl-space',
    0x08: 'backspace',
    0x09: 'tab',
    0x0A: 'enter',
    0x0D: 'enter',
    0x20: 'space',
    0x7F: 'backspace',
}
_FINAL = {'A': 'up', 'B': 'down', 'C': 'right', 'D': 'left', 'H': 'home', 'F': 'end', 'Z': 'tab'}
_FINAL |= {'P': 'f1', 'Q': 'f2', 'R': 'f3', 'S': 'f4'}
_TILDE = dict(
    zip(
        (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24),
        ('home', 'insert', 'delete', 'end', 'page_up', 'page_down', 'home', 'end')
        + tuple(f'f{number}' for number in range(1, 13)),
        strict=True,
    )
)

#: Keys that have a name instead of a character.
NAMED_KEYS = frozenset({*_CONTROL.values(), *_FINAL.values(), *_TILDE.values(), 'escape'})
#: The key of a sequence that the parser does not know.
UNKNOWN = 'unknown'

_ESCAPE = 0x1B
_PASTE_BEGIN, _PASTE_END = 200, b'\x1b[201~'
_LONGEST_SEQUENCE = 32
#: Answers of a terminal that hold a text (OSC, DCS and APC of ECMA-48), by the byte after ESC, and
#: the bytes with which such a text begins: any other means Alt and a key.
_TEXTS = {b']': b'0123456789', b'P': b'0123456789!$+>', b'_': b'G'}
_LONGEST_TEXT = 256


class KeyParser:
    """Reads keys from the bytes of a terminal, in pieces of any size.

    Pasted text (bracketed paste) is dropped: a paste by mistake must not move the robot.
    """

    def __init__(self) -> None:
        self._pending = b''
        self._pasting = False

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete after `data`, in order."""
        self._pending += data
        keys: list[str] = []
        while self._pending:
            if self._pasting:
                if not self._skip_paste():
                    break
                continue
            key, used = _first_key(self._pending)
            if used == 0:
                break
            self._pending = self._pending[used:]
            if key == 'paste':
                self._pasting = True
            else:
                keys.append(key)
        return keys

    def clear(self) -> None:
        """Forget an unfinished sequence."""
        self._pending, self._pasting = b'', False

    def _skip_paste(self) -> bool:
        end = self._pending.find(_PASTE_END)
        if end < 0:
            self._pending = self._pending[-len(_PASTE_END) :]
            return False
        self._pending = self._pending[end + len(_PASTE_END) :]
        self._pasting = False
        return True


def _first_key(data: bytes) -> tuple[str, int]:
    """The first key of `data` and its number of bytes; 0 if it is unfinished."""
    first = data[0]
    if first == _ESCAPE:
        return _escape_key(data)
    if first in _CONTROL:
        return _CONTROL[first], 1
    if first < 0x20:
        return f'ctrl-{chr(first + 0x60)}', 1
    return _character(data)


def _character(data: bytes) -> tuple[str, int]:
    """A character of UTF-8; a byte that cannot begin one is the key `UNKNOWN`."""
    first = data[0]
    length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    begins = first < 0x80 or 0xC2 <= first <= 0xF4
    if not begins or any(byte & 0xC0 != 0x80 for byte in data[1:length]):
        return UNKNOWN, 1
    if len(data) < length:
        return '', 0
    try:
        # Some capitals have no single lower-case character, e.g. the dotted I.
        character = data[:length].decode('utf-8')
    except UnicodeDecodeError:
        return UNKNOWN, 1
    lower = character.lower()
    return (lower if len(lower) == 1 else character), length


def _escape_key(data: bytes) -> tuple[str, int]:
    if len(data) == 1:
        return '', 0
    if data[1:2] == b'O':  # SS3: arrows in application mode, F1 to F4
        return _last_byte(data, 2)
    if data[1:2] == b'[':
        return _control_sequence(data)
    if data[1:2] in _TEXTS:
        return _text(data)
    return 'escape', 1


def _last_byte(data: bytes, place: int) -> tuple[str, int]:
    """The key of a sequence that ends with the byte at a place, unless another key cuts it off."""
    if len(data) <= place:
        return '', 0
    if not 0x40 <= data[place] <= 0x7E:
        return UNKNOWN, place  # the other key is read next
    return _FINAL.get(chr(data[place]), UNKNOWN), place + 1


def _text(data: bytes) -> tuple[str, int]:
    """An answer of the terminal that holds a text, e.g. a colour: no letter of it is a key.

    It ends with a bell or ESC backslash. Any other control character also ends it, and is then
    read as a key.
    """
    if len(data) == 2:
        return '', 0
    if data[2] not in _TEXTS[data[1:2]]:
        return 'escape', 1
    for end in range(3, len(data)):
        if data[end] == 0x07:
            return UNKNOWN, end + 1
        if data[end] == _ESCAPE:
            if end + 1 == len(data):
                return '', 0
            return UNKNOWN, end + 2 if data[end + 1 : end + 2] == b'\\' else end
        if data[end] < 0x20 or data[end] == 0x7F:
            return UNKNOWN, end
    return (UNKNOWN, len(data)) if len(data) > _LONGEST_TEXT else ('', 0)


def _control_sequence(data: bytes) -> tuple[str, int]:
    """A control sequence: ESC [, bytes 0x20 to 0x3F, one final byte (ECMA-48)."""
    if data[2:3] == b'[':  # the Linux console's F1 to F5: ESC [ [ A
        _, used = _last_byte(data, 3)
        return ('', 0) if used == 0 else (UNKNOWN, used)
    end = 2
    while end < len(data) and 0x20 <= data[end] <= 0x3F:
        end += 1
    if end == len(data):
        return (UNKNOWN, end) if end > _LONGEST_SEQUENCE else ('', 0)
    if not 0x40 <= data[end] <= 0x7E:
        return UNKNOWN, end  # cut off by another key, which is read next
    final, parameters = chr(data[end]), data[2:end].split(b';')
    if final != '~':
        return _FINAL.get(final, UNKNOWN), end + 1
    number = int(parameters[0]) if parameters[0].isdigit() else -1
    return ('paste' if number == _PASTE_BEGIN else _TILDE.get(number, UNKNOWN)), end + 1
