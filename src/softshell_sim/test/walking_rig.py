"""A simulated robot that performs its actions without ROS, as a bridge and a planner would."""

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from softshell_actions.rehearsal import Rehearsal
from softshell_control.gate import Command
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

PERIOD = 0.004
TICK = 4_000_000  # [ns]


class Stage:
    """A simulated robot that performs actions tick by tick.

    Args:
        name: of the robot.
        settings: of the world.
    """

    def __init__(self, name='shell', **settings):
        self.robot = load_robot(name)
        self._rehearsal = Rehearsal(self.robot)
        self.backend = SimBackend(self.robot, PERIOD, WorldSettings(**settings))
        self.measured = self.backend.reset()
        self.measured = self.backend.activate()
        self._now = 0
        self._value = self.measured.position[: len(self.robot.joints)].copy()

    def perform(self, action, **values):
        """Yield what is measured at every tick of an action, and for half a second after it."""
        for part in self._rehearsal.perform(action, values):
            motion = part.motion
            columns = [self.robot.index(name) for name in motion.joints]
            positions = motion.positions.copy()
            path = CubicHermiteSpline(motion.times, positions, motion.velocities)
            rate = path.derivative()
            for time in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
                self._value[columns] = path(time)
                rates = np.zeros_like(self._value)
                rates[columns] = rate(time)
                yield self._tick(Command(self._value, rates))
        yield from self.rest(0.5)

    def rest(self, seconds):
        """Yield what is measured while the joints are held."""
        for _ in range(round(seconds / PERIOD)):
            yield self._tick(Command.at_rest(self._value))

    def close(self):
        self.backend.close()

    def _tick(self, command):
        self._now += TICK
        self.measured = self.backend.step(self._now, command)
        return self.measured
