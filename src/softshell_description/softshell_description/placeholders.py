"""Names that stand for several: `leg_{k}` with k from 0 to 5."""

import re
from collections.abc import Iterable, Iterator, Mapping

from softshell_kinematics.errors import SoftshellError, UnknownNameError

_PLACEHOLDER = re.compile(r'\{(\w+)\}')


class Placeholders:
    """The placeholders that names in a robot's files may contain, and their values.

    Args:
        values: the texts that each placeholder stands for, in order.
    """

    def __init__(self, values: Mapping[str, Iterable[str]]) -> None:
        self.values = {name: tuple(texts) for name, texts in values.items()}

    def expand(self, name: str) -> tuple[str, ...]:
        """The names that a name stands for; one without placeholder stands for itself.

        Raises:
            UnknownNameError: a placeholder is unknown.
            SoftshellError: the name holds two different placeholders.
        """
        placeholder = self._of(name)
        if placeholder is None:
            return (name,)
        return tuple(fill(name, placeholder, value) for value in self.values[placeholder])

    def rows(self, names: Iterable[str]) -> Iterator[tuple[str, str | None, str]]:
        """All names that the given names stand for, as arguments of `fill`.

        Names that follow one another with the same placeholder are expanded together: all of them
        for its first value, then all for its second.

        Yields:
            The name as written, its placeholder if it has one, and the value it has here.
        """
        together: list[str] = []
        last: str | None = None
        for name in names:
            placeholder = self._of(name)
            if together and placeholder != last:
                yield from self._expand_all(together, last)
                together = []
            together.append(name)
            last = placeholder
        yield from self._expand_all(together, last)

    def _expand_all(
        self, names: list[str], placeholder: str | None
    ) -> Iterator[tuple[str, str | None, str]]:
        for value in self.values[placeholder] if placeholder else ('',):
            for name in names:
                yield name, placeholder, value

    def _of(self, name: str) -> str | None:
        """The placeholder in a name; None if it has none.

        Raises:
            UnknownNameError: the placeholder is unknown.
            SoftshellError: the name holds two different placeholders.
        """
        found: dict[str, None] = dict.fromkeys(_PLACEHOLDER.findall(name))
        if not found:
            return None
        for placeholder in found:
            if placeholder not in self.values:
                raise UnknownNameError('placeholder', placeholder, self.values)
        if len(found) > 1:
            raise SoftshellError(f'{name!r} holds {len(found)} placeholders; expected one')
        return next(iter(found))


def fill(name: str, placeholder: str | None, value: str) -> str:
    """A name with a value in the place of its placeholder."""
    return name if placeholder is None else name.replace(f'{{{placeholder}}}', value)
