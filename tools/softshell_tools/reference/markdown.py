"""Pieces of Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence


def anchor(title: str) -> str:
    """The fragment of a link to the section of this title."""
    return re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-')


def anchors(titles: Iterable[str]) -> list[str]:
    """The fragments of all sections of a page, in its order; equal ones are numbered from 1."""
    found = Counter[str]()
    fragments = []
    for fragment in map(anchor, titles):
        fragments.append(fragment + (f'-{found[fragment]}' if found[fragment] else ''))
        found[fragment] += 1
    return fragments


def code(text: object) -> str:
    """A text in code style; empty if there is no text."""
    return f'`{text}`' if text not in ('', None) else ''


def cell(text: str) -> str:
    """A text for a cell of a table: as `line`, with bars escaped."""
    return line(text).replace('|', '\\|')


def line(text: str) -> str:
    """A text on one line; what looks like HTML is escaped, if it is not in code style."""
    parts = ' '.join(text.split()).split('`')
    parts[::2] = [re.sub(r'<(?=\w)', r'\\<', part) for part in parts[::2]]
    return '`'.join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with a line for each row."""
    lines = [head, ['---'] * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(map(cell, row)) + ' |' for row in lines)


def page(title: str, introduction: str, sections: Iterable[str]) -> str:
    """A whole page: title, introduction and sections.

    It says that a command makes it, so that nobody edits it by hand.
    """
    made = 'Made from the code by `./softshell reference`.'
    return '\n\n'.join([f'# {title}', f'{introduction} {made}', *sections]) + '\n'
