"""Expands xacros, and keeps the texts for as long as nothing that they are made of changes.

A process that makes many worlds or runs loads the same robot again and again, of which xacro takes
two thirds. Each process of a stack loads it once; they share the texts as files. What xacro warns
of is said by the process that expands it.
"""

import os
import threading
import time
from pathlib import Path

import xacro

from softshell_description.expansion_files import ExpansionFiles
from softshell_description.sources import Sources

#: Most texts that are kept; the oldest goes.
MOST = 32


class Expansions:
    """The texts of xacros.

    Args:
        files: where processes share them; default: nowhere.
    """

    def __init__(self, files: ExpansionFiles | None = None) -> None:
        self._files = files
        self._kept: dict[Path, tuple[Sources, str]] = {}
        self._unlock()
        os.register_at_fork(after_in_child=self._unlock)

    def text(self, path: Path) -> str:
        """The text of a xacro, broken into lines: Bullet reads at most 1024 characters of one.

        Raises:
            Exception: whatever xacro, or an expression in the file, raises.
        """
        path = path.absolute()
        with self._lock:
            kept = self._found(path)
            if kept is None:
                begun = time.time()
                xacro.all_includes.clear()
                document = xacro.process_file(str(path))
                text: str = document.documentElement.toprettyxml(indent='  ')
                sources = Sources.of((str(path), *xacro.all_includes))
                if sources is None or not sources.are_older_than(begun):
                    return text
                kept = sources, text
                if self._files is not None:
                    self._files.write(path, sources, text)
            self._kept[path] = kept
            if len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return kept[1]

    def _found(self, path: Path) -> tuple[Sources, str] | None:
        """Take a text that is still true from those that are kept; None if there is none."""
        kept = self._kept.pop(path, None)
        if kept is not None and kept[0] == kept[0].now():
            return kept
        return None if self._files is None else self._files.read(path)

    def _unlock(self) -> None:
        # xacro keeps what it is doing in global variables; one thread at a time may use it. A
        # process that was forked has the lock of a thread that it does not have.
        self._lock = threading.Lock()
