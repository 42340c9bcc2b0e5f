"""The log of the page: requests, their results, and warnings of the stack."""

import threading
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from softshell_common.shown import shown

#: Most entries that are kept, and most notes among them, e.g. of visitors who come and go.
MOST, MOST_NOTES = 300, 60
#: Most characters of an entry.
LONGEST = 1000


class Kind(StrEnum):
    """The kind of an entry."""

    ASKED = 'asked'
    DONE = 'done'
    REFUSED = 'refused'
    WARNING = 'warning'
    FAULT = 'fault'
    NOTE = 'note'


@dataclass(frozen=True)
class Entry:
    """An entry of the log.

    Attributes:
        number: increases from entry to entry.
        time: wall time since the epoch [s].
        kind: of the entry.
        text: one line.
        count: how many times the same entry was added in a row.
    """

    number: int
    time: float
    kind: Kind
    text: str
    count: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The entry for JSON."""
        return asdict(self)


class Journal:
    """The newest entries of the log; safe to use from any thread."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._number = 0
        self._lock = threading.Lock()

    def add(self, kind: Kind, text: str, time: float) -> None:
        """Add an entry; if the one before is the same, its count increases instead.

        Args:
            kind: of the entry.
            text: any text; it is made one printable line.
            time: wall time since the epoch [s].
        """
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
