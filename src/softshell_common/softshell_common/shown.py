"""Texts of strangers in messages for people."""

#: Characters of a stranger's text that are repeated.
LONGEST = 80


def shown(text: str) -> str:
    """A text on one line, short, and without characters that a terminal obeys.

    Args:
        text: from anywhere.
    """
    cut = text if len(text) <= LONGEST else f'{text[:LONGEST]}...'
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in cut)
