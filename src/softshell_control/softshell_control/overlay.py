"""What is added to followed trajectories on their way to the gate: feet fitted to the ground."""

import numpy as np

from softshell_control.backend import Measured
from softshell_control.footing.footing import Footing
from softshell_control.gate import Command
from softshell_control.trajectory import Trajectory
from softshell_kinematics.arrays import Array


class Overlay:
    """Adds to commands, and takes the same off where a trajectory meets what is measured.

    Trajectories, their starts and their goals know nothing of what is added.

    Args:
        channels: how many there are.

    Attributes:
        footing: what is added; None: nothing is.
        on: whether feet are fitted to the ground; else what is added goes back to 0.
    """

    def __init__(self, channels: int) -> None:
        self.footing: Footing | None = None
        self.on = False
        self._sum = Command(np.zeros(channels), np.zeros(channels))
        self._planned = Command(np.zeros(channels), np.zeros(channels))

    @property
    def idle(self) -> bool:
        """Whether nothing is added, and nothing will be."""
        return self.footing is None or (not self.on and self.footing.at_rest)

    def planned(self, command: Command) -> Command:
        """A command without what was added; the same one each time."""
        if self.footing is None or self.idle:
            return command
        np.subtract(command.value, self.footing.offset, out=self._planned.value)
        np.subtract(command.rate, self.footing.rate, out=self._planned.rate)
        return self._planned

    def without(self, measured: Array) -> Array:
        """(channels,) measured values without what was added."""
        if self.footing is None or self.idle:
            return measured
        return measured - self.footing.offset

    def added(self, wanted: Command, measured: Measured, on_feet: bool, seconds: float) -> Command:
        """What is wanted at the end of a control period, with what is added.

        Args:
            wanted: at its end.
            measured: at its begin.
            on_feet: whether the robot stands or walks.
            seconds: the period [s].
        """
        if self.footing is None or self.idle:
            return wanted
        self.footing.update(wanted.value, measured, self.on and on_feet, seconds)
        np.add(wanted.value, self.footing.offset, out=self._sum.value)
        np.add(wanted.rate, self.footing.rate, out=self._sum.rate)
        return self._sum

    def reset(self) -> None:
        """Add nothing from now on, at once."""
        if self.footing is not None:
            self.footing.reset()

    def meet(self, trajectory: Trajectory, command: Command) -> None:
        """Add nothing where a trajectory starts from measured joints, which have it already."""
        if self.footing is None or self.idle or trajectory.times[0] > 0.0:
            return
        start, channels = trajectory.values[0], trajectory.channels
        present = command.value[channels]
        planned = present - self.footing.offset[channels]
        if np.abs(start - present).max() < np.abs(start - planned).max():
            self.footing.reset()
