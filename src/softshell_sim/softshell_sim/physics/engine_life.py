"""When an engine can be used: until it is closed, and only in the process that made it."""

import os
from abc import ABC, abstractmethod
from weakref import WeakSet

from softshell_kinematics.errors import SoftshellError

#: Messages about an engine that can no longer be used.
CLOSED = 'the world was closed; make a new one'
FORKED = 'the world belongs to the process that this one was forked from; make a new one'


class EngineLife(ABC):
    """An engine that can be closed, once.

    In a forked process the engines of the parent process count as ended: their threads and windows
    are not in the fork, and both processes would use the same connections.
    """

    def __init__(self) -> None:
        self._ended = ''  # why it has ended; empty: it can be used
        _alive.add(self)

    def close(self) -> None:
        """End the engine; all other methods then raise SoftshellError. May be called again."""
        if not self._ended:
            self._ended = CLOSED
            self._close()

    @abstractmethod
    def _close(self) -> None: ...

    def _refuse_ended(self) -> None:
        """Refuse an engine that has ended; every method begins with this.

        Raises:
            SoftshellError: the engine was closed, or belongs to another process.
        """
        if self._ended:
            raise SoftshellError(self._ended)


_alive: WeakSet[EngineLife] = WeakSet()


def _disown_all() -> None:
    for each in _alive:
        each._ended = each._ended or FORKED


os.register_at_fork(after_in_child=_disown_all)
