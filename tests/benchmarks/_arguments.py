"""The arguments of a benchmark: each tells its own with --help."""

import argparse
from pathlib import Path


def parser_of(program: str, text: str) -> argparse.ArgumentParser:
    """A parser whose help starts with the text of the benchmark's file.

    Args:
        program: path of the benchmark.
        text: docstring of its file.
    """
    return argparse.ArgumentParser(
        prog=f'./softshell bench {Path(program).stem}',
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def count(text: str) -> int:
    """A whole number from 1 on, of the command line.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'{text!r}: expected a whole number from 1 on')
    return int(text)
