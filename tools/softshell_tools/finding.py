"""One thing that the doctor has looked at."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Args:
        thing: what.
        state: what was found.
        ok: whether softshell can work with it.
        remedy: what to do if not.
    """

    thing: str
    state: str
    ok: bool = True
    remedy: str = ''
