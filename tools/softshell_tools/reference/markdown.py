"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence


def code(text: object) -> str:
    """A text as code; nothing of nothing."""
    return f'`{text}`' if text not in ('', None) else ''


def cell(text: str) -> str:
    """A text that can stand in a table: in one line, with no bar that would end the cell."""
    return ' '.join(text.split()).replace('|', '\\|')


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with a line for each row."""
    lines = [head, ['---'] * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(map(cell, line)) + ' |' for line in lines)


def page(title: str, introduction: str, sections: Iterable[str]) -> str:
    """A whole page: its title, what it is, and sections.

    It says that it is made by a command, so that nobody edits it.
    """
    made = 'Made from the code by `./softshell reference`.'
    return '\n\n'.join([f'# {title}', f'{introduction} {made}', *sections]) + '\n'
