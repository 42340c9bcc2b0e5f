"""The page on the commands of `./softshell`, made from their help texts."""

import enum
import inspect
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import typer

from softshell_tools.parts import PARTS
from softshell_tools.reference.markdown import code, page, table
from softshell_tools.reference.schema_words import words
from softshell_tools.requirement_sets import SETS
from softshell_tools.stack_arguments import StackCommand

HEAD = ('argument', 'value', 'default', 'meaning')
#: Types of JSON schemas, by those of arguments.
TYPES = {bool: 'boolean', int: 'integer', float: 'number', str: 'string'}


def commands_page(app: typer.Typer) -> str:
    """The page, in Markdown.

    Args:
        app: the command line.
    """
    group: Any = typer.main.get_command(app)
    sets = [(code(one.name), one.purpose) for one in SETS.values()]
    parts = [(code(name), what) for name, what in PARTS.items()]
    return page(
        'Commands',
        'All commands of `./softshell`; each installs what it needs at its first use. What has a '
        'dash for its default may be left out; an option without a value is given or left out.',
        [
            *(text for name, command in group.commands.items() for text in _of(name, command)),
            '## Sets of requirements\n\nWhat `./softshell setup SET` installs.',
            table(('set', 'what it is for'), sets),
            '## Parts of the tests\n\nWhat `./softshell test --part NAME` runs.',
            table(('part', 'what it checks'), parts),
        ],
    )


def _of(name: str, command: Any) -> Iterator[str]:
    """The section of a command."""
    yield f'## {name}'
    for paragraph in inspect.cleandoc(command.help or '').split('\n\n'):
        example = paragraph.startswith(f'{name} ')
        yield f'```bash\n./softshell {paragraph}\n```' if example else paragraph
    shown = [one for one in command.params if one.name != 'help']
    if shown:
        yield table(HEAD, [_row(one, command.callback) for one in shown])
    if isinstance(command, StackCommand):
        taken, link = ', '.join(map(code, command.takes)), '[arguments of the stack](arguments.md)'
        yield f'It takes these {link}: {taken}.' if taken else f'It takes all {link}.'


def _row(parameter: Any, function: Callable[..., Any]) -> tuple[str, ...]:
    """The row of an argument or option.

    Args:
        parameter: as the command line has it.
        function: the function that it is handed to.
    """
    kind, information = get_args(get_type_hints(function, include_extras=True)[parameter.name])
    given = inspect.signature(function).parameters[parameter.name].default
    return (
        _name(parameter),
        _values(kind, information),
        _default(given, information, [*parameter.opts, *parameter.secondary_opts]),
        parameter.help or '',
    )


def _name(parameter: Any) -> str:
    """An argument or option as a user types it."""
    if parameter.param_type_name == 'argument':
        return code(parameter.metavar or parameter.name.upper())
    names = ' '.join(map(code, [*parameter.opts, *parameter.secondary_opts]))
    return f'{names} {code(parameter.metavar)}'.strip()


def _values(kind: Any, information: Any) -> str:
    """The values that an argument may have, in words; empty for one that is given or not."""
    if isinstance(kind, types.UnionType) or get_origin(kind) is list:
        (kind,) = (one for one in get_args(kind) if one is not types.NoneType)
        return _values(kind, information)
    if kind is bool:
        return ''
    if kind is Path:
        return 'path'
    if issubclass(kind, enum.Enum):
        return words({'enum': [one.value for one in kind]}, code)
    bounds = {'minimum': information.min, 'maximum': information.max}
    set_ = {name: bound for name, bound in bounds.items() if bound is not None}
    return words({'type': TYPES[kind], **set_}, code)


def _default(given: Any, information: Any, names: list[str]) -> str:
    """The default of an argument, as its help has it; a dash if it is only left out.

    Args:
        given: the default of the function.
        information: on the argument.
        names: of an option; of one that is on or off: its two forms.
    """
    if given is inspect.Parameter.empty:
        return 'required'
    if isinstance(information.show_default, str):
        return information.show_default
    if isinstance(given, bool) and len(names) == 2:
        return code(names[not given])
    if given is None or given is False or given == '':
        return '–'
    return code(f'{given:g}' if isinstance(given, float) else given)
