"""Names of a `robot.yaml` in which placeholders are filled in."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from softshell_common.wording import Location
from softshell_common.yaml_file import YamlFile
from softshell_description.placeholders import Placeholders
from softshell_kinematics.errors import SoftshellError

Value = TypeVar('Value')


def and_more(count: int) -> str:
    """The end of a message about the first of several things that are wrong in the same way."""
    return '' if count == 1 else f' (and {count - 1} more like it)'


class Names:
    """Fills in the placeholders of names; collects what is wrong with the names.

    Args:
        file: tells the line of each entry.
        placeholders: that the names may contain.

    Attributes:
        problems: names that are given more than once, one line each.
    """

    def __init__(self, file: YamlFile, placeholders: Placeholders) -> None:
        self._file, self.placeholders = file, placeholders
        self.problems: list[str] = []
        self._unfilled: dict[str, list[str]] = {}

    def expand(self, location: Location, name: str) -> tuple[str, ...]:
        """The names that a name stands for; none if it is wrong."""
        try:
            return self.placeholders.expand(name)
        except SoftshellError as error:
            self._unfilled.setdefault(str(error), []).append(self._file.where(location))
            return ()

    def unfilled(self) -> list[str]:
        """Why placeholders could not be filled in: a line for each reason, at the first name."""
        return [
            f'{places[0]}: {text}{and_more(len(places))}'
            for text, places in self._unfilled.items()
        ]

    def rows(
        self, location: Location, names: Iterable[str]
    ) -> Iterator[tuple[str, str | None, str]]:
        """Every name that the keys of an entry stand for, as `Placeholders.rows`."""
        right = [name for name in names if self.expand((*location, name), name)]
        return self.placeholders.rows(right)

    def listed(self, location: Location, names: Iterable[str]) -> tuple[str, ...]:
        """Every name that a list of names stands for, each once."""
        found: dict[str, None] = {}
        for index, written in enumerate(names):
            for name in self.expand((*location, index), written):
                self._once(found, (*location, index), name)
                found[name] = None
        return tuple(found)

    def keyed(
        self, location: Location, entries: Mapping[str, Value]
    ) -> dict[str, tuple[Value, str]]:
        """Value and line of every name that the keys of an entry stand for."""
        found: dict[str, tuple[Value, str]] = {}
        for written, value in entries.items():
            place = (*location, written)
            for name in self.expand(place, written):
                self._once(found, place, name)
                found[name] = value, self._file.where(place)
        return found

    def _once(self, found: Iterable[str], location: Location, name: str) -> None:
        if name in found:
            text = f'{name!r} is given already; expected once'
            self.problems.append(self._file.problem(location, text))
