"""Paths that commands take by `--output`: all refuse those that are none.

Of an empty text pathlib makes the folder in which the user happens to stand.
"""

from pathlib import Path

import typer


def output_file(given: str | Path) -> Path:
    """The path of a file to write; the `parser` of an option.

    Raises:
        typer.BadParameter: it is empty or blank.
    """
    return _path(given, 'a file')


def output_folder(given: str | Path) -> Path:
    """The path of a folder to write to; the `parser` of an option.

    Raises:
        typer.BadParameter: it is empty or blank.
    """
    return _path(given, 'a folder')


def _path(given: str | Path, expected: str) -> Path:
    """The path that is given, which may also be a default.

    Raises:
        typer.BadParameter: it is empty or blank.
    """
    if not str(given).strip():
        raise typer.BadParameter(f'{str(given)!r} is no path; expected {expected}')
    return Path(given)
