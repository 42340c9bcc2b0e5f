"""Arguments of the stack, and parameters of actions, as they are typed: `name:=value`."""

from collections.abc import Iterable

import typer
from typer.core import TyperCommand


def assignments(tokens: Iterable[str]) -> dict[str, str]:
    """Values by name.

    Raises:
        typer.BadParameter: a token is no `name:=value`, or a name is given twice.
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


class StackCommand(TyperCommand):
    """A command that takes arguments of the stack, which its help lists."""

    def format_help(self, ctx, formatter) -> None:
        """Write the help; the arguments are looked up only for this."""
        from softshell_bringup.nodes import ARGUMENTS

        listed = [f'{a.name}:={a.default_text} {a.description} ({a.valid})' for a in ARGUMENTS]
        self.epilog = '\n\n'.join(['Arguments of the stack, with their defaults:', *listed])
        super().format_help(ctx, formatter)
