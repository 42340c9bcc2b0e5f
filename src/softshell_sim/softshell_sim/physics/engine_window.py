"""The window of an engine, of which a process can have one."""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.physics.engine_life import EngineLife
from softshell_sim.pictures.display import check_display

_with_window: WeakSet[EngineLife] = WeakSet()


class EngineWindow(EngineLife):
    """An engine that may have a window; without one, these methods do nothing."""

    def show(self) -> None:
        """Show the world as it is."""

    def look(self, target: Array, distance: float) -> None:
        """Aim the window's camera at a (3,) `target` from a distance [m]."""

    def follow(self, way: Array) -> None:
        """Shift the window's camera along a (3,) `way` [m]."""

    @contextmanager
    def _opening_window(self) -> Iterator[None]:
        """A context in which this engine opens its window, the only one of a process.

        Raises:
            SoftshellError: there is no display, or another engine has a window.
        """
        check_display()
        if any(not each._ended for each in _with_window):
            raise SoftshellError(
                'another world of this process has a window (gui); expected one at most: '
                'close that world, or leave gui at none'
            )
        yield
        _with_window.add(self)
