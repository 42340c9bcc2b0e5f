"""The root of every error softshell raises for a caller's mistake."""

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher, get_close_matches
from typing import Any

#: Characters of an unknown name that a message repeats.
LONGEST_NAME = 80


class SoftshellError(Exception):
    """A caller's mistake: the text names the thing, the value and what was expected."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # What is pickled by default makes the error again from its text alone.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[SoftshellError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> SoftshellError:
    """An error as it was before it was pickled."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a name; None if none is like it, or two equally so."""
    found = get_close_matches(name, dict.fromkeys(known), n=2)
    likeness = [SequenceMatcher(None, other, name).ratio() for other in found]
    # `leg_9` is as much like `leg_0` as like `leg_1`, so neither is suggested.
    return found[0] if found and likeness.count(likeness[0]) == 1 else None


class UnknownNameError(SoftshellError):
    """Nothing has the name that was asked for; the message lists the names that exist.

    If one of them is much like it, the message asks first whether that one is meant.

    Args:
        kind: what was looked up, e.g. `'chain'`.
        name: the name that was given.
        known: the valid names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        shown = name if len(name) <= LONGEST_NAME else f'{name[:LONGEST_NAME]}...'
        meant = nearest(shown, self.known)
        hint = f'did you mean {meant}? ' if meant is not None else ''
        listed = ', '.join(self.known) or 'none'
        super().__init__(f'unknown {kind} {shown!r}; {hint}known: {listed}')


class OutOfRangeError(SoftshellError):
    """A number is outside the range that it may have.

    Args:
        subject: what the number is, e.g. `"goal 3 of 'arm': x"`.
        value: that was given.
        expected: the range, in words.
    """

    def __init__(self, subject: str, value: float, expected: str) -> None:
        self.subject = subject
        self.value = value
        self.expected = expected
        super().__init__(f'{subject} is {value}; expected {expected}')


class NonFiniteError(OutOfRangeError):
    """NaN or infinity where a number is expected."""


class ProblemsError(SoftshellError):
    """Everything that is wrong with one input, listed at once.

    Args:
        subject: the input, e.g. a file name.
        problems: one line each.
    """

    def __init__(self, subject: str, problems: Iterable[str]) -> None:
        self.subject = subject
        self.problems = tuple(problems)
        listed = ''.join(f'\n  - {problem}' for problem in self.problems)
        super().__init__(f'{subject}: {len(self.problems)} problem(s){listed}')
