"""Reads docstrings: what they say, and the descriptions in their lists."""

import inspect
import re
from dataclasses import dataclass, field

#: The line that begins a list of entries or of paragraphs, and one that begins an entry.
_LIST = re.compile(r'^(Args|Attributes|Raises|Returns):$')
_ENTRY = re.compile(r'^ {4}(\w[\w, ]*?): +(.+)$')


@dataclass
class Docstring:
    """What a docstring says.

    Attributes:
        text: what comes before its lists, with its line breaks.
        lists: the entries of `Args`, `Attributes` and `Raises`: the text of each, by its names as
            they are written, e.g. `x, y`.
        returns: what is returned; empty if it does not say.
    """

    text: str = ''
    lists: dict[str, dict[str, str]] = field(default_factory=dict)
    returns: str = ''

    def entries(self, *titles: str) -> dict[str, str]:
        """The text of each entry of some lists, by its single name."""
        return {
            name.strip(): text
            for title in titles
            for names, text in self.lists.get(title, {}).items()
            for name in names.split(',')
        }


def read(thing: object) -> Docstring:
    """The docstring of a class or a function; empty if it has none of its own."""
    found = Docstring()
    before: list[str] = []
    title = names = ''
    for line in inspect.cleandoc(getattr(thing, '__doc__', None) or '').splitlines():
        if begin := _LIST.match(line):
            title, names = begin[1], ''
        elif not title or (line and not line.startswith(' ')):
            title = ''
            before.append(line)
        elif title == 'Returns':
            found.returns = f'{found.returns} {line.strip()}'.strip()
        elif entry := _ENTRY.match(line):
            names = entry[1]
            found.lists.setdefault(title, {})[names] = entry[2]
        elif names and line.strip():
            found.lists[title][names] += f' {line.strip()}'
    found.text = '\n'.join(before).strip()
    return found


def summary(kind: type) -> str:
    """The first paragraph of a class's own docstring; empty if it has none."""
    return ' '.join(read(kind).text.split('\n\n')[0].split())


def entries(kind: type) -> dict[str, str]:
    """The description of each entry, by name, from the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__dict__.get('__doc__'):
            found.update(read(base).entries('Args', 'Attributes'))
    return found
