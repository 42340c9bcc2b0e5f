"""Texts of xacros as files, which the processes of a stack share."""

import contextlib
import hashlib
import json
import os
import time
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
_MADE_BY = tuple(map(str, sorted(Path(xacro.__file__).parent.glob('*.py'))))
#: What a process that was killed has left is removed after so long [s].
OLD = 3600.0


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
            if not _is_ours(file.parent):
                return None
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
            if _is_ours(file.parent):
                write_whole(file, json.dumps(kept).encode(), 0o600, sync=False)
                self._drop_oldest()

    def _file(self, path: Path) -> Path:
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        return self._folder() / f'{_NAME}{name}.json'

    def _drop_oldest(self) -> None:
        files = sorted(self._folder().glob(f'{_NAME}*.json'), key=_last_used)
        unfinished = self._folder().glob(f'.{_NAME}*')
        left = [file for file in unfinished if _last_used(file) < time.time() - OLD]
        for file in (*files[: max(0, len(files) - MOST_FILES)], *left):
            file.unlink(missing_ok=True)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is this user's: in a temporary folder anyone may have made it."""
    return folder.stat().st_uid == os.getuid()


def _digest(sources: Sources) -> str:
    return digest([*_MADE_BY, *sources.files])


def _last_used(file: Path) -> float:
    """When a file was last used [s]; 0 if another process has removed it."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
