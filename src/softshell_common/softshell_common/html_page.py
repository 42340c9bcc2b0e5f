"""HTML pages in one file each: texts, tables and figures, without further files."""

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: 0.25em 0.8em;
border-bottom: 1px solid #ddd; text-align: left; vertical-align: top } img { max-width: 100% }
h2 { margin-top: 2em } .fault td { color: #b00 } p { color: #555 }
"""
#: Resolution of pictures [dots/inch].
DENSITY = 110


def whole_page(title: str, parts: Iterable[str]) -> str:
    """The HTML text of a page.

    Args:
        title: title of the page, also its first heading.
        parts: pieces of HTML, which follow each other below the heading.
    """
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = ''.join((f'<h1>{escape(title)}</h1>', *parts))
    return f'<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>\n'


def section(title: str, text: str, *figures: 'Figure') -> str:
    """Figures under a heading, as HTML.

    Args:
        title: the heading, in plain text.
        text: a paragraph about the figures, in plain text; none if empty.
        figures: drawn one below the other.
    """
    about = f'<p>{escape(text)}</p>' if text else ''
    images = ''.join(picture(figure, title) for figure in figures)
    return f'<h2>{escape(title)}</h2>{about}{images}'


def picture(figure: 'Figure', title: str) -> str:
    """A figure as an HTML image that holds its own data.

    Args:
        figure: what to draw.
        title: text for readers who cannot see it.
    """
    content = io.BytesIO()
    figure.savefig(content, format='png', dpi=DENSITY)
    image = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{image}">'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A table of texts, as HTML.

    Args:
        rows: each the texts of its cells.
        head: names of the columns; empty: no line of names.
    """
    names = ''.join(f'<th>{escape(name)}</th>' for name in head)
    lines = [f'<tr>{names}</tr>'] if head else []
    for row in rows:
        lines.append(f'<tr>{"".join(f"<td>{escape(cell)}</td>" for cell in row)}</tr>')
    return f'<table>{"".join(lines)}</table>'
