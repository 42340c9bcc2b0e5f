"""Expands xacros, and keeps the texts for as long as nothing that they are made of changes.

A process that makes many worlds or runs loads the same robot again and again, of which xacro takes
two thirds.
"""

import math
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import xacro

#: Most texts that are kept; the oldest goes.
MOST = 32
#: A file that changes twice within this time may seem not to have changed [s].
TICK = 0.05


@dataclass(frozen=True)
class _Sources:
    """What a text is made of.

    Args:
        files: paths of the files that were read.
        stamps: what tells a change of them, and of their folders, where a file that was looked
            for may appear; None for what is not there.
        environment: the environment's variables, which a xacro may read.
    """

    files: tuple[str, ...]
    stamps: tuple[tuple[int, int, int] | None, ...]
    environment: tuple[tuple[str, str], ...]

    @classmethod
    def now(cls, files: tuple[str, ...]) -> '_Sources':
        """The files, their folders and the environment as they are now."""
        places = [*files, *sorted({os.path.dirname(file) for file in files})]
        return cls(files, tuple(map(_stamp, places)), tuple(sorted(os.environ.items())))

    def are_older_than(self, moment: float) -> bool:
        """Whether all were last changed more than `TICK` before a time of `time.time()`."""
        changed = [math.inf if stamp is None else stamp[2] * 1e-9 for stamp in self.stamps]
        return max(changed) < moment - TICK


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns


class Expansions:
    """The texts of xacros."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[_Sources, str]] = {}
        self._unlock()
        os.register_at_fork(after_in_child=self._unlock)

    def text(self, path: Path) -> str:
        """The text of a xacro, broken into lines: Bullet reads at most 1024 characters of one.

        Raises:
            Exception: whatever xacro, or an expression in the file, raises.
        """
        path, begun = path.absolute(), time.time()
        with self._lock:
            kept = self._kept.pop(path, None)
            if kept is None or kept[0] != _Sources.now(kept[0].files):
                kept = self._expanded(path)
            if kept[0].are_older_than(begun):
                self._kept[path] = kept
            if len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return kept[1]

    @staticmethod
    def _expanded(path: Path) -> tuple[_Sources, str]:
        xacro.all_includes.clear()
        text: str = xacro.process_file(str(path)).documentElement.toprettyxml(indent='  ')
        return _Sources.now((str(path), *xacro.all_includes)), text

    def _unlock(self) -> None:
        # xacro keeps what it is doing in global variables; one thread at a time may use it. A
        # process that was forked has the lock of a thread that it does not have.
        self._lock = threading.Lock()
