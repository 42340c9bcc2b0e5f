"""Which topics are recorded or played, by patterns as a shell has them; needs no ROS."""

from collections.abc import Sequence
from fnmatch import fnmatchcase


class Selection:
    """Topics whose name fits one of some patterns, and none of the excluded ones.

    Args:
        patterns: e.g. /joint_states or 'camera*'; none: all topics. The first / may be left out.
        excluded: patterns of topics that are left out even so.
    """

    def __init__(self, patterns: Sequence[str] = (), excluded: Sequence[str] = ()) -> None:
        self._patterns = tuple(map(_whole, patterns))
        self._excluded = tuple(map(_whole, excluded))
        self._used: set[str] = set()

    def __call__(self, name: str, kind: str = '') -> bool:
        """Whether a topic is wanted; its type does not matter."""
        if any(fnmatchcase(name, pattern) for pattern in self._excluded):
            return False
        fits = {pattern for pattern in self._patterns if fnmatchcase(name, pattern)}
        self._used |= fits
        return bool(fits) or not self._patterns

    @property
    def unused(self) -> list[str]:
        """Patterns that no topic has fitted so far."""
        return [pattern for pattern in self._patterns if pattern not in self._used]


def _whole(pattern: str) -> str:
    return pattern if pattern.startswith(('/', '*')) else f'/{pattern}'
