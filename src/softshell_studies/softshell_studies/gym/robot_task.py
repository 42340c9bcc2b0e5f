"""Tasks of robots: actions are joint positions that pass the safety gate, as on the stack."""

import numpy as np
from numpy.typing import NDArray

from softshell_common.reason import ReasonCode, texts
from softshell_control.backend import Measured
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.fault import FaultError
from softshell_control.gate import Command
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.divergence import DivergedError
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SETTLE_TIME, SimBackend
from softshell_sim.world import World
from softshell_studies.film import eye_about, view_from
from softshell_studies.gym.task import Task
from softshell_studies.gym.wiring import Sensed, Wiring

#: Control period of the bridge [s].
PERIOD = 0.004


class _Rewound(SimBackend):
    """A simulated robot whose reset restores a state in which it rests in a pose.

    Where its simulation diverges, the fault has the code of what is not finite.

    Args:
        robot: its model.
        settings: of the world.
        pose: (joints,) in which it rests [rad].
        height: of its base before it settles [m]; None: it just touches the floor.
    """

    def __init__(
        self, robot: RobotModel, settings: WorldSettings, pose: Array, height: float | None
    ) -> None:
        super().__init__(robot, PERIOD, settings)
        try:
            self.world.reset(pose, height)
            self.world.settle(SETTLE_TIME)
            self._start = self.save()
        except BaseException:
            self.world.close()
            raise

    def reset(self) -> Measured:
        self._driven = False
        self.world.restore(self._start)
        return self._measure(0.0)

    def step(self, now: int, command: Command | None) -> Measured:
        try:
            return super().step(now, command)
        except DivergedError as error:
            raise FaultError(ReasonCode.NOT_FINITE, str(error)) from error


class RobotTask(Task):
    """A task in which each action is a set of joint positions.

    The positions go through the follower, the safety gate and the motors of the stack.

    Args:
        wiring: between policy and robot.
        settings: of the world.
        height: of the base before the robot settles [m]; None: it just touches the floor.

    Attributes:
        wiring: between policy and robot.
        wish: (wishes,) the command that the robot is to follow in this episode.
    """

    def __init__(
        self, wiring: Wiring, settings: WorldSettings, height: float | None = None
    ) -> None:
        self.wiring, self.period = wiring, wiring.period
        self.actions, self.observations = wiring.actions, wiring.observations
        robot = wiring.robot
        self._limits = limits_of(robot)
        self._ticks = round(self.period / PERIOD)
        pose = robot.pose(wiring.pose)
        self._backend = _Rewound(robot, settings, pose, height)
        self._columns = np.arange(len(robot.joint_names))
        self.wish = wiring.no_wish
        self._sensed = Sensed(pose, np.zeros(len(pose)))
        self._count = 0

    @property
    def world(self) -> World:
        """The world of the robot."""
        return self._backend.world

    def _rewind(self) -> None:
        """Bring the robot back to its pose, with its joints held."""
        self.wiring.begin()
        self._core = BridgeCore(self._backend, self._limits, PERIOD, FollowerSettings())
        self._core.activate()
        self._target = self._core.command.value[self._columns].copy()
        self._sense()

    def act(self, action: Array) -> None:
        """Do a step with an action.

        Args:
            action: (actions,) as of the wiring; clipped to -1 to 1.

        Raises:
            DivergedError: the simulation diverged; the text names a joint or the base.
            SoftshellError: the bridge no longer drives the joints for another reason.
        """
        wanted = self.wiring.positions(action)
        rates = self.wiring.rates(wanted, self._target)
        self._count += 1
        self._core.offer(
            Trajectory(
                Identity('policy', self._count.to_bytes(16, 'big')), 0, self._columns,
                np.array([self.period]), wanted[None], rates[None],
            )
        )  # fmt: skip
        self._target = wanted
        for _ in range(self._ticks):
            self._core.tick()
        self._sense()

    def _sense(self) -> None:
        """Note what is measured.

        Raises:
            DivergedError: the simulation diverged, so that the bridge no longer drives the joints.
            SoftshellError: it does not for another reason.
        """
        if not self._core.driven:
            reasons = self._core.status().reasons
            diverged = reasons[0].code is ReasonCode.NOT_FINITE  # the first is that of the fault
            raise (DivergedError if diverged else SoftshellError)('; '.join(texts(reasons)))
        measured, count = self._core.measured, len(self._columns)
        base = measured.base
        assert base is not None
        self._place = base.position
        self._sensed = Sensed(
            measured.position[:count], measured.velocity[:count],
            base.orientation, base.angular_velocity, base.linear_velocity,
        )  # fmt: skip

    def observe(self) -> Array:
        return self.wiring.observe(self._sensed, self.wish)

    def picture(self) -> NDArray[np.uint8]:
        eye = eye_about(self._place, 1.2, -0.9, 0.5)
        return self.world.engine.picture(view_from(eye, self._place)).rgb

    def close(self) -> None:
        self.world.close()
