"""The parsers of the commands that pages show: of ./softshell, and of the benchmarks."""

import argparse
import re
import shlex
import sys
from functools import cache
from importlib import import_module
from unittest.mock import patch

import typer
from pages import ROOT, text_of

from softshell_tools import cli
from softshell_tools.bench_command import RECORD
from softshell_tools.parts import benchmarks
from softshell_tools.stack_arguments import StackCommand, assignments

BENCHMARKS = benchmarks(ROOT)
COMMANDS = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
#: Commands that take parameters or entries beside arguments of the stack.
TAKE_MORE = ('action', 'call', 'set')


def parse(words: str) -> None:
    """Let the command that is named first take the others; nothing is run.

    Raises:
        click.UsageError: the command does not take them.
        SystemExit: the benchmark does not.
    """
    name, *rest = shlex.split(words)
    command = COMMANDS[name]
    given = command.make_context(name, [*rest]).args
    if name == 'bench' and rest:
        benchmark, *rest = rest
        if rest != ['--help']:
            parser_of_benchmark(benchmark).parse_args([word for word in rest if word != RECORD])
    elif name not in ('test', 'setup', 'teleop'):  # they pass on what they do not know
        assert not [word for word in given if word.startswith('-')], words
    if isinstance(command, StackCommand) and name not in TAKE_MORE:
        stack = rest[: rest.index(cli.ROS_ARGS)] if cli.ROS_ARGS in rest else rest
        names = {*assignments(word for word in stack if ':=' in word)}
        assert names <= {*command.takes} or not command.takes, words


class _MadeError(Exception):
    """A parser that is about to be used."""


@cache
def parser_of_benchmark(name: str) -> argparse.ArgumentParser:
    """The parser that a benchmark makes as it starts."""
    folder = str(BENCHMARKS[name].parent)

    def stop(parser: argparse.ArgumentParser, *arguments: object) -> None:
        raise _MadeError(parser)

    with patch.object(sys, 'path', [folder, *sys.path]):
        module = import_module(name)
    with patch.object(argparse.ArgumentParser, 'parse_args', stop):
        try:
            module.main()
        except _MadeError as made:
            (parser,) = made.args
    parser.allow_abbrev = False
    return parser


@cache
def options_of(command: str) -> dict[str, bool]:
    """The options of `NAME` or `bench NAME`, and whether each takes a value."""
    name, _, benchmark = command.partition(' ')
    found = {
        option: not getattr(parameter, 'is_flag', False)
        for parameter in COMMANDS[name].params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith('--')
    }
    if name == 'bench':
        found[RECORD] = False
    if benchmark:
        added = re.findall(r"add_argument\(\s*'(--[\w-]+)'([^)]*)", text_of(BENCHMARKS[benchmark]))
        found |= {option: 'store_true' not in rest for option, rest in added}
    return found
