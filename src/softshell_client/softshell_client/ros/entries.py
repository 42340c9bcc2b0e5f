"""Entries of messages from values of any type, each checked against the type of its entry.

The setters of rclpy's messages check nothing, and its conversion of a message that is sent ends
the whole program if a value is of another type.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from softshell_common.shown import shown
from softshell_kinematics.errors import ProblemsError, UnknownNameError

_LIST = re.compile(r'sequence<(.+?)(?:, (\d+))?>|(.+)\[(\d+)\]')
_WHOLE = re.compile(r'(u?)int(\d+)')
#: What one can iterate over, but is no list.
_NO_LISTS = (str, bytes, bytearray, Mapping, set, frozenset)


def made(kind: Any, **values: Any) -> Any:
    """A message with entries as a program gives them; others keep their defaults.

    Args:
        kind: type of the message.
        values: of its entries, as of `entry`; numbers may be NaN.

    Raises:
        UnknownNameError: it has no such entry.
        ProblemsError: a value is not of the type of its entry.
    """
    return filled(kind(), values, takes_nan=True)


def numbers(values: Mapping[str, Any]) -> list[float]:
    """Numbers as a program gives them, by name; they may be NumPy's, and NaN.

    Raises:
        ProblemsError: names the first that is no number; or these are no values by name.
    """
    _check(isinstance(values, Mapping), 'values', values, 'numbers by name')
    return [entry(str(name), 'double', value, takes_nan=True) for name, value in values.items()]


def filled(
    message: Any, values: Mapping[str, Any], where: str = '', takes_nan: bool = False
) -> Any:
    """A message with these entries; others keep their defaults.

    Args:
        message: that is filled.
        values: of its entries, as of `entry`.
        where: put before the name of each entry in errors.
        takes_nan: whether numbers may be NaN.

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
        setattr(message, name, entry(f'{where}{name}', types[name], value, takes_nan))
    return message


def entry(name: str, type_: str, value: Any, takes_nan: bool = False) -> Any:
    """A value of the very type that an entry of a message has.

    Args:
        name: of the entry, for errors.
        type_: of the entry, e.g. `sequence<geometry_msgs/Pose>`, `double[9]` or `string`.
        value: as YAML reads it, or as a program gives it: also of NumPy, any iterable for a list,
            a message of its type. Of a message this makes a copy.
        takes_nan: whether numbers may be NaN.

    Raises:
        UnknownNameError: a message in it has no such entry.
        ProblemsError: it is not of this type.
    """
    if listed := _LIST.fullmatch(type_):
        return _list(name, listed, value, takes_nan)
    if '/' in type_:
        package, _, kind_name = type_.partition('/')
        kind = getattr(import_module(f'{package}.msg'), kind_name)
        if isinstance(value, kind):
            value = {each: getattr(value, each) for each in kind.get_fields_and_field_types()}
        _check(isinstance(value, Mapping), name, value, f'entries of {type_}, as {{name: value}}')
        return filled(kind(), value, f'{name}.', takes_nan)
    if type_.startswith(('string', 'wstring')):
        return _text(name, value)
    if type_ == 'boolean':
        _check(isinstance(value, bool | np.bool_), name, value, 'true or false')
        return bool(value)
    if type_ == 'octet':  # rclpy has it as bytes
        byte = value[0] if isinstance(value, bytes) and len(value) == 1 else value
        return bytes([_whole(name, byte, 0, 2**8 - 1)])
    if whole := _WHOLE.fullmatch(type_):
        bits = int(whole[2])
        signed = not whole[1]
        return _whole(name, value, -signed * 2 ** (bits - 1), 2 ** (bits - signed) - 1)
    _check(type_ in ('float', 'double'), name, value, f'a type that is known, not {type_}')
    return _number(name, value, takes_nan)


def _list(name: str, listed: re.Match[str], value: Any, takes_nan: bool) -> list[Any]:
    inner, most, count = listed[1] or listed[3], listed[2], listed[4]
    values: list[Any] | None = None
    if isinstance(value, Iterable) and not isinstance(value, _NO_LISTS):
        with suppress(TypeError):  # an array of NumPy without dimensions
            values = list(value)
    least, longest = int(count or 0), int(count or most or sys.maxsize)
    if values is None or not least <= len(values) <= longest:
        number = count or (f'at most {most}' if most else 'any number')
        raise _problem(name, value, f'a list of {number} of type {inner}')
    return [entry(f'{name}[{place}]', inner, one, takes_nan) for place, one in enumerate(values)]


def _text(name: str, value: Any) -> str:
    _check(isinstance(value, str), name, value, 'a text, in quotes')
    try:
        value.encode()
        fits = '\0' not in value  # at which it would be cut
    except UnicodeEncodeError:
        fits = False
    _check(fits, name, value, 'a text of UTF-8 without NUL')
    return str(value)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    _check(is_whole and low <= value <= high, name, value, f'a whole number from {low} to {high}')
    return int(value)


def _number(name: str, value: Any, takes_nan: bool) -> float:
    try:  # YAML takes 1e-3 for a text
        number = None if isinstance(value, bool | np.bool_) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (math.isnan(number) and not takes_nan):
        raise _problem(name, value, 'a number')
    return number


def _check(fits: bool, name: str, value: Any, expected: str) -> None:
    if not fits:
        raise _problem(name, value, expected)


def _problem(name: str, value: Any, expected: str) -> ProblemsError:
    try:
        told = str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:  # a whole number with more digits than Python writes
        told = f'a value of type {type(value).__name__}'
    return ProblemsError('what is given', [f'{shown(name)} is {shown(told)}; expected {expected}'])
