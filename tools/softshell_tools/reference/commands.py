"""The page on the commands of `./softshell`, made from their help texts."""

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from softshell_tools.parts import PARTS
from softshell_tools.reference.markdown import code, page, table
from softshell_tools.requirement_sets import SETS


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
        'All commands of `./softshell`; each installs what it needs at its first use.',
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
    yield f'## {name}\n\n{inspect.cleandoc(command.help or "")}'
    shown = [one for one in command.params if not getattr(one, 'hidden', False)]
    if shown:
        yield table(('argument', 'meaning'), [(_name(one), one.help or '') for one in shown])


def _name(parameter: Any) -> str:
    """An argument or option as a user types it."""
    if parameter.param_type_name == 'argument':
        return code(parameter.metavar or parameter.name.upper())
    names = ' '.join(map(code, [*parameter.opts, *parameter.secondary_opts]))
    return f'{names} {code(parameter.metavar)}'.strip()
