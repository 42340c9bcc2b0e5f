"""Code blocks and tables of one page of docs/."""

from pages import ROOT, code, tables, text_of


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of a page, without their indentation."""
    return code(text_of(ROOT / 'docs' / page), language)


def rows(page: str, *header: str) -> list[list[str]]:
    """Cells of each row of the tables of a page that have this header."""
    found = tables(text_of(ROOT / 'docs' / page))
    return [list(row) for table in found if table.head == header for row in table.rows]
