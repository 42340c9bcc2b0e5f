"""One result of the doctor."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One result of a check.

    Args:
        thing: what was checked.
        state: what was found.
        ok: whether softshell can work with it.
        remedy: what to do if it is not ok.
    """

    thing: str
    state: str
    ok: bool = True
    remedy: str = ''
