"""Errors of pydantic in words for the person who edits the file."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, TypeGuard

import yaml
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from softshell_kinematics.errors import nearest

#: Keys and indices that lead to an entry of a document.
Location = tuple[int | str, ...]

#: What is expected, by pydantic's type of the error; values in braces come from its context.
_EXPECTED = {
    'greater_than': 'more than {gt:g}',
    'greater_than_equal': 'at least {ge:g}',
    'less_than': 'less than {lt:g}',
    'less_than_equal': 'at most {le:g}',
    'finite_number': 'a finite number',
    'float_type': 'a number',
    'float_parsing': 'a number',
    'int_type': 'a whole number',
    'int_parsing': 'a whole number',
    'int_from_float': 'a whole number',
    'bool_type': 'true or false',
    'bool_parsing': 'true or false',
    'string_type': 'a text',
    'invalid_key': 'a text',
    'string_too_short': 'a text of {min_length} or more characters',
    'string_too_long': 'a text of {max_length} or fewer characters',
    'string_pattern_mismatch': 'a text like the regular expression {pattern}',
    'list_type': 'a list',
    'tuple_type': 'a list',
    'dict_type': 'keys with values',
    'too_short': '{min_length} or more entries',
    'too_long': '{max_length} or fewer entries',
    'literal_error': '{expected}',
    'enum': '{expected}',
}
#: A number without a point, or without a sign after the e, e.g. 1e-6: YAML 1.1 reads it as a text.
_EXPONENT = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+')
#: A text that begins so says what was expected; any other says what is wrong.
_START = 'expected '
#: Largest real number; whole numbers in a file may be larger.
_LARGEST = sys.float_info.max
#: Number of characters up to which a value is shown as it is written.
_LONGEST = 60


class Keys:
    """The keys that each mapping of a document may have; models note them as they read it."""

    def __init__(self) -> None:
        self._known: dict[int | str, dict[str, None]] = {}

    def note(self, model: type[BaseModel], data: object) -> None:
        """Remember a model's keys, for the entry that is read as this model and for its name."""
        keys = dict.fromkeys(field.alias or name for name, field in model.model_fields.items())
        for owner in (id(data), model.__name__):
            self._known.setdefault(owner, {}).update(keys)

    def of_entry(self, data: object) -> tuple[str, ...]:
        """The keys that an entry may have; empty if no model reads it."""
        return tuple(self._known.get(id(data), ()))

    def of_model(self, name: str) -> tuple[str, ...]:
        """The keys of the model of this name."""
        return tuple(self._known.get(name, ()))


def location_of(error: ErrorDetails, data: object) -> Location:
    """The location of an error in a document, without the parts that pydantic adds.

    Pydantic adds, for instance, the names of a union's types.
    """
    place: list[int | str] = []
    for index, step in enumerate(error['loc']):
        found = _child(data, step)
        if found is not None:
            place.append(step)
            data = found[0]
        elif error['type'] == 'missing' and index == len(error['loc']) - 1:
            place.append(step)
    return tuple(place)


def reworded(
    errors: Sequence[ErrorDetails], data: object, keys: Keys, whole: str = ''
) -> Iterator[tuple[Location, str]]:
    """What is wrong with the entries of a document, in words.

    Args:
        errors: errors from pydantic.
        data: the document.
        keys: the keys that its mappings may have.
        whole: what is said to be empty where the document is; by default only that it is.

    Yields:
        The location of an entry, and what is wrong with it; each entry once.
    """
    groups: dict[Location, list[ErrorDetails]] = {}
    for error in errors:
        if not _only_counts_what_fits(error):
            groups.setdefault(location_of(error, data), []).append(error)
    missing = {place for place, group in groups.items() if group[0]['type'] == 'missing'}
    misspelt = {}
    for place, group in groups.items():
        if group[0]['type'] == 'extra_forbidden':
            mapping = _entry(data, place[:-1])
            unused = [key for key in keys.of_entry(mapping) if key not in mapping]
            misspelt[place] = nearest(str(place[-1]), unused)
    meant = {(*place[:-1], name) for place, name in misspelt.items() if name is not None}
    for place, group in groups.items():
        if place in misspelt:
            required = misspelt[place] is not None and (*place[:-1], misspelt[place]) in missing
            known = keys.of_entry(_entry(data, place[:-1]))
            yield place, _unknown_key(misspelt[place], required, known)
        elif place not in missing:
            yield place, _wrong(group, keys, whole=whole if not place else '')
        elif place not in meant:  # a key that is only misspelt was reported as an unknown key
            yield place, 'is required'


def _only_counts_what_fits(error: ErrorDetails) -> bool:
    """Whether a list is too short only because wrong entries, reported anyway, do not count."""
    given, context = error['input'], error.get('ctx', {})
    return (
        error['type'] == 'too_short'
        and isinstance(given, list | tuple | dict)
        and len(given) >= context.get('min_length', 0)
    )


def _unknown_key(meant: str | None, required: bool, known: Sequence[str]) -> str:
    if meant is None:
        return f'unknown key; known: {", ".join(known) or "none"}'
    return f'unknown key; did you mean {meant!r}{", which is required" if required else ""}?'


def _wrong(group: Sequence[ErrorDetails], keys: Keys, whole: str) -> str:
    """What is wrong with an entry that exists: its value, and what was expected."""
    value = group[0]['input']
    texts = list(dict.fromkeys(_text(error, keys) for error in group))
    statements = [text for text in texts if not text.startswith(_START)]
    if statements:
        scalar = not isinstance(value, dict | list | tuple | BaseModel)
        return '; '.join(statements) + (f' (got {_shown(value)})' if scalar else '')
    expected = ' or '.join(text.removeprefix(_START) for text in texts)
    if whole and value is None:
        return f'{whole} is empty; expected {expected}'
    if isinstance(value, int) and abs(value) > _LARGEST and 'a number' in expected:
        return f'is {_shown(value)}, which is too large; expected at most {_LARGEST:.2g}'
    if expected == 'a text' and isinstance(value, bool | int | float):
        expected += ' in quotes'
    if 'a number' in expected and _is_number_elsewhere(value):
        expected += f', which YAML reads from {float(value):.1e} but not from {value}'
    return f'is {_shown(value)}; expected {expected}'


def _is_number_elsewhere(value: object) -> TypeGuard[str]:
    """Whether a text is a finite number in other languages than YAML 1.1."""
    return (
        isinstance(value, str)
        and _EXPONENT.fullmatch(value) is not None
        and isfinite(float(value))
    )


def _text(error: ErrorDetails, keys: Keys) -> str:
    """An error in words: `expected ...`, or the sentence of one of our own checks."""
    context: Mapping[str, Any] = error.get('ctx', {})
    if error['type'] == 'value_error':
        return str(context['error'])
    if 'class_name' in context:
        known = ', '.join(keys.of_model(str(context['class_name'])))
        return f'{_START}the keys {known}'
    pattern = _EXPECTED.get(error['type'])
    return error['msg'] if pattern is None else _START + pattern.format(**context)


def _shown(value: object) -> str:
    """A value as it is written in a file, if it is short."""
    if value is None:
        return 'empty'
    if isinstance(value, str):
        text = repr(value)
    else:
        try:
            written = yaml.safe_dump(value, default_flow_style=True, width=10**6)
            text = written.removesuffix('...\n').strip()
        except yaml.YAMLError:  # of no type that a file could have, such as an array
            text = repr(value)
    if len(text) <= _LONGEST:
        return text
    match value:
        case dict():
            return f'{len(value)} keys with values'
        case list():
            return f'a list of {len(value)} entries'
    return text[:_LONGEST] + '...'


def _child(data: object, step: int | str) -> tuple[object] | None:
    """The entry of a mapping or list, in a tuple of one; None if there is no such entry."""
    if isinstance(data, dict) and step in data:
        return (data[step],)
    if isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
        return (data[step],)
    return None


def _entry(data: object, location: Location) -> Any:
    for step in location:
        found = _child(data, step)
        assert found is not None
        data = found[0]
    return data
