"""The pages on the Python API: what programs import, from docstrings and signatures."""

import dataclasses
import enum
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path

from softshell_tools.reference.api import Entry, api, methods, own
from softshell_tools.reference.docstrings import read
from softshell_tools.reference.markdown import anchor, anchors, code, line, page
from softshell_tools.reference.parts import PARTS, Part
from softshell_tools.reference.signatures import members

#: The page on messages, services and actions.
INTERFACES = 'interfaces.md'


def python_pages(root: Path) -> dict[str, str]:
    """The pages in Markdown, by file name.

    Args:
        root: the repository.
    """
    entries = api()
    places = Places()
    for part in PARTS:
        names = []
        for entry in entries:
            if entry.part is part:
                inner = methods(entry, entries) if inspect.isclass(entry.thing) else []
                names += [entry.name, *(one.name for one in inner)]
        for name, section in zip(names, anchors(names), strict=True):
            places.add(name, part.file, section)
    for kind in ('msg', 'srv', 'action'):
        for path in (root / 'src' / 'softshell_interfaces' / kind).glob(f'*.{kind}'):
            places.add(path.stem, INTERFACES, anchor(path.stem))
    return {part.file: Sections(part, entries, places).page() for part in PARTS}


class Places:
    """Where names have sections; classes on different pages may share a name."""

    def __init__(self) -> None:
        self._sections: dict[str, dict[str, str]] = {}

    def add(self, name: str, file: str, section: str) -> None:
        """Take note that a page has a section of a name.

        Args:
            name: of a class, a function, a method (`Class.method`), or an interface.
            file: of the page.
            section: fragment of a link to the section.
        """
        self._sections.setdefault(name, {})[file] = section

    def find(self, name: str, file: str) -> str | None:
        """A link to the section that a name means on a page; None if that is not clear.

        It is on the page itself if that has such a section, and otherwise on the only page of
        Python that has one. A plain word, such as `distance`, is often no name of a function:
        then only the page itself is meant.

        Args:
            name: as in `add`; that of an interface may begin with its package and a slash.
            file: of the page where it is named.
        """
        package, _, name = name.rpartition('/')
        found = self._sections.get(name, {})
        if file in found and not package:
            return f'#{found[file]}'
        python = [] if package else [one for one in found if one != INTERFACES]
        places = python or [one for one in found if one == INTERFACES]
        if len(places) != 1 or re.fullmatch('[a-z]+', name):
            return None
        return f'{places[0]}#{found[places[0]]}'


class Sections:
    """The sections of one page.

    Args:
        part: the classes and functions that the page is about.
        entries: those of all pages.
        places: the pages of all names.
    """

    def __init__(self, part: Part, entries: list[Entry], places: Places) -> None:
        self._part, self._entries, self._places = part, entries, places

    def page(self) -> str:
        """The page, in Markdown."""
        part = self._part
        others = ', '.join(
            f'[{other.title.partition(": ")[2]}]({other.file})' for other in PARTS if other != part
        )
        own_entries = [entry for entry in self._entries if entry.part is part]
        return page(
            part.title,
            f'{part.introduction} Shapes of arrays are in parentheses, units in brackets; a '
            f'mistake of the caller raises a {self._link("SoftshellError", "")}.',
            [
                f'Other pages on Python: {others}.',
                '\n'.join(map(self._contents, own_entries)),
                *(text for entry in own_entries for text in self._entry(entry)),
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
        told = {other.thing for other in self._entries}
        if base := next((base for base in entry.thing.__mro__[1:] if base in told), None):
            link = self._link(base.__name__, entry.name)
            yield f'Extends {link}: what that has, it has as well.'
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
            yield _fenced(textwrap.dedent(paragraph)) if indented else linked(paragraph)
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
        known = [name for name in words if name != entry.name and self._is_meant(name, entry)]
        links = [self._link(name, entry.name) for name in known]
        return f'Types: {", ".join(links)}.' if links else ''

    def _is_meant(self, name: str, entry: Entry) -> bool:
        """Whether a type in a signature is one with a section, not only of the same name."""
        things = [other.thing for other in self._entries if other.name == name]
        type_ = vars(sys.modules[entry.thing.__module__]).get(name)
        if things and type_ is not None and not any(type_ is thing for thing in things):
            return False
        return self._places.find(name, self._part.file) is not None

    def _link(self, name: str, owner: str) -> str:
        """A name in code style, with a link if it is on a page or is an interface.

        Args:
            name: the name.
            owner: the class in whose section it is named, or empty.
        """
        if name == owner:
            return code(name)
        find = partial(self._places.find, file=self._part.file)
        place = find(f'{owner}.{name}') or find(name)
        return f'[`{name}`]({place})' if place else code(name)


def _names(names: str) -> str:
    return ', '.join(code(name.strip()) for name in names.split(','))


def _fenced(text: str) -> str:
    return f'```python\n{text}\n```'
