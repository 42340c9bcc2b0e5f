"""The simulation as a backend of the bridge."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend, Measured, StopPolicy
from softshell_control.gate import Command
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_sim.changing.changes import Change
from softshell_sim.settings import WorldSettings
from softshell_sim.stability import Stability
from softshell_sim.world import World
from softshell_sim.world_state import WorldState

#: How long the robot is held after a reset, to come to rest [s].
SETTLE_TIME = 0.5


class SimBackend(Backend):
    """Moves a simulated robot.

    Within a control period the targets go in a straight line from one command to the next. While
    the joints are not driven, motors exert nothing, tendons are slack, and commands move nothing.
    Channels that are no joints drive soft manipulators. They show what was last commanded; while
    nothing is driven, they show 0, or the length of a tendon.

    Args:
        robot: the robot, in its start pose.
        control_period: rounded to whole nanoseconds [s]; it passes in equal steps no longer than
            the physics step.
        settings: of the world.

    Attributes:
        world: the world.

    Raises:
        SoftshellError: the engine does not start, or the robot cannot be simulated.
    """

    name = 'sim'
    owns_time = True

    def __init__(
        self,
        robot: RobotModel,
        control_period: float,
        settings: WorldSettings | None = None,
    ) -> None:
        settings = settings or WorldSettings()
        # As long as on the bridge's clock, so that what a sensor shows keeps its stamp.
        self._period = round(control_period * NANOSECONDS) / NANOSECONDS
        self.world = World(robot, settings)
        self._map = self.world.joint_map
        driven = self._map.driven
        self._target, self._rate = np.zeros(driven), np.zeros(driven)
        self._gravity = self.world.settings.gravity
        self._is_gravity_told = True  # False: the world has that of a restored state
        self._driven = False
        self._now = 0

    def reset(self) -> Measured:
        """Put the robot back to its start and let it come to rest; joints are not driven then."""
        self._driven = False
        self.world.reset()
        self.world.set_gravity(self._gravity)
        self._is_gravity_told = True
        self.world.settle(SETTLE_TIME)
        return self._measure(0.0)

    def activate(self) -> Measured:
        """Begin to hold the joints where they are measured."""
        measured = self._measure(0.0)
        self.world.hold()
        self._driven = True
        return measured

    def step(self, now: int, command: Command | None) -> Measured:
        world, count = self.world, self._map.independent
        self._now = now
        if self._driven and command is not None:
            self._map.positions(command.value[:count], self._target)
            self._map.rates(command.rate[:count], self._rate)
            world.measured.channels[count:] = command.value[count:]
            world.soft.take(command.value[count:])
            world.simulate(self._period, self._target, self._rate)
        else:
            if not self._driven:
                world.soft.release()
            world.simulate(self._period, driven=self._driven)
        return self._measure(self._period)

    def save(self) -> WorldState:
        """The state of the world and of its sensors.

        If the joints are not driven, a restore that finds them driven holds them where they are
        now.
        """
        if not self._driven:
            self.world.hold()
        return self.world.save()

    def restore(self, state: WorldState) -> Measured:
        """Bring the world to a saved state; whether the joints are driven stays as it is.

        Raises:
            SoftshellError: the world has other bodies than then; nothing was changed.
        """
        measured = self.world.restore(state)
        self._is_gravity_told = False
        measured.stamp = self._now
        return measured

    def change(self, changes: Sequence[Change]) -> Measured:
        """Make all of these changes of the world, or none.

        Raises:
            ProblemsError: what is wrong with each change; nothing was changed.
        """
        self.world.apply(changes)
        return self._measure(0.0)

    def stop(self, policy: StopPolicy) -> None:
        """Keep the last commanded targets, or release the motors."""
        if policy is StopPolicy.RELAX:
            self._driven = False

    def set_gains(self, gains: Mapping[str, Gains]) -> None:
        """Change gains by group of joints, between two steps."""
        self.world.set_gains(gains)

    def apply(self, parameters: Any) -> None:
        """Take `gravity`, `kinematic`, `stabilise`, and `kp_`, `kd_`, `ki_` of each group."""
        # Only a changed parameter: gravity that the world was given in another way stays. That of
        # a restored state does not, as its gains do not.
        if parameters.gravity != self._gravity or not self._is_gravity_told:
            self._gravity, self._is_gravity_told = parameters.gravity, True
            self.world.set_gravity(parameters.gravity)
        world, scene = self.world, self.world.scene
        world.kinematic = parameters.kinematic
        if parameters.stabilise != (scene.stability is not None):
            scene.stability = Stability(world.engine) if parameters.stabilise else None
        names = Gains.model_fields
        self.set_gains(
            {
                group: Gains(**{name: getattr(parameters, f'{name}_{group}') for name in names})
                for group in self.world.robot.groups
            }
        )

    def warnings(self) -> Sequence[Reason]:
        """A warning if surfaces between bodies differ much from what was asked for."""
        residual = self.world.engine.surface_residual
        if not residual.misleads:
            return ()
        text = (
            f'{self.world.settings.engine} has no surfaces of pairs of bodies: some differ from '
            f'what was asked for, {residual} at most; expected fewer different surfaces, or '
            'engine:=mujoco'
        )
        return (Reason(ReasonCode.NONE, text),)

    def diagnostics(self) -> Mapping[str, str]:
        """The engine, its step, by how much surfaces differ, and gains that were limited."""
        settings = self.world.settings
        limited = self.world.control.limited
        residual = str(self.world.engine.surface_residual)
        return {
            'engine': settings.engine,
            'physics_step': f'{settings.physics_step:g} s',
            **({'surfaces of pairs are off': residual} if residual else {}),
            **{f'limited {name}': line for name, line in limited.items()},
        }

    def close(self) -> None:
        self.world.close()

    def _measure(self, elapsed: float) -> Measured:
        measured = self.world.measure(elapsed)
        if not self._driven:
            self.world.soft.tell_released(measured.channels[self._map.independent :])
        measured.stamp = self._now
        return measured
