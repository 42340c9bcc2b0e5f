"""Reads the descriptions of a class's entries from its docstring."""

import inspect
import re

#: The line that begins a list of entries, and one that begins an entry of it.
_LIST = re.compile(r'^(Args|Attributes):$')
_ENTRY = re.compile(r'^ {4}([\w, ]+?): +(.+)$')


def summary(kind: type) -> str:
    """The first paragraph of a class's own docstring; empty if it has none."""
    text = inspect.cleandoc(kind.__doc__ or '')
    return ' '.join(text.split('\n\n')[0].split())


def entries(kind: type) -> dict[str, str]:
    """The description of each entry, by name, from the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found.update(_of_text(inspect.cleandoc(base.__dict__.get('__doc__') or '')))
    return found


def _of_text(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    inside = False
    for line in text.splitlines():
        if _LIST.match(line):
            inside = True
        elif line and not line.startswith(' '):
            inside = False
        elif inside and (entry := _ENTRY.match(line)):
            names = [name.strip() for name in entry[1].split(',')]
            found.update(dict.fromkeys(names, entry[2]))
        elif inside and line.strip():
            found.update({name: f'{found[name]} {line.strip()}' for name in names})
    return found
