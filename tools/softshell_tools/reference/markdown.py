"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence


def code(text: object) -> str:
    """A text in code style; empty if there is no text."""
    return f'`{text}`' if text not in ('', None) else ''


def cell(text: str) -> str:
    """A text for a cell of a table: on one line, bars escaped."""
    return ' '.join(text.split()).replace('|', '\\|')


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with a line for each row."""
    lines = [head, ['---'] * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(map(cell, line)) + ' |' for line in lines)


def page(title: str, introduction: str, sections: Iterable[str]) -> str:
    """A whole page: title, introduction and sections.

    It says that a command makes it, so that nobody edits it by hand.
    """
    made = 'Made from the code by `./softshell reference`.'
    return '\n\n'.join([f'# {title}', f'{introduction} {made}', *sections]) + '\n'
