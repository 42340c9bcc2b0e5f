"""Expands xacros, and keeps the texts for as long as nothing that they are made of changes.

A process that makes many worlds or runs loads the same robot again and again, of which xacro takes
two thirds.
"""

import math
import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import xacro

#: Most texts that are kept; the oldest goes.
MOST = 32
#: A file that changes twice within this time may seem not to have changed [s].
TICK = 0.05
#: Variables of the environment that a xacro reads by name; and where `$(find` looks.
_READ = re.compile(r'\$\(\s*(?:opt)?env\s+(\w+)')
_LOOKED_IN = 'AMENT_PREFIX_PATH'
#: Ways in which a xacro may read the environment.
_MAY_READ = re.compile(r'\$\(\s*(?:opt)?env\b|\benv\(')


@dataclass(frozen=True)
class _Sources:
    """What a text is made of.

    Args:
        files: paths of the files that were read.
        stamps: what tells a change of them, and of their folders, where a file that was looked
            for may appear; None for what is not there.
        environment: name and value of each variable of the environment that is read.
    """

    files: tuple[str, ...]
    stamps: tuple[tuple[int, int, int] | None, ...]
    environment: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, files: tuple[str, ...]) -> '_Sources | None':
        """The sources of a text that has been read from files; None if it may have others."""
        texts = [Path(file).read_text(encoding='utf-8', errors='replace') for file in files]
        names = {_LOOKED_IN}
        for text in texts:
            read = _READ.findall(text)
            if len(read) != len(_MAY_READ.findall(text)):  # by a name that is computed
                return None
            names.update(read)
        return cls(files, (), tuple((name, None) for name in sorted(names))).now()

    def now(self) -> '_Sources':
        """The same files, their folders and the environment as they are now."""
        places = [*self.files, *sorted({os.path.dirname(file) for file in self.files})]
        values = tuple((name, os.environ.get(name)) for name, _ in self.environment)
        return _Sources(self.files, tuple(map(_stamp, places)), values)

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
        sources: _Sources | None
        with self._lock:
            kept = self._kept.pop(path, None)
            if kept is not None and kept[0] == kept[0].now():
                sources, text = kept
            else:
                xacro.all_includes.clear()
                text = xacro.process_file(str(path)).documentElement.toprettyxml(indent='  ')
                sources = _Sources.of((str(path), *xacro.all_includes))
            if sources is not None and sources.are_older_than(begun):
                self._kept[path] = sources, text
            if len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return text

    def _unlock(self) -> None:
        # xacro keeps what it is doing in global variables; one thread at a time may use it. A
        # process that was forked has the lock of a thread that it does not have.
        self._lock = threading.Lock()
