"""Parts of the README that commands write."""

from pathlib import Path

from softshell_tools.installation import ROOT

README = ROOT / 'README.md'


def marks(name: str) -> tuple[str, str]:
    """The lines before and after a part."""
    return f'<!-- {name}: written by a command -->', f'<!-- end of {name} -->'


def wrapped(name: str, body: str) -> str:
    """A part between its two lines."""
    begin, end = marks(name)
    return f'{begin}\n\n{body}\n\n{end}'


def insert(name: str, body: str, page: Path = README) -> None:
    """Replace a part of a page.

    Args:
        name: name of the part.
        body: its new text, in Markdown.
        page: path of the page.

    Raises:
        ValueError: the page does not have each of the part's two lines once.
        OSError: the page cannot be written; it stays as it was.
    """
    from softshell_common.whole_file import write_whole

    text = page.read_text(encoding='utf-8')
    begin, end = marks(name)
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f'{page}: expected {begin!r} and {end!r}, once each')
    before, _, rest = text.partition(begin)
    write_whole(page, (before + wrapped(name, body) + rest.partition(end)[2]).encode())
