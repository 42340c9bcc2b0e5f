"""The gallery's part of the README."""

from collections.abc import Iterator

from softshell_tools.gallery.exhibits import EXHIBITS, PAGE, Exhibit

FOLDER = 'docs/gallery'
COLUMNS = 3


def file_of(exhibit: Exhibit) -> str:
    """Path of an exhibit's picture, relative to the root of the repository."""
    return 'docs/dashboard.png' if exhibit is PAGE else f'{FOLDER}/{exhibit.name}.webp'


def block() -> str:
    """A Markdown table of all pictures, each with its caption and the command that makes it."""
    return '\n'.join(_rows())


def _rows() -> Iterator[str]:
    everything = (*EXHIBITS, PAGE)
    for start in range(0, len(everything), COLUMNS):
        cells = [_cell(one) for one in everything[start : start + COLUMNS]]
        yield '| ' + ' | '.join(cells + [''] * (COLUMNS - len(cells))) + ' |'
        if start == 0:
            yield '|---' * COLUMNS + '|'


def _cell(exhibit: Exhibit) -> str:
    picture = f'<img src="{file_of(exhibit)}" width="260" alt="{exhibit.caption}">'
    speed = '' if exhibit is PAGE else f' (speed × {exhibit.speed:g})'
    return f'{picture}<br>{exhibit.caption}{speed}<br>`./softshell {exhibit.command}`'
