"""ROS parameters declared from one typed dataclass, and kept in step with it.

    @dataclass(frozen=True)
    class Parameters:
        tolerance: float = parameter(1e-6, 'residual that counts as solved [m]', 1e-12, 1e-2)
        bridge: str = parameter('sim', 'what moves', choices=('sim', 'mock'))

    parameters = declare(node, Parameters)

A value of the wrong type or outside its range is refused by ROS itself, by name, both at start-up
and when set live; `on_change` then sees only valid sets.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node

Set = TypeVar('Set')


def parameter(
    default: Any,
    description: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    live: bool = False,
) -> Any:
    """A dataclass field that is a ROS parameter.

    Args:
        default: its default, whose type is the parameter's type (bool, int, float, str).
        description: what it is, with its unit.
        minimum, maximum: inclusive range of a number; both or neither.
        choices: the valid values of a text.
        live: may be set while the node runs; otherwise it is read-only.
    """
    metadata = {
        'description': description,
        'range': None if minimum is None else (minimum, maximum),
        'choices': choices,
        'live': live,
    }
    return dataclasses.field(default=default, metadata=metadata)


def declare(node: Node, kind: type[Set], on_change: Callable[[Set], None] | None = None) -> Set:
    """Declare each field of a parameter dataclass on a node and return their values.

    Args:
        node: the node to declare on.
        kind: a frozen dataclass of `parameter` fields.
        on_change: called with a whole new set after live parameters were set.

    Raises:
        InvalidParameterValueException: an override is outside its range or choices.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values = {
        name: node.declare_parameter(name, field.default, _descriptor(field)).value
        for name, field in fields.items()
    }
    for name, value in values.items():
        problem = _choice_problem(fields[name], value)
        if problem:
            raise InvalidParameterValueException(name, value, problem)
    current = kind(**values)

    def check(changes: list) -> SetParametersResult:
        for change in changes:
            field = fields.get(change.name)
            problem = field and _choice_problem(field, change.value)
            if problem:
                return SetParametersResult(successful=False, reason=problem)
        return SetParametersResult(successful=True)

    def apply(changes: list) -> None:
        nonlocal current
        ours = {change.name: change.value for change in changes if change.name in fields}
        if ours:
            current = dataclasses.replace(current, **ours)  # type: ignore[type-var]
            if on_change is not None:
                on_change(current)

    node.add_on_set_parameters_callback(check)
    node.add_post_set_parameters_callback(apply)
    return current


def _descriptor(field: dataclasses.Field) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=field.metadata['description'], read_only=not field.metadata['live']
    )
    bounds, choices = field.metadata['range'], field.metadata['choices']
    if bounds is not None and isinstance(field.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(bounds[0]), to_value=float(bounds[1]))
        ]
    elif bounds is not None:
        descriptor.integer_range = [IntegerRange(from_value=bounds[0], to_value=bounds[1])]
    if choices:
        descriptor.additional_constraints = f'one of: {", ".join(choices)}'
    return descriptor


def _choice_problem(field: dataclasses.Field, value: Any) -> str:
    choices = field.metadata['choices']
    if not choices or value in choices:
        return ''
    return f'{field.name} is {value!r}; expected one of: {", ".join(choices)}'
