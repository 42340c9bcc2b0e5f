"""Texts of xacros as files, which the processes of a stack share."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xacro

from softshell_common.whole_file import write_whole
from softshell_description.sources import Sources, digest

#: Most files that are kept; what was not used for longest goes.
MOST_FILES = 100
#: A new form of the files gets a new number.
_NAME = 'xacro-1-'
#: What turns a xacro into a text, beside the files that it reads.
_MADE_BY = (xacro.__file__,)


class ExpansionFiles:
    """A folder of texts, by the paths of their xacros.

    What cannot be read or written is as if it were not there: a text can be made again.

    Args:
        folder: where they are.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    def read(self, path: Path) -> tuple[Sources, str] | None:
        """The text of a xacro and its sources; None if nothing is kept that is still true."""
        try:
            file = self._file(path)
            kept: dict[str, Any] = json.loads(file.read_bytes())
            sources, text = Sources.of_plain(kept['sources']), kept['text']
            is_true = sources == sources.now() and kept['digest'] == _digest(sources)
            if not is_true or not isinstance(text, str):
                return None
            os.utime(file)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return sources, text

    def write(self, path: Path, sources: Sources, text: str) -> None:
        """Keep the text of a xacro."""
        with contextlib.suppress(OSError):
            kept = {'sources': sources.plain(), 'digest': _digest(sources), 'text': text}
            file = self._file(path)
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if file.parent.stat().st_uid == os.getuid():
                write_whole(file, json.dumps(kept).encode(), 0o600)
                self._drop_oldest()

    def _file(self, path: Path) -> Path:
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        return self._folder() / f'{_NAME}{name}.json'

    def _drop_oldest(self) -> None:
        files = list(self._folder().glob(f'{_NAME}*.json'))
        for file in sorted(files, key=_last_used)[: len(files) - MOST_FILES]:
            file.unlink(missing_ok=True)


def _digest(sources: Sources) -> str:
    return digest([*_MADE_BY, *sources.files])


def _last_used(file: Path) -> float:
    """When a file was last used [s]; 0 if another process has removed it."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
