"""Messages from what a person types, and messages as text."""

import math
import re
from array import array
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import yaml

from softshell_common.shown import shown
from softshell_common.yaml_loader import loaded
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
            raise UnknownNameError(f'entry of {type(message).__name__}', str(name), list(types))
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


def typed(name: str, type_: str, text: str) -> Any:
    """A value as a person types it: in YAML, but a text stands for itself.

    Args:
        name: of the entry, for messages.
        type_: of the entry, e.g. `sequence<geometry_msgs/Pose>`, `double[9]` or `string`.
        text: that was typed.

    Raises:
        UnknownNameError: a message in it has no such entry.
        ProblemsError: it is not of this type.
    """
    if type_.startswith('string'):
        return text
    try:
        value = loaded(text)[1]
    except (yaml.YAMLError, UnicodeEncodeError):  # not UTF-8
        value = text
    return _value(name, type_, value)


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
        _check(isinstance(value, str), name, value, 'a text, in quotes')
        return value
    if type_ == 'boolean':
        _check(isinstance(value, bool), name, value, 'true or false')
        return value
    if whole := _WHOLE.fullmatch(type_):
        bits = int(whole[2])
        low, high = (0, 2**bits - 1) if whole[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        _check(fits, name, value, f'a whole number from {low} to {high}')
        return value
    try:  # YAML takes 1e-3 for a text
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    _check(type_ in ('float', 'double') and not math.isnan(number), name, value, 'a number')
    return number


def _check(fits: bool, name: str, value: Any, expected: str) -> None:
    if not fits:
        told = str(value).lower() if isinstance(value, bool) else str(value)
        raise ProblemsError('what is given', [f'{name} is {shown(told)}; expected {expected}'])
