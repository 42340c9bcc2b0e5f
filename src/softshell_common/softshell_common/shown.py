"""Texts of strangers in messages for people."""

#: Characters of a stranger's text that are repeated.
LONGEST = 80


def shown(text: str, longest: int = LONGEST) -> str:
    """A text on one line, short, and without characters that a terminal obeys.

    Args:
        text: from anywhere.
        longest: characters that are repeated.
    """
    cut = text if len(text) <= longest else f'{text[:longest]}...'
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in cut)
