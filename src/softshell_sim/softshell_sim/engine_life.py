"""How long an engine can be used: until it is closed, and only by the process that made it."""

import os
from abc import ABC, abstractmethod
from weakref import WeakSet

from softshell_kinematics.errors import SoftshellError

#: Why an engine does nothing any more.
CLOSED = 'the world was closed; make a new one'
FORKED = 'the world is of the process that this one was forked from; make a new one here'


class EngineLife(ABC):
    """What ends once.

    In a forked process it has ended from the start: threads and windows of an engine are not
    there, and what it has outside of this process would be used by two.
    """

    def __init__(self) -> None:
        self._ended = ''  # why; empty: it can be used
        _alive.add(self)

    def close(self) -> None:
        """End the engine. A second call does nothing, any other raises SoftshellError."""
        if not self._ended:
            self._ended = CLOSED
            self._close()

    @abstractmethod
    def _close(self) -> None: ...

    def _refuse_ended(self) -> None:
        """To be called before anything else is done.

        Raises:
            SoftshellError: the engine was closed, or is of another process.
        """
        if self._ended:
            raise SoftshellError(self._ended)


_alive: WeakSet[EngineLife] = WeakSet()


def _disown_all() -> None:
    for each in _alive:
        each._ended = each._ended or FORKED


os.register_at_fork(after_in_child=_disown_all)
