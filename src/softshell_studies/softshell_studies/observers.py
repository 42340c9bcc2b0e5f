"""The film and the recorder of the scenario that is run now; its caller sets them."""

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
    """Records what a robot measures and is commanded."""

    def take(self, robot: 'CommandedRobot') -> None:
        """Record the robot; called after each control period."""


def current_film() -> Film:
    """The film of the run that goes on; by default one that takes no pictures."""
    return _FILM.get()


def current_recorder() -> 'Recorder | None':
    """The recorder of the run that goes on; None: nothing is recorded."""
    return _RECORDER.get()


@contextmanager
def filmed(film: Film) -> Iterator[Film]:
    """Film the scenarios that are run in the `with` block."""
    token = _FILM.set(film)
    try:
        yield film
    finally:
        _FILM.reset(token)


@contextmanager
def recorded(recorder: 'Recorder | None') -> Iterator[None]:
    """Record the robots that are created in the `with` block; None: record nothing."""
    token = _RECORDER.set(recorder)
    try:
        yield
    finally:
        _RECORDER.reset(token)
