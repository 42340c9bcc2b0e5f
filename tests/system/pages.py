"""The pages of the repository, and what stands on them: links, headings, tables, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOBS = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/**/*.md', 'examples/**/*.md',
         'src/*/README.md')  # fmt: skip
PAGES = [path for glob in GLOBS for path in sorted(ROOT.glob(glob))]
REFERENCE = ROOT / 'docs' / 'reference'
#: What commands make, beside the folders of the repository.
MADE = ('build', 'install', 'log', 'out', 'mine')
FOLDERS = [path.name for path in ROOT.iterdir()
           if path.is_dir() and path.name[0] not in '._' and path.name not in MADE]  # fmt: skip
#: A block of code; its indentation, its language, and what is in it.
BLOCK = re.compile(r'^( *)```(\w*)\n(.*?)^ *```', re.DOTALL | re.MULTILINE)
SPAN = re.compile(r'`([^`\n]+)`')


@dataclass(frozen=True)
class Table:
    """A table of a page: the words of its head, and its rows of as many cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@cache
def text_of(page: Path) -> str:
    """All that a page says."""
    return page.read_text(encoding='utf-8')


def name_of(page: Path) -> str:
    """The path of a page from the root, as failures tell it."""
    return str(page.relative_to(ROOT))


def written(*, reference: bool = False) -> list[tuple[str, str]]:
    """Name and text of each page; of those that are made from the code only if asked for."""
    return [(name_of(page), text_of(page)) for page in PAGES
            if reference or page.parent != REFERENCE]  # fmt: skip


def prose(text: str) -> str:
    """A page without its blocks of code."""
    return BLOCK.sub('', text)


def spans(text: str) -> list[str]:
    """What stands between backticks, outside of blocks."""
    return SPAN.findall(prose(text))


def code(text: str, *languages: str) -> list[str]:
    """Blocks of code in these languages, or in any, without their indentation."""
    return [
        re.sub(f'^{indent}', '', block, flags=re.MULTILINE)
        for indent, language, block in BLOCK.findall(text)
        if language in languages or not languages
    ]


def lines(text: str) -> list[str]:
    """What a reader may type: spans and lines of shell blocks, those that go on joined."""
    shown = spans(text)
    for block in code(text, 'bash'):
        shown += re.sub(r'\\\n\s*', '', block).splitlines()
    return shown


def tables(text: str) -> Iterator[Table]:
    """All tables of a page, in order."""
    for head, rows in re.findall(r'^(\|.*\|)\n\|[-| ]+\|\n((?:\|.*\|\n?)*)', text, re.MULTILINE):
        yield Table(_cells(head), tuple(_cells(row) for row in rows.splitlines()))


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in re.split(r'(?<!\\)\|', row)[1:-1])


def column(table: Table, place: int = 0) -> list[str]:
    """All that stands between backticks in a column."""
    return [word for row in table.rows for word in SPAN.findall(row[place])]


def links(text: str) -> list[str]:
    """Targets within the repository of links and pictures, also of those in HTML."""
    plain = SPAN.sub('', prose(text))
    found = re.findall(r'\]\(([^)\s]+)\)', plain) + re.findall(
        r'<(?:img|a) [^>]*?(?:src|href)="([^"]+)"', plain
    )
    return [target for target in found if not re.match(r'[a-z]+:', target)]


@cache
def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them.

    In lower case, without all but letters, digits, `_`, `-` and blanks, which become `-`; the
    second heading with an anchor gets `-1`, the third `-2`.
    """
    found: set[str] = set()
    for title in re.findall(r'^#{1,6} +(.*?) *$', prose(text), re.MULTILINE):
        shown = re.sub(r'\[(.*?)\]\(.*?\)', r'\1', title).lower()
        anchor = plain = re.sub(r'[^\w\- ]', '', shown).replace(' ', '-')
        number = 0
        while anchor in found:
            number += 1
            anchor = f'{plain}-{number}'
        found.add(anchor)
    return found
