"""The simulation as a backend of the bridge."""

import numpy as np
from numpy.typing import NDArray

from softshell_common.errors import SoftshellError
from softshell_control.backend import Backend, Measured
from softshell_control.gate import Command
from softshell_description.model import RobotModel
from softshell_sim.settings import Gains, WorldSettings
from softshell_sim.world import World


class PyBulletBackend(Backend):
    """Moves the simulated robot.

    Within a control period the targets go in a straight line from one command to the next.

    Args:
        robot: the robot.
        control_period: [s]; a whole number of physics steps.
        settings: of the world.
        pose: (independent,) where the robot starts [rad]; default its pose `idle`.
        settle_time: for it to come to rest on the floor before it starts [s].
    """

    name = 'sim'

    def __init__(
        self,
        robot: RobotModel,
        control_period: float,
        settings: WorldSettings | None = None,
        pose: NDArray[np.float64] | None = None,
        settle_time: float = 0.5,
    ) -> None:
        settings = settings or WorldSettings()
        self._substeps = round(control_period / settings.physics_step)
        if abs(self._substeps * settings.physics_step - control_period) > 1e-9:
            raise SoftshellError(
                f'control_period is {control_period} s; '
                f'expected a multiple of physics_step {settings.physics_step} s'
            )
        self._period = control_period
        self._pose = robot.pose('idle') if pose is None else np.array(pose)
        self._settle_steps = round(settle_time / settings.physics_step)
        self.world = World(robot, settings)
        self._map = self.world.joint_map
        count = len(self._map.names)
        self._from, self._to, self._target = (np.zeros(count) for _ in range(3))
        self._rate = np.zeros(count)

    def reset(self) -> Measured:
        world = self.world
        world.reset(self._pose)
        self._map.positions(self._pose, self._to)
        self._rate[:] = 0.0
        for _ in range(self._settle_steps):
            world.step(self._to, self._rate)
        world.measure(0.0)
        self._map.positions(world.measured.position[: self._map.independent], self._to)
        return world.measured

    def step(self, command: Command) -> Measured:
        world, target = self.world, self._target
        self._from[:] = self._to
        self._map.positions(command.position, self._to)
        self._map.rates(command.velocity, self._rate)
        for step in range(1, self._substeps + 1):
            np.subtract(self._to, self._from, out=target)
            target *= step / self._substeps
            target += self._from
            world.step(target, self._rate)
        return world.measure(self._period)

    def set_gains(self, gains: dict[str, Gains]) -> None:
        """Change PD gains between two steps."""
        self.world.set_gains(gains)

    def close(self) -> None:
        self.world.close()
