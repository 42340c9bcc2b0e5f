"""Calls services of running nodes, for the command line."""

import sys
from collections.abc import Mapping
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from softshell_client.ros.connection import HINT
from softshell_client.ros.filling import plain, typed
from softshell_client.ros.lone import ATTEMPTS, Lone, kind_of, lone
from softshell_common.outcome import Status, outcome_text
from softshell_interfaces.msg import ActionOutcome
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: What every node offers besides what it is for.
_OF_ROS = (
    '_parameters',
    '_atomically',
    '_parameter_types',
    '/get_type_description',
    '_logger_levels',
)
#: End of the services that may be called again before they have answered.
_REPEATABLE = '/emergency_stop'


def list_services(namespace: str) -> int:
    """Print the services that can be called, and what they take.

    Args:
        namespace: namespace of the stack.

    Returns:
        Exit status: 0.

    Raises:
        SoftshellError: there is none.
    """
    table = Table('service', 'takes')
    with lone(namespace) as node:
        for name, type_ in sorted(node.all_services().items()):
            if _is_ours(name):
                kind = kind_of(type_)
                fields = kind.Request.get_fields_and_field_types() if kind else {}
                told = ', '.join(f'{key} ({of})' for key, of in fields.items())
                table.add_row(name, told if kind else f'{type_}, which is not installed here')
        _check_any(node, bool(table.row_count))
    Console(markup=False).print(table)
    return 0


def call(service: str, given: Mapping[str, str], namespace: str) -> int:
    """Call a service and print its answer.

    Args:
        service: its name in the namespace, e.g. `bridge/reset`, or its full name.
        given: entries of the request as typed, in YAML.
        namespace: namespace of the stack.

    Returns:
        Exit status: 0; 1 if the node could not do it.

    Raises:
        UnknownNameError: there is no such service, or the request has no such entry.
        ProblemsError: a value is of another type.
        SoftshellError: there are no services, this one has a type that is not installed here, or
            there is no answer.
    """
    with lone(namespace) as node:
        service = node.inside(service)
        kind = node.type_of(service)
        if kind is None:
            known = [name for name in node.services() if _is_ours(name)]
            _check_any(node, bool(known))
            raise UnknownNameError('service', service, known)
        request = kind.Request()
        types = request.get_fields_and_field_types()
        for name, text in given.items():
            if name not in types:
                raise UnknownNameError(f'entry of {service}', name, types)
            setattr(request, name, typed(name, types[name], text))
        who = f'node that offers {service}'
        attempts = ATTEMPTS if service.endswith(_REPEATABLE) else 1
        answer = node.ask(service, kind, request, who, HINT, attempts=attempts)
    return told(service, answer)


def told(service: str, answer: Any) -> int:
    """Print the answer of a service; returns the exit status."""
    message = getattr(answer, 'message', '')
    if (error := _error(service, answer, message)) is not None:
        print(f'error: {error}', file=sys.stderr)
        return 1
    entries = plain(answer)
    if set(entries) == {'success', 'message'}:
        print(message)
    else:
        print(yaml.safe_dump(entries, sort_keys=False, allow_unicode=True), end='')
    return 0


def _error(service: str, answer: Any, message: str) -> str | None:
    """What a node says that could not do it; None if it could."""
    if isinstance(outcome := getattr(answer, 'outcome', None), ActionOutcome):
        status = Status(outcome.status)
        done = status == Status.SUCCEEDED
        return None if done else outcome_text(service, status, outcome.message)
    fine = getattr(type(answer), 'OK', None)  # of services that have constants for their status
    done = fine is None or getattr(answer, 'status', fine) == fine
    return None if done and getattr(answer, 'success', True) else message


def _is_ours(service: str) -> bool:
    return not (service.endswith(_OF_ROS) or service.startswith('_') or '/_' in service)


def _check_any(node: Lone, found: bool) -> None:
    if not found:
        raise SoftshellError(f'no services in namespace {node.node.get_namespace()}: {HINT}')
