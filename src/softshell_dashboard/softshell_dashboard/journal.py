"""The log: what was asked for, what became of it, and what the stack said."""

import threading
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from softshell_common.shown import shown

#: Entries that are kept, and how many of them are notes, e.g. of visitors who come and go.
MOST, MOST_NOTES = 300, 60
#: Characters of an entry.
LONGEST = 1000


class Kind(StrEnum):
    """What an entry is."""

    ASKED = 'asked'
    DONE = 'done'
    REFUSED = 'refused'
    WARNING = 'warning'
    FAULT = 'fault'
    NOTE = 'note'


@dataclass(frozen=True)
class Entry:
    """One line.

    Attributes:
        number: they count up.
        time: of the wall, since the epoch [s].
        kind: what it is.
        text: one line.
        count: how often it was said in a row.
    """

    number: int
    time: float
    kind: Kind
    text: str
    count: int = 1

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Journal:
    """The newest entries; any thread may use it."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._number = 0
        self._lock = threading.Lock()

    @property
    def number(self) -> int:
        """That of the newest entry; it changes whenever anything is added."""
        return self._number

    def add(self, kind: Kind, text: str, time: float) -> None:
        """Add a line, on which any text is shown; the same again counts up the one before."""
        text = shown(text, LONGEST)
        with self._lock:
            self._number += 1
            last = self._entries[-1] if self._entries else None
            if last is not None and (last.kind, last.text) == (kind, text):
                self._entries[-1] = Entry(self._number, time, kind, text, last.count + 1)
                return
            self._entries.append(Entry(self._number, time, kind, text))
            notes = [one for one in self._entries if one.kind is Kind.NOTE]
            if len(notes) > MOST_NOTES:
                self._entries.remove(notes[0])
            del self._entries[:-MOST]

    def since(self, number: int) -> list[dict[str, Any]]:
        """Entries that are newer than a number, oldest first."""
        with self._lock:
            return [one.as_dict() for one in self._entries if one.number > number]
