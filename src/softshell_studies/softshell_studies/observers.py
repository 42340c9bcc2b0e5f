"""Who looks on while a scenario is run: whoever films or records it, chosen by who has it run."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from softshell_studies.film import Film

if TYPE_CHECKING:
    from softshell_studies.commanded_robot import CommandedRobot

_NO_FILM = Film(wanted=False)
_FILM: ContextVar[Film] = ContextVar('film', default=_NO_FILM)
_RECORDER: ContextVar['Recorder | None'] = ContextVar('recorder', default=None)


class Recorder(Protocol):
    """Writes down what a robot does."""

    def take(self, robot: 'CommandedRobot') -> None:
        """Take note of a control period that has passed."""


def current_film() -> Film:
    """What takes pictures of the run that goes on; by default it wants none."""
    return _FILM.get()


def current_recorder() -> 'Recorder | None':
    """What records the robots of the run that goes on, if anything does."""
    return _RECORDER.get()


@contextmanager
def filmed(film: Film) -> Iterator[Film]:
    """Have pictures taken of what is run within."""
    token = _FILM.set(film)
    try:
        yield film
    finally:
        _FILM.reset(token)


@contextmanager
def recorded(recorder: 'Recorder | None') -> Iterator[None]:
    """Have robots recorded that are run within."""
    token = _RECORDER.set(recorder)
    try:
        yield
    finally:
        _RECORDER.reset(token)
