"""Texts from outside, e.g. from other programs, made safe for a terminal."""

#: Number of characters after which a text is cut.
LONGEST = 80


def shown(text: str, longest: int = LONGEST) -> str:
    """A text on one line, shortened, with control characters escaped.

    Args:
        text: any text.
        longest: number of characters after which it is cut.
    """
    cut = text if len(text) <= longest else f'{text[:longest]}...'
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in cut)
