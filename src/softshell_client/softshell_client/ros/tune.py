"""Lists and sets the parameters of running nodes, for the command line."""

import sys
from collections.abc import Mapping
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.parameter import Parameter, parameter_value_to_python
from rich.console import Console
from rich.table import Table

from softshell_client.ros.connection import HINT
from softshell_client.ros.filling import typed
from softshell_client.ros.lone import Lone, lone
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: Types of parameters, as of entries of messages.
_TYPES: Mapping[int, str] = {
    ParameterType.PARAMETER_BOOL: 'boolean',
    ParameterType.PARAMETER_INTEGER: 'int64',
    ParameterType.PARAMETER_DOUBLE: 'double',
    ParameterType.PARAMETER_STRING: 'string',
    ParameterType.PARAMETER_BOOL_ARRAY: 'sequence<boolean>',
    ParameterType.PARAMETER_INTEGER_ARRAY: 'sequence<int64>',
    ParameterType.PARAMETER_DOUBLE_ARRAY: 'sequence<double>',
    ParameterType.PARAMETER_STRING_ARRAY: 'sequence<string>',
}


def list_parameters(node: str, namespace: str) -> int:
    """Print the parameters of a node.

    Args:
        node: its name in the namespace, e.g. `bridge`, or its full name.
        namespace: namespace of the stack.

    Returns:
        Exit status: 0.

    Raises:
        SoftshellError: there is no such node, or it did not answer.
    """
    table = Table('parameter', 'value', 'may change', 'meaning')
    with lone(namespace) as asking:
        node = asking.inside(node)
        names = sorted(_names(asking, node))
        request = GetParameters.Request(names=names)
        values = _ask(asking, node, 'get_parameters', GetParameters, request).values
        for value, one in zip(values, _described(asking, node, names), strict=True):
            may = 'no' if one.read_only else 'yes'
            table.add_row(one.name, str(parameter_value_to_python(value)), may, one.description)
    Console(markup=False).print(table)
    return 0


def set_parameters(node: str, given: Mapping[str, str], namespace: str) -> int:
    """Set parameters of a node, one after the other.

    Args:
        node: its name in the namespace, e.g. `bridge`, or its full name.
        given: values as typed, by parameter.
        namespace: namespace of the stack.

    Returns:
        Exit status: 0; 1 if the node refused one.

    Raises:
        UnknownNameError: there is no such node, or it has no such parameter.
        ProblemsError: a value is of another type.
        SoftshellError: there are no nodes, or this one did not answer.
    """
    with lone(namespace) as asking:
        node = asking.inside(node)
        known = _names(asking, node)
        for name in given:
            if name not in known:
                raise UnknownNameError(f'parameter of {node}', name, sorted(known))
        described = _described(asking, node, list(given))
        typed = zip(described, given.values(), strict=True)
        values = [_parameter(one.name, one.type, text).to_parameter_msg() for one, text in typed]
        request = SetParameters.Request(parameters=values)
        results = _ask(asking, node, 'set_parameters', SetParameters, request).results
    refused = False
    for name, result in zip(given, results, strict=True):
        if not result.successful:
            refused = True
            print(f'error: {name}: {result.reason}', file=sys.stderr)
        else:
            print(f'{node}: {name} is {given[name]}')
    return int(refused)


def _parameter(name: str, type_: int, text: str) -> Parameter:
    """A parameter from what was typed.

    Raises:
        ProblemsError: the value is not of its type.
    """
    if type_ not in _TYPES:
        raise ProblemsError('what is given', [f'{name} has a type that cannot be typed'])
    return Parameter(name, Parameter.Type(type_), typed(name, _TYPES[type_], text))


def _names(asking: Lone, node: str) -> set[str]:
    """The names of a node's parameters.

    Raises:
        UnknownNameError: there is no such node.
        SoftshellError: there is none at all.
    """
    if asking.type_of(f'{node}/list_parameters') is None:
        found = {name.removesuffix('/list_parameters') for name in asking.services()
                 if name.endswith('/list_parameters')}  # fmt: skip
        if not found:
            raise SoftshellError(f'no nodes in namespace {asking.node.get_namespace()}: {HINT}')
        raise UnknownNameError('node', node, sorted(found))
    request = ListParameters.Request()
    names = _ask(asking, node, 'list_parameters', ListParameters, request).result.names
    return set(names)


def _described(asking: Lone, node: str, names: list[str]) -> list[Any]:
    request = DescribeParameters.Request(names=names)
    answer = _ask(asking, node, 'describe_parameters', DescribeParameters, request)
    return list(answer.descriptors)


def _ask(asking: Lone, node: str, service: str, kind: Any, request: Any) -> Any:
    return asking.ask(f'{node}/{service}', kind, request, node, HINT)
