"""Parts of the README that commands write."""

from pathlib import Path

from softshell_tools.installation import ROOT

README = ROOT / 'README.md'


def marks(name: str) -> tuple[str, str]:
    """The lines that a part stands between."""
    return f'<!-- {name}: written by a command -->', f'<!-- end of {name} -->'


def wrapped(name: str, body: str) -> str:
    """A part with its lines."""
    begin, end = marks(name)
    return f'{begin}\n\n{body}\n\n{end}'


def insert(name: str, body: str, page: Path = README) -> None:
    """Write a part anew, where its lines are.

    Raises:
        ValueError: its lines are not there, once each.
    """
    text = page.read_text(encoding='utf-8')
    begin, end = marks(name)
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f'{page}: expected {begin!r} and {end!r}, once each')
    before, _, rest = text.partition(begin)
    page.write_text(before + wrapped(name, body) + rest.partition(end)[2], encoding='utf-8')
