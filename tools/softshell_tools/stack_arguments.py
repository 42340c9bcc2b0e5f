"""Arguments of the stack, and parameters of actions, on the command line: `name:=value`."""

from collections.abc import Iterable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from softshell_tools.requirement_sets import HARDWARE, WEB

#: The sets of requirements that a stack needs if an argument has a value.
SETS_OF_VALUES = {('bridge', 'hardware'): HARDWARE, ('gui', 'web'): WEB}


def assignments(tokens: Iterable[str]) -> dict[str, str]:
    """The values of `name:=value` words, by name.

    Raises:
        typer.BadParameter: a word is no `name:=value`, or a name is given twice.
    """
    given: dict[str, str] = {}
    for token in tokens:
        name, separator, value = token.partition(':=')
        if not separator or not name:
            other, equals, rest = token.lstrip('-').partition('=')
            hint = f'; did you mean {other}:={rest}?' if other and equals else ''
            raise typer.BadParameter(f'{token!r}: expected name:=value{hint}')
        if name in given:
            raise typer.BadParameter(f'{token!r}: {name} is given twice, first {given[name]!r}')
        given[name] = value
    return given


def sets_of_stack(given: Mapping[str, str]) -> list[str]:
    """The sets of requirements that a stack with these arguments needs."""
    return [name for each, name in SETS_OF_VALUES.items() if each in given.items()]


def check_domain() -> None:
    """Check that this environment names a ROS domain.

    Raises:
        SoftshellError: `ROS_DOMAIN_ID` is no number of a domain.
    """
    from softshell_bringup.domain import current_domain

    current_domain()


def take_namespace(given: dict[str, str]) -> str:
    """Remove the namespace of the stack from the given values, and return it; empty if not given.

    Raises:
        typer.BadParameter: it is no valid namespace.
    """
    from softshell_bringup.arguments import BY_NAME

    try:
        return str(BY_NAME['namespace'].parse(given.pop('namespace', ''))).strip('/')
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def parted(words: Iterable[str], what: str) -> tuple[str, dict[str, str], str]:
    """The parts of a command line about a running stack: a name, what is given, and the namespace.

    Args:
        words: of the command line.
        what: is named, for messages, e.g. `an action`.

    Returns:
        The name, empty if there is none; values by name; the namespace.

    Raises:
        typer.BadParameter: a word is no `name:=value`, or something is given without a name.
        SoftshellError: this environment names no ROS domain.
    """
    tokens = list(words)
    name = next((word for word in tokens if ':=' not in word), '')
    if name:
        tokens.remove(name)
    given = assignments(tokens)
    namespace = take_namespace(given)
    if given and not name:
        raise typer.BadParameter(f'{", ".join(given)}: expected the name of {what} as well')
    check_domain()
    return name, given, namespace


def namespace_alone(tokens: Iterable[str]) -> str | None:
    """The namespace of the stack, for commands that take no other argument; None if not given.

    Raises:
        typer.BadParameter: another argument is given, or the namespace is not valid.
    """
    given = assignments(tokens)
    namespace = take_namespace(given) if 'namespace' in given else None
    if given:
        raise typer.BadParameter(f'unknown argument {next(iter(given))!r}; known: namespace')
    return namespace


class StackCommand(TyperCommand):
    """A command that takes arguments of the stack, and lists them in its help."""

    #: Names of the arguments that it takes; empty: all.
    takes: tuple[str, ...] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help; the arguments are imported only here, since that takes time."""
        from softshell_bringup.arguments import ARGUMENTS

        listed = [
            f'{one.name}:={one.default_text} {one.description} ({one.valid})'
            for one in ARGUMENTS
            if not self.takes or one.name in self.takes
        ]
        self.epilog = '\n\n'.join(['Arguments of the stack, with their defaults:', *listed])
        super().format_help(ctx, formatter)


class NamespaceCommand(StackCommand):
    """A command about a running stack, which takes only its namespace."""

    takes = ('namespace',)
