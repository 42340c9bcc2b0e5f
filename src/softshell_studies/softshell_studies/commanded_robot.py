"""The whole stack in one process: a simulated robot that performs actions by function calls.

Director, performer, safety gate and engine are those of the running stack. They call each other
directly instead of sending messages, so a run is as fast as the computer allows and can be
repeated exactly. Needs no ROS.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_actions.holding import holds_a_thing
from softshell_actions.performing.call import Call
from softshell_actions.performing.director import Director
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import BasePose, PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import standing_up
from softshell_actions.planning.reach import Question, Solution, UnreachableError
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import Body
from softshell_actions.state import State
from softshell_actions.trajectories.motion import Motion
from softshell_common.goal_state import GoalState
from softshell_common.outcome import Status
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.controller import check_run, controllers_of
from softshell_control.footing.footing import Footing
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend
from softshell_sim.world import World
from softshell_studies.film import eye_about, view_from
from softshell_studies.observers import current_film, current_recorder
from softshell_studies.sent import Sent, Tick

#: Control period of the bridge [s].
PERIOD = 0.004
#: Status of a command, by the state in which its motion failed.
FAILED = {
    GoalState.MISSED: Status.GOAL_MISSED,
    GoalState.REPLACED: Status.PREEMPTED,
    GoalState.REJECTED: Status.REJECTED,
    GoalState.STOPPED: Status.STOPPED,
}
#: A command that takes longer is given up [s].
PATIENCE = 300.0


class CommandedRobot:
    """A robot in a world of its own.

    Args:
        settings: of the world.
        robot: its name, or its model.
        footing: whether commands of the legs are corrected on uneven ground; see `Footing`.

    Attributes:
        robot, body: its model, and what the action manager knows of it.
        core, world: the bridge, and the simulated world that it moves.
        director: performs commands.
        controllers: the controllers of the robot, by name.
        time: since the start [s].
        watch: called after each control period; free to be replaced.
        remarks: which sub-actions were shortened, slowed down or late, and why.

    Raises:
        SoftshellError: there is no such robot, or its world does not start.
    """

    def __init__(
        self, settings: WorldSettings, robot: str | RobotModel = 'shell', footing: bool = False
    ) -> None:
        self.robot = load_robot(robot) if isinstance(robot, str) else robot
        self._rehearsal = Rehearsal(self.robot)
        self.body: Body = self._rehearsal.body
        limits = limits_of(self.robot)
        self._film, self._recorder = current_film(), current_recorder()
        seen = replace(settings, visuals=settings.visuals or self._film.wanted)
        backend = SimBackend(self.robot, PERIOD, seen)
        self.world: World = backend.world
        try:
            self.core = BridgeCore(backend, limits, PERIOD, FollowerSettings())
            if footing:
                self.core.following.footing = Footing(self.robot, limits)
                self.core.following.on = True
            self.controllers = controllers_of(self.robot, limits, PERIOD)
            self.core.follower.controllers = tuple(self.controllers.values())
            self.core.activate()
        except BaseException:
            self.close()
            raise
        self._sent: dict[bytes, Sent] = {}
        self._newest: Sent | None = None
        self._count = 0
        self.watch: Callable[[], None] = lambda: None
        self.remarks: list[str] = []
        library = self._rehearsal.library
        stand = standing_up(library, self.robot.commands.cmd_vel)
        performer = Performer(self.body.planner(library), self, self.body.pacing(), stand)
        self.director = Director(library, performer, self._at_rest, self.remarks.append)
        self.time, self._disturbed = 0.0, True

    def perform(
        self,
        action: str,
        gait: str = '',
        stop: Callable[[], bool] = lambda: False,
        **given: float,
    ) -> bool:
        """Perform an action and wait until it has ended.

        Args:
            action: its name.
            gait: name of the gait to walk by; empty: the robot's current one.
            stop: asked before each sub-action; if it returns True, the action ends there.
            given: parameters of the action; the others have their defaults.

        Returns:
            Whether all of the action was performed; False if `stop` ended it.

        Raises:
            PerformError: the action was refused or failed; the message says why.
            SoftshellError: there is no such action or parameter, the action has no choice of this
                gait, or it takes longer than `PATIENCE`.
        """
        library = self.director.library
        calls = library.call(action, given, gait)
        if gait:
            library.choose(library.action(action), gait)

        async def each() -> AsyncIterator[Call]:
            for call in calls:
                yield call

        entry = library.action(action)
        complete: bool = self.wait_for(
            self.director.perform(
                Task(action), entry.requires, each(), stop=stop, ensures=entry.ensures
            )
        )
        return complete

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end; each of its waits takes one control period.

        Args:
            coroutine: e.g. one of `director`.

        Returns:
            What the coroutine returns.

        Raises:
            SoftshellError: it does not end within `PATIENCE`.
        """
        latest = self.time + PATIENCE
        try:
            while True:
                coroutine.send(None)
                self.tick()
                if self.time > latest:
                    coroutine.close()
                    raise SoftshellError(f'a command has not ended after {PATIENCE:g} s')
        except StopIteration as end:
            return end.value

    def rest(self, seconds: float) -> None:
        """Let time pass, while nothing is commanded.

        Args:
            seconds: how long [s].
        """
        for _ in range(round(seconds / PERIOD)):
            self.tick()

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    def tick(self) -> None:
        """Let a control period pass."""
        for status in self.core.tick():
            goal = status.goal
            sent = self._sent.get(goal.identity.id)
            if sent is None:
                continue
            sent.reached_state(goal.state)
            if goal.state in FAILED:
                text = '; '.join(reason.text for reason in (*goal.reasons, *status.reasons))
                sent.end(PerformError(FAILED[goal.state], text))
            elif goal.state is GoalState.ACTIVE:
                base = self.core.measured.base
                assert base is not None
                sent.base = BasePose(self.pose(), base.pose_deviation[[0, 1, 5]])
            if sent.over:
                del self._sent[goal.identity.id]
        self.time += PERIOD
        self._disturbed |= not self.core.driven
        self.watch()
        self._film.take(self._picture, self.time)
        if self._recorder is not None:
            self._recorder.take(self)

    def _picture(self) -> NDArray[np.uint8]:
        """(height, width, 3) a picture of the robot from its side."""
        base = self.core.measured.base
        assert base is not None
        eye = eye_about(base.position, 1.4, -1.0, 0.5)
        return self.world.engine.picture(view_from(eye, base.position)).rgb

    def facts(self) -> set[str]:
        """Names of the facts that are true of the robot now."""
        return set(self.wait_for(self.director.performer.facts()))

    def pose(self) -> Array:
        """(3,) x, y [m], yaw [rad] of the base in odom."""
        base = self.core.measured.base
        assert base is not None
        heading = angles_from_rotation(rotation_from_quaternion(base.orientation))[0]
        return np.array([*base.position[:2], heading])

    def tilt_now(self) -> float:
        """Angle between the base's z axis and the vertical [rad]."""
        imu = self.core.measured.imu
        assert imu is not None
        x, y, _, _ = imu.orientation
        return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))

    # The methods below are those of `softshell_actions.performing.robot.Robot`.

    async def solve(self, question: Question) -> Solution:
        """Joint paths (points,) [rad] by joint, for tip goals (points, 6) by chain.

        Raises:
            PerformError: a goal is out of reach.
        """
        try:
            return self._rehearsal.solved(question)
        except UnreachableError as error:
            raise PerformError(Status.UNREACHABLE, str(error)) from None

    async def measure(self) -> State:
        """The measured state of the robot."""
        names = self.core.limits.names
        joints = dict(zip(names, self.core.measured.channels.tolist(), strict=True))
        state: State = self.body.measured_state(joints, self.tilt_now())
        return state

    async def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]."""
        return self.tilt_now()

    async def holds(self) -> bool:
        """Whether its soft manipulators hold an object."""
        contacts = self.world.engine.all_contacts()
        own = contacts.bodies.index(self.world.body)
        felt = []
        for owner, link, force in zip(contacts.owner, contacts.link, contacts.force, strict=True):
            felt += [
                (self.world.body.links[place], float(np.linalg.norm(force)))
                for body, place in zip(owner, link, strict=True)
                if body == own and owner[0] != owner[1]
            ]
        return holds_a_thing(self.body.manipulators, felt)

    async def driven(self) -> None:
        """Return at once: the joints always follow commands here."""

    def disturbed(self) -> bool:
        """Whether anything but sent motions may have moved it since the last call."""
        disturbed, self._disturbed = self._disturbed, False
        return disturbed

    def send(self, motion: Motion, queue: bool) -> Sent:
        """Start a motion now, or when the one before it is reached."""
        sent, identity = self._next(queue)
        columns = np.array([self.core.limits.names.index(name) for name in motion.joints])
        self.core.offer(
            Trajectory(
                identity, 0, columns, motion.times, motion.positions, motion.velocities,
                queued=queue, on_feet=motion.on_feet,
            )
        )  # fmt: skip
        return sent

    def run(self, controller: str, references: Mapping[str, float], queue: bool) -> Sent:
        """Begin a run of a controller now, or when the motion before it is reached."""
        sent, identity = self._next(queue)
        self.core.offer(check_run(identity, controller, references, queue, self.controllers))
        return sent

    async def sleep(self, duration: float) -> None:
        """Let time pass [s]."""
        for _ in range(round(duration / PERIOD)):
            await Tick()

    def adapted(self, remark: str) -> None:
        """Record that a sub-action is shorter or slower than asked for, and why."""
        self.remarks.append(remark)

    def late(self, name: str) -> None:
        """Record that a sub-action was sent only after the one before it had ended."""
        self.remarks.append(f'{name} was planned late')

    def _next(self, queue: bool) -> tuple[Sent, Identity]:
        self._count += 1
        identity = Identity('commanded', self._count.to_bytes(16, 'big'))
        sent = Sent(self.core, identity, self._newest if queue else None)
        self._sent[identity.id] = self._newest = sent
        return sent, identity

    async def _at_rest(self) -> None:
        """Do nothing: here no one has to know that a command has ended."""
