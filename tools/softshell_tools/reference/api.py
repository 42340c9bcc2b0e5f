"""What programs import from softshell: its classes and functions, for the pages on them."""

import enum
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from softshell_tools.reference.docstrings import Docstring, read
from softshell_tools.reference.parts import PARTS, Part
from softshell_tools.reference.signatures import class_signature, signature

#: A public method of every change, which only our own code calls.
OF_CHANGES = 'problems'


@dataclass(frozen=True)
class Entry:
    """A class or a function of a page, or a method of one of its classes.

    Args:
        name: its name; of a method with that of its class, e.g. `Shell.perform`.
        thing: the class or the function.
        part: the page that it is on.
        module: from which it is imported; empty for a method.
    """

    name: str
    thing: Any
    part: Part
    module: str = ''

    @cached_property
    def docstring(self) -> Docstring:
        """What its docstring says."""
        return read(self.thing)

    @cached_property
    def signature(self) -> str:
        """How it is called or made; empty for what programs do not make."""
        if not inspect.isclass(self.thing):
            return signature(self.name.rpartition('.')[2], self.thing)
        if self.name in self.part.given or isinstance(self.thing, enum.EnumType):
            return ''
        return class_signature(self.thing)

    @cached_property
    def arguments(self) -> dict[str, str]:
        """The arguments that its docstring explains, or that of the class that it extends."""
        fields = getattr(self.thing, '__dataclass_fields__', {}).values()
        from_fields = {each.name: each.metadata['meaning'] for each in fields if each.metadata}
        places = self.thing.__mro__ if inspect.isclass(self.thing) else (self.thing,)
        told = (found for place in places if (found := read(place).lists.get('Args')))
        return from_fields or next(told, {})


def api() -> list[Entry]:
    """The classes and functions of all pages, page by page."""
    return [
        Entry(name, getattr(import_module(module), name), part, module)
        for part in PARTS
        for module, names in part.names.items()
        for name in names
    ]


def own(entry: Entry, others: list[Entry]) -> Iterator[tuple[str, Any]]:
    """The public members that a class has itself, and those of its bases that have no section.

    Args:
        entry: the class.
        others: all classes and functions of the pages.
    """
    told = {each.thing for each in others} - {entry.thing}
    seen: set[str] = set()
    for base in entry.thing.__mro__:
        if base in told or not base.__module__.startswith('softshell_'):
            continue
        for name, value in vars(base).items():
            if not name.startswith('_') and name not in seen:
                seen.add(name)
                yield name, value


def methods(entry: Entry, others: list[Entry]) -> list[Entry]:
    """The methods of a class, as `own`, without those that a base with a section explains."""
    found = []
    told = {other.thing for other in others} & {*entry.thing.__mro__[1:]}
    inner = {OF_CHANGES, *entry.part.inner.get(entry.name, ())}
    for name, value in own(entry, others):
        function = getattr(value, '__func__', value)
        if not inspect.isfunction(function) or name in inner:
            continue
        if function.__doc__ or not any(hasattr(base, name) for base in told):
            found.append(Entry(f'{entry.name}.{name}', function, entry.part))
    return found
