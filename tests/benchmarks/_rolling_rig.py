"""A simulated ball behind the bridge, its gate and its rolling controller, without ROS."""

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason
from softshell_control.backend import Measured
from softshell_control.ball.cage import cage_of
from softshell_control.ball.controller import RollingController
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.controller import Instruction, check_run
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import BodyState
from softshell_sim.sensing.sensor_models import SignalSettings
from softshell_sim.sensing.sensor_settings import ImuSensor, SensorSettings
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

#: The bridge's control period, and for how long the closed ball rests first [s].
PERIOD, REST = 0.004, 1.0
#: An IMU of 100 Hz: noise of orientation [rad] and gyro [rad/s], delay [s].
IMU = ImuSensor(
    rate=100.0,
    delay=0.01,
    orientation=SignalSettings(noise=float(np.radians(1.0))),
    angular_velocity=SignalSettings(noise=0.01),
)


class RunError(SoftshellError):
    """A run or a trajectory that did not get where it should."""


class Rig:
    """A ball at rest at a random orientation, friction and IMU noise of a seed.

    Attributes:
        random: further draws of the seed.
        friction: of the floor.
        track: (2,) of the ball's centre after each control period [m].
        controller: rolls it.
    """

    def __init__(self, seed: int, engine: str, self_collision: bool) -> None:
        robot = self.robot = load_robot()
        self.random = np.random.default_rng(seed)
        self.friction = float(self.random.uniform(0.3, 1.0))
        settings = WorldSettings(
            engine=engine,
            self_collision=self_collision,
            friction=self.friction,
            seed=seed,
            sensors=SensorSettings(imu=IMU),
        )
        self._limits = limits_of(robot)
        self._backend = SimBackend(robot, PERIOD, settings)
        self._core = BridgeCore(self._backend, self._limits, PERIOD, FollowerSettings())
        self._cage = cage_of(robot)
        self.controller = RollingController(robot, self._limits, PERIOD)
        self._runs = 0
        self._states: dict[Identity, tuple[GoalState, tuple[Reason, ...]]] = {}
        self.track: list[Array] = []
        self._core.activate()
        turn = Rotation.random(random_state=self.random)
        self._core.intervene(lambda: self._place(turn), Reason(), self._cage.closed)
        self.tick(round(REST / PERIOD))

    def _place(self, turn: Rotation) -> Measured:
        """The closed ball, a little above where it rests."""
        world, cage = self._backend.world, self._cage
        world.reset(cage.closed, height=1.0)
        place = np.array([0.0, 0.0, cage.radius + 0.003]) - turn.apply(cage.centre)
        world.engine.place(world.body, BodyState(place, turn.as_quat()))
        world.measure(0.0)
        world.settle(REST)
        return world.measure(0.0)

    @property
    def time(self) -> float:
        """[s]"""
        return self._core.now * 1e-9

    def tick(self, count: int = 1) -> None:
        """Let control periods pass."""
        for _ in range(count):
            for status in self._core.tick():
                self._states[status.goal.identity] = (status.goal.state, status.goal.reasons)
            base = self._core.measured.base
            assert base is not None
            turn = Rotation.from_quat(base.orientation)
            self.track.append((turn.apply(self._cage.centre) + base.position)[:2])

    def begin(self, **references: float) -> Identity:
        """Begin a run of the controller."""
        identity = self._identity()
        known = {'rolling': self.controller}
        self._core.offer(check_run(identity, 'rolling', references, False, known))
        self.tick()
        return identity

    def tell(self, run: Identity, references: Mapping[str, float]) -> None:
        """Tell a run references."""
        self._core.offer(Instruction(run, references))

    def finish(self, run: Identity) -> None:
        """Have a run come to rest."""
        self._core.offer(Instruction(run, finish=True))

    def ended(self, goal: Identity) -> bool:
        """Whether a run or trajectory has got where it should.

        Raises:
            RunError: it has ended otherwise.
        """
        state, reasons = self._states.get(goal, (GoalState.NONE, ()))
        if state in (GoalState.NONE, GoalState.WAITING, GoalState.ACTIVE):
            return False
        if state is not GoalState.REACHED:
            raise RunError(f'{state.name}: {"; ".join(reason.text for reason in reasons)}')
        return True

    def stand_up(self) -> float:
        """Perform the action that opens the ball; how far it tilts then [deg].

        Raises:
            SoftshellError: it failed; the text says where.
        """
        rehearsal = Rehearsal(self.robot)
        measured = self._core.measured
        names = self.robot.joint_names
        joints = dict(zip(names, measured.position.tolist(), strict=False))
        rehearsal.state = body_of(self.robot).measured_state(joints, self.controller.law.tilt)
        for part in rehearsal.perform('open'):
            motion = part.motion
            identity = self._identity()
            asked = Request(
                identity, 0, list(motion.joints), list(motion.times),
                motion.positions.tolist(), motion.velocities.tolist(),
            )  # fmt: skip
            self._core.offer(check_trajectory(asked, self._limits.names))
            self.tick()
            while not self.ended(identity):
                self.tick()
        self.tick(round(0.5 / PERIOD))
        base = self._core.measured.base
        assert base is not None
        height = self.robot.rest_heights[self.robot.legs.stand]
        if abs(base.position[2] - height) > 0.01:
            raise RunError(f'the base is at {base.position[2]:.3f} m; expected {height:.3f} m')
        axis = Rotation.from_quat(base.orientation).as_matrix()[2, 2]
        return float(np.degrees(np.arccos(axis)))

    def close(self) -> None:
        """End the world."""
        self._backend.close()

    def _identity(self) -> Identity:
        self._runs += 1
        return Identity('bench', self._runs.to_bytes(16, 'big'))
