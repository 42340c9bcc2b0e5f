"""The pages on the Python API: what programs import, from docstrings and signatures."""

import dataclasses
import enum
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from softshell_tools.reference.api import PARTS, Entry, Part, api, methods, own
from softshell_tools.reference.docstrings import read
from softshell_tools.reference.markdown import anchor, code, line, page
from softshell_tools.reference.signatures import members


def python_pages(root: Path) -> dict[str, str]:
    """The pages in Markdown, by file name.

    Args:
        root: the repository.
    """
    entries = api()
    places = {name: (entry.file, anchor(name)) for name, entry in entries.items()}
    for entry in entries.values():
        if inspect.isclass(entry.thing):
            for one in methods(entry, entries):
                places[one.name] = (one.file, anchor(one.name))
    for kind in ('msg', 'srv', 'action'):
        for path in (root / 'src' / 'softshell_interfaces' / kind).glob(f'*.{kind}'):
            place = ('interfaces.md', anchor(path.stem))
            places[f'softshell_interfaces/{path.stem}'] = place
            places.setdefault(path.stem, place)
    return {part.file: Sections(part, entries, places).page() for part in PARTS}


class Sections:
    """The sections of one page.

    Args:
        part: the classes and functions that the page is about.
        entries: those of all pages, by name.
        places: the file and the anchor of each name of a page, or of an interface.
    """

    def __init__(
        self, part: Part, entries: dict[str, Entry], places: dict[str, tuple[str, str]]
    ) -> None:
        self._part, self._entries, self._places = part, entries, places

    def page(self) -> str:
        """The page, in Markdown."""
        part = self._part
        others = ', '.join(
            f'[{other.title.partition(": ")[2]}]({other.file})' for other in PARTS if other != part
        )
        names = [name for listed in part.names.values() for name in listed]
        return page(
            part.title,
            f'{part.introduction} Shapes of arrays are in parentheses, units in brackets; a '
            f'mistake of the caller raises a {self._link("SoftshellError", "")}.',
            [
                f'Other pages on Python: {others}.',
                '\n'.join(self._contents(self._entries[name]) for name in names),
                *(text for name in names for text in self._entry(self._entries[name])),
            ],
        )

    def _contents(self, entry: Entry) -> str:
        """The line of a class or a function in the table of contents."""
        listed = methods(entry, self._entries) if inspect.isclass(entry.thing) else []
        names = [one.name.partition('.')[2] for one in listed]
        links = ', '.join(self._link(name, entry.name) for name in names)
        return f'- {self._link(entry.name, "")}' + (f': {links}' if links else '')

    def _entry(self, entry: Entry) -> Iterator[str]:
        """The section of a class or a function, and those of its methods."""
        yield f'## {entry.name}'
        imported = f'from {entry.module} import {entry.name}'
        yield _fenced(f'{imported}\n\n{entry.signature}'.strip())
        yield from self._told(entry, entry.name)
        if not inspect.isclass(entry.thing):
            return
        bases = [base.__name__ for base in entry.thing.__mro__[1:]]
        if name := next((name for name in bases if name in self._entries), ''):
            yield f'Extends {self._link(name, entry.name)}: what that has, it has as well.'
        for method in methods(entry, self._entries):
            yield f'### {method.name}'
            yield _fenced(method.signature)
            yield from self._told(method, entry.name)

    def _told(self, entry: Entry, owner: str) -> Iterator[str]:
        """What the docstring says, with the members and the attributes of a class.

        Args:
            entry: a class, a function or a method.
            owner: the name of the class of a method; else its own name.
        """
        said = entry.docstring

        def linked(text: str) -> str:
            return re.sub(r'`([\w./]+)`', lambda found: self._link(found[1], owner), line(text))

        for paragraph in filter(None, said.text.split('\n\n')):
            indented = paragraph.startswith('    ')
            yield _fenced(inspect.cleandoc(paragraph)) if indented else linked(paragraph)
        if types := self._types(entry):
            yield types
        if isinstance(entry.thing, enum.EnumType):
            yield '\n'.join(
                f'- `{name}`: {text}' if text else f'- `{name}`'
                for name, text in members(entry.thing)
            )
        attributes = self._attributes(entry) if inspect.isclass(entry.thing) else {}
        arguments = entry.arguments if entry.signature else {}
        for title, listed in (('Arguments', arguments), ('Attributes', attributes)):
            if listed:
                yield '\n'.join([f'{title}:\n', *(
                    f'- {_names(names)}: {linked(text)}' for names, text in listed.items()
                )])  # fmt: skip
        if said.returns:
            yield f'Returns: {linked(said.returns)}'
        if raised := said.lists.get('Raises'):
            yield '\n'.join(['Raises:\n', *(
                f'- {self._link(name, owner)}: {linked(text)}' for name, text in raised.items()
            )])  # fmt: skip

    def _attributes(self, entry: Entry) -> dict[str, str]:
        """The attributes of a class with their meaning.

        They are those that its docstring lists, fields of data that programs are given, and
        properties.
        """
        found = dict(entry.docstring.lists.get('Attributes', {}))
        if not entry.signature and dataclasses.is_dataclass(entry.thing):
            found |= entry.arguments
        for name, value in own(entry, self._entries):
            if isinstance(value, property | cached_property):
                found[name] = ' '.join(read(value).text.split())
        return found

    def _types(self, entry: Entry) -> str:
        """Links to the types in a signature that are on a page, or are interfaces."""
        words = dict.fromkeys(re.findall(r'[A-Z]\w+', entry.signature))
        known = [name for name in words if name in self._places and name != entry.name]
        links = [self._link(name, entry.name) for name in known]
        return f'Types: {", ".join(links)}.' if links else ''

    def _link(self, name: str, owner: str) -> str:
        """A name in code style, with a link if it is on a page or is an interface.

        Args:
            name: the name.
            owner: the class in whose section it is named, or empty.
        """
        place = self._places.get(f'{owner}.{name}') or self._places.get(name)
        if place is None or name == owner:
            return code(name)
        file, section = place
        return f'[`{name}`]({"" if file == self._part.file else file}#{section})'


def _names(names: str) -> str:
    return ', '.join(code(name.strip()) for name in names.split(','))


def _fenced(text: str) -> str:
    return f'```python\n{text}\n```'
