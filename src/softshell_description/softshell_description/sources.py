"""What a text that a xacro became is made of, to tell whether it is still true."""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

#: A file that changes twice within this time may seem not to have changed [s].
TICK = 0.05
#: Variables of the environment that a xacro reads by name; and where `$(find` looks.
_READ = re.compile(r'\$\(\s*(?:opt)?env\s+(\w+)')
_LOOKED_IN = 'AMENT_PREFIX_PATH'
#: Ways in which a xacro may read the environment.
_MAY_READ = re.compile(r'\$\(\s*(?:opt)?env\b|\b(?:opt)?env\s*\(')
#: What else a text may depend on: the working directory, files that match a pattern.
_ELSE = re.compile(
    r'\$\(\s*cwd\b|\bcwd\s*\(|\binclude\s[^>]*filename\s*=\s*[\'"][^\'"]*(?:[*?\[]|\$\{|\$\(\s*(?:arg|(?:opt)?env)\b)'
)
#: Below each prefix of `_LOOKED_IN`, the folder in which a package that is built makes a file.
_INDEX = 'share/ament_index/resource_index/packages'


@dataclass(frozen=True)
class Sources:
    """What a text is made of.

    Args:
        files: paths of the files that were read.
        stamps: what tells a change of them, of their folders, where a file that was looked for
            may appear, and of the lists of packages; None for what is not there.
        environment: name and value of each variable of the environment that is read.
    """

    files: tuple[str, ...]
    stamps: tuple[tuple[int, int, int] | None, ...]
    environment: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, files: tuple[str, ...]) -> 'Sources | None':
        """The sources of a text that has been read from files; None if it may have others."""
        try:
            texts = [Path(file).read_text(encoding='utf-8', errors='replace') for file in files]
        except OSError:  # an optional one that is not there
            return None
        names = {_LOOKED_IN}
        for text in texts:
            read = _READ.findall(text)
            # By a name that is computed, or something else.
            if len(read) != len(_MAY_READ.findall(text)) or _ELSE.search(text):
                return None
            names.update(read)
        return cls(files, (), tuple((name, None) for name in sorted(names))).now()

    def now(self) -> 'Sources':
        """The same files, their folders and the environment as they are now."""
        folders = {os.path.dirname(file) for file in self.files}
        prefixes = filter(None, os.environ.get(_LOOKED_IN, '').split(os.pathsep))
        folders.update(os.path.join(prefix, _INDEX) for prefix in prefixes)
        places = [*self.files, *sorted(folders)]
        values = tuple((name, os.environ.get(name)) for name, _ in self.environment)
        return Sources(self.files, tuple(map(_stamp, places)), values)

    def are_older_than(self, moment: float) -> bool:
        """Whether all were last changed more than `TICK` before a time of `time.time()`."""
        changed = [stamp[2] * 1e-9 for stamp in self.stamps if stamp is not None]
        return None not in self.stamps[: len(self.files)] and max(changed) < moment - TICK

    def plain(self) -> dict[str, Any]:
        """As JSON writes it."""
        return asdict(self)

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> 'Sources':
        """What `plain` returned, after JSON.

        Raises:
            KeyError, TypeError: it is something else.
        """
        stamps = tuple(None if stamp is None else tuple(stamp) for stamp in plain['stamps'])
        return cls(tuple(plain['files']), stamps, tuple(map(tuple, plain['environment'])))


def digest(files: Sequence[str]) -> str:
    """Of the contents of files.

    Raises:
        OSError: one cannot be read.
    """
    contents = (hashlib.sha256(Path(file).read_bytes()).digest() for file in files)
    return hashlib.sha256(b''.join(contents)).hexdigest()


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns
