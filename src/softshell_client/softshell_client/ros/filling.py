"""Messages from what a person types, and messages as text."""

import re
from array import array
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import yaml

from softshell_common.shown import shown
from softshell_kinematics.errors import ProblemsError, UnknownNameError

_LIST = re.compile(r'sequence<(.+?)(?:, \d+)?>|(.+)\[(\d+)\]')
_WHOLE = re.compile(r'(u?)int(\d+)')


def filled(message: Any, values: Mapping[str, Any]) -> Any:
    """A message with these entries; others keep their defaults.

    Args:
        message: that is filled.
        values: of its entries, as YAML reads them; a mapping for a message inside it.

    Returns:
        The same message.

    Raises:
        UnknownNameError: it has no such entry.
        ProblemsError: a value is not of the type of its entry.
    """
    types = message.get_fields_and_field_types()
    for name, value in values.items():
        if name not in types:
            raise UnknownNameError(f'entry of {type(message).__name__}', name, list(types))
        setattr(message, name, _value(name, types[name], value))
    return message


def plain(message: Any) -> Any:
    """A message as mappings, lists, numbers and texts, for YAML."""
    if hasattr(message, 'get_fields_and_field_types'):
        names = message.get_fields_and_field_types()
        return {name: plain(getattr(message, name)) for name in names}
    if isinstance(message, np.ndarray | array):
        return message.tolist()
    if isinstance(message, list | tuple):
        return [plain(one) for one in message]
    return message


def read(text: str) -> Any:
    """A value as YAML reads it; text that is no YAML stands for itself."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _value(name: str, type_: str, value: Any) -> Any:
    """A value for an entry.

    Args:
        name: of the entry, for messages.
        type_: of the entry, e.g. `sequence<geometry_msgs/Pose>`, `double[9]` or `string`.
        value: as YAML reads it.
    """
    if listed := _LIST.fullmatch(type_):
        inner, count = listed[1] or listed[2], listed[3]
        fits = isinstance(value, list) and (not count or len(value) == int(count))
        _check(fits, name, value, f'a list of {count or "any number"} of type {inner}')
        return [_value(f'{name}[{place}]', inner, one) for place, one in enumerate(value)]
    if '/' in type_:
        _check(isinstance(value, dict), name, value, f'entries of {type_}, as {{name: value}}')
        package, _, kind = type_.partition('/')
        return filled(getattr(import_module(f'{package}.msg'), kind)(), value)
    if type_.startswith('string'):
        return value if isinstance(value, str) else str(value)
    if type_ == 'boolean':
        _check(isinstance(value, bool), name, value, 'true or false')
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if whole := _WHOLE.fullmatch(type_):
        bits = int(whole[2])
        low, high = (0, 2**bits - 1) if whole[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        fits = number and isinstance(value, int) and low <= value <= high
        _check(fits, name, value, f'a whole number from {low} to {high}')
        return value
    _check(number, name, value, 'a number')
    return float(value)


def _check(fits: bool, name: str, value: Any, expected: str) -> None:
    if not fits:
        problem = f'{name} is {shown(str(value))}; expected {expected}'
        raise ProblemsError('the request', [problem])
