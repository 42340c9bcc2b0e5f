"""Messages of any type, filled with what nobody expects."""

import math
import random
from importlib import import_module
from typing import Any

from rcl_interfaces.msg import ParameterType, ParameterValue
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    NamespacedType,
)

NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 0.1, math.pi, 1e-9, -1e-300, 5e-324, 1e4, -1e5, 1e20, 1e100, -1e308,
    math.inf, -math.inf, math.nan,
)  # fmt: skip
#: Whole numbers are cut to what their type holds.
WHOLE = (0, 1, 2, 3, 255, 65_535, 2**31 - 1, 2**63 - 1, -1, -(2**31))
LENGTHS = (0, 0, 1, 1, 2, 3, 6, 31, 200)
#: Bounds of an element of messages within messages: deeper ones stay short.
MOST_NESTED = 4


class MadeUp:
    """Makes messages.

    Args:
        names: texts that mean something to the receiver, so that some get past the first check.
        seed: of the random numbers.
    """

    def __init__(self, names: tuple[str, ...], seed: int) -> None:
        self._random = random.Random(seed)
        self._texts = (
            *names,
            *names,
            *names,
            '',
            ' ',
            'ümläut',
            '/',
            'a' * 5000,
            '\n\x1b[2J',
            '0',
        )

    def fill(self, message: Any) -> Any:
        """Fill every field of a message; returns it."""
        for name, kind in zip(
            message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True
        ):
            setattr(message, name, self._value(kind, getattr(message, name)))
        if isinstance(message, ParameterValue):
            # On a type that there is not rclpy's own service raises and gives no answer.
            message.type %= ParameterType.PARAMETER_STRING_ARRAY + 1
        return message

    def _value(self, kind: Any, present: Any) -> Any:
        pick = self._random.choice
        if isinstance(kind, AbstractNestedType):
            inner = kind.value_type
            count = kind.size if isinstance(kind, Array) else pick(LENGTHS)
            if isinstance(inner, NamespacedType):
                count = min(count, MOST_NESTED)
            return [self._element(inner) for _ in range(count)]
        if isinstance(kind, NamespacedType):
            return self.fill(present)
        return self._element(kind)

    def _element(self, kind: Any) -> Any:
        pick = self._random.choice
        if isinstance(kind, NamespacedType):
            return self.fill(getattr(import_module('.'.join(kind.namespaces)), kind.name)())
        if isinstance(kind, AbstractString | AbstractWString):
            return pick(self._texts)
        assert isinstance(kind, BasicType)
        name = kind.typename
        if name == 'boolean':
            return pick((True, False))
        if name in ('double', 'float'):
            value = pick(NUMBERS) if self._random.random() < 0.5 else self._random.gauss(0.0, 1.0)
            fits = name == 'double' or abs(value) < 3e38 or not math.isfinite(value)
            return value if fits else 0.0
        if name == 'octet':
            return bytes([self._random.randrange(256)])
        bits = int(name.removeprefix('u').removeprefix('int'))
        if name.startswith('u'):
            return min(max(pick(WHOLE), 0), 2**bits - 1)
        return min(max(pick(WHOLE), -(2 ** (bits - 1))), 2 ** (bits - 1) - 1)
