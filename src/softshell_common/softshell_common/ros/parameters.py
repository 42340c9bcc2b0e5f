"""Declares ROS parameters from one typed dataclass, and follows their changes.

    @dataclass(frozen=True)
    class Parameters:
        tolerance: float = parameter(1e-6, 'residual that counts as solved [m]', 1e-12, 1e-2)
        bridge: str = parameter('sim', 'what moves', choices=('sim', 'mock'))

    parameters = declare(node, Parameters)

A value of the wrong type or outside its range is refused, at start-up and when it is set live, so
`on_change` gets only valid sets. The refusal has the parameter's name, except where a value of the
wrong type is set live: rclpy refuses that. A whole number is taken for a real one.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from softshell_kinematics.errors import SoftshellError, nearest

Set = TypeVar('Set')

#: The fields declared so far, by name, of each node.
_FIELDS: WeakKeyDictionary[Node, dict[str, dataclasses.Field[Any]]] = WeakKeyDictionary()


def parameter(
    default: Any,
    description: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    live: bool = False,
    zero: bool = False,
) -> Any:
    """A dataclass field that is a ROS parameter.

    Args:
        default: default value; its type is the parameter's type (bool, int, float, str).
        description: what the parameter is, with its unit.
        minimum, maximum: inclusive range of a number; both or neither.
        choices: the valid values of a text; empty: any.
        live: whether it may be set while the node runs; otherwise it is read-only.
        zero: whether 0 is valid in addition to the range.
    """
    metadata = {
        'description': description,
        'range': None if minimum is None else (minimum, maximum),
        'choices': choices,
        'live': live,
        'zero': zero,
    }
    return dataclasses.field(default=default, metadata=metadata)


def declare(
    node: Node,
    kind: type[Set],
    on_change: Callable[[Set], None] | None = None,
    problem_of: Callable[[Set], str] = lambda values: '',
) -> Set:
    """Declare each field of a parameter dataclass on a node and return their values.

    Args:
        node: the node to declare on.
        kind: a frozen dataclass of `parameter` fields.
        on_change: called with the whole new set after live parameters were set.
        problem_of: returns what is wrong with a whole set, beyond types and ranges of single
            parameters; empty if nothing is. A set with a problem is refused.

    Raises:
        SoftshellError: a given value is of another type, or `problem_of` found a problem.
        InvalidParameterValueException: a given value is outside its range or choices.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    overrides = _overrides(node)
    for name, field in fields.items():
        if name in overrides:
            overrides[name] = _as_real(field, overrides[name])
            _refuse_type(field, overrides[name].value)
    values = {
        name: node.declare_parameter(name, field.default, _descriptor(field)).value
        for name, field in fields.items()
    }
    for name, value in values.items():
        problem = _problem(fields[name], value)
        if problem:
            raise InvalidParameterValueException(name, value, problem)
    current = kind(**values)
    if found := problem_of(current):
        raise SoftshellError(found)

    def check(changes: list[Parameter]) -> SetParametersResult:
        ours = {change.name: change.value for change in changes if change.name in fields}
        problems = (_problem(fields[name], value) for name, value in ours.items())
        problem = next(filter(None, problems), '')
        if ours and not problem:
            problem = problem_of(dataclasses.replace(current, **ours))  # type: ignore[type-var]
        return SetParametersResult(successful=not problem, reason=problem)

    def apply(changes: list[Parameter]) -> None:
        nonlocal current
        ours = {change.name: change.value for change in changes if change.name in fields}
        if ours:
            current = dataclasses.replace(current, **ours)  # type: ignore[type-var]
            if on_change is not None:
                on_change(current)

    _take_whole_numbers(node, fields)
    node.add_on_set_parameters_callback(check)
    node.add_post_set_parameters_callback(apply)
    return current


def _take_whole_numbers(node: Node, fields: dict[str, dataclasses.Field[Any]]) -> None:
    """Take whole numbers where live parameters expect real ones.

    A node gets one callback for all its fields: of several callbacks, rclpy would set what each
    returns.
    """
    known = _FIELDS.get(node)
    if known is not None:
        known.update(fields)
        return
    _FIELDS[node] = known = dict(fields)
    node.add_pre_set_parameters_callback(
        lambda changes: [
            _as_real(known[change.name], change) if change.name in known else change
            for change in changes
        ]
    )


def _descriptor(field: dataclasses.Field[Any]) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=field.metadata['description'], read_only=not field.metadata['live']
    )
    bounds, choices = field.metadata['range'], field.metadata['choices']
    if bounds is not None and isinstance(field.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(
                from_value=0.0 if field.metadata['zero'] else float(bounds[0]),
                to_value=float(bounds[1]),
            )
        ]
    elif bounds is not None:
        descriptor.integer_range = [IntegerRange(from_value=bounds[0], to_value=bounds[1])]
    if choices:
        descriptor.additional_constraints = f'one of: {", ".join(choices)}'
    return descriptor


def _problem(field: dataclasses.Field[Any], value: Any) -> str:
    """What is wrong with a value by its choices, or by the gap between 0 and its range.

    ROS checks neither.
    """
    choices, bounds = field.metadata['choices'], field.metadata['range']
    if choices and value not in choices:
        return f'{field.name} is {value!r}; expected one of: {", ".join(choices)}'
    if field.metadata['zero'] and 0.0 < value < bounds[0]:
        return f'{field.name} is {value:g}; expected 0, or {bounds[0]:g} to {bounds[1]:g}'
    return ''


def _as_real(field: dataclasses.Field[Any], given: Parameter) -> Parameter:
    """A parameter, a whole number made real if the field is real."""
    if isinstance(field.default, float) and given.type_ is Parameter.Type.INTEGER:
        return Parameter(given.name, value=float(given.value))
    return given


#: Types of parameters, as messages name them.
_TYPES = {bool: 'true or false', int: 'a whole number', float: 'a number', str: 'a text'}


def _refuse_type(field: dataclasses.Field[Any], value: Any) -> None:
    """Refuse a value of another type than the field's.

    Raises:
        SoftshellError: the value is of another type.
    """
    kind = type(field.default)
    if kind in _TYPES and type(value) is not kind:
        raise SoftshellError(f'parameter {field.name} is {value!r}; expected {_TYPES[kind]}')


def _overrides(node: Node) -> dict[str, Parameter]:
    """What files and the command line set for a node; rclpy has no public way to it."""
    return node._parameter_overrides


def unknown_parameters(node: Node) -> list[str]:
    """A line for each parameter that was given and that the node does not have.

    Args:
        node: a node that has declared all its parameters.
    """
    known = sorted(node.get_parameters_by_prefix(''))
    lines = []
    for name in sorted(_overrides(node)):
        if node.has_parameter(name) or name.startswith('qos_overrides.'):
            continue
        meant = nearest(name, known)
        hint = f'did you mean {meant}?' if meant is not None else f'known: {", ".join(known)}'
        lines.append(f'{name!r} is no parameter of this node; {hint}')
    return lines
