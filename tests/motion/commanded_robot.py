"""A robot under the director of the action manager, through a bridge's gate, without ROS nodes."""

from collections.abc import AsyncIterator

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.holding import holds_a_thing
from softshell_actions.performer import Performer
from softshell_actions.performing import PerformError
from softshell_actions.reach import Question, UnreachableError
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.ros.director import Director
from softshell_actions.ros.turns import Task
from softshell_actions.walking import standing_up
from softshell_common.goal_state import GoalState
from softshell_common.outcome import Status
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.controller import Instruction, check_run, controllers_of
from softshell_control.follower import FollowerSettings
from softshell_control.trajectory import Identity, Trajectory
from softshell_description.load import load_robot
from softshell_sim.sim_backend import SimBackend

#: Control period of the bridge [s].
PERIOD = 0.004
#: What becomes of a command whose motion ends otherwise than it should.
FAILED = {
    GoalState.MISSED: Status.GOAL_MISSED,
    GoalState.REPLACED: Status.PREEMPTED,
    GoalState.REJECTED: Status.REJECTED,
    GoalState.STOPPED: Status.STOPPED,
}
#: No command takes longer [s].
PATIENCE = 300.0


class _Tick:
    """Awaited, it lets one control period pass."""

    def __await__(self):
        yield


class Sent:
    """What was sent to the bridge, and what the bridge told of it."""

    base = None

    def __init__(self, core, identity, before):
        self._core, self._identity, self._before = core, identity, before
        self.state, self.error = GoalState.WAITING, None

    @property
    def over(self):
        return self.state is GoalState.REACHED or self.error is not None

    async def started(self):
        while self.state is GoalState.WAITING and self.error is None:
            await _Tick()
        if self.error is not None:
            raise self.error

    async def reached(self):
        while not self.over:
            await _Tick()
        if self.error is not None:
            raise self.error

    def end(self, error):
        """It failed, or was dropped with the one before, whose error is then the one to tell."""
        before, self._before = self._before, None
        self.error = before.error if before is not None and before.error is not None else error

    def tell(self, references):
        self._core.offer(Instruction(self._identity, references))

    def finish(self):
        self._core.offer(Instruction(self._identity, finish=True))


class CommandedRobot:
    """A robot in a world of its own that does what it is commanded, as the performer needs it.

    Args:
        settings: of the world.
        robot: its name.

    Attributes:
        watch: called after each control period.
        remarks: what sub-actions were made less or slower, and why.
    """

    def __init__(self, settings, robot='shell'):
        self.robot = load_robot(robot)
        self._rehearsal = Rehearsal(self.robot)
        body = self.body = self._rehearsal.body
        limits = limits_of(self.robot)
        self.core = BridgeCore(
            SimBackend(self.robot, PERIOD, settings), limits, PERIOD, FollowerSettings()
        )
        self.world = self.core.backend.world
        self._controllers = controllers_of(self.robot, limits, PERIOD)
        self.core.follower.controllers = tuple(self._controllers.values())
        self.core.activate()
        self._sent, self._newest, self._count = {}, None, 0
        self.watch, self.remarks = lambda: None, []
        library = self._rehearsal.library
        stand = standing_up(library, self.robot.commands.cmd_vel)
        performer = Performer(body.planner(library), self, body.pacing(), stand)
        self.director = Director(library, performer, self._at_rest, print)
        self.time, self._disturbed = 0.0, True

    def perform(self, action, gait='', stop=lambda: False, **given):
        """Perform an action by the director; whether it was performed whole.

        Raises:
            PerformError: it was refused, or failed; the text says why.
        """
        library = self.director.library
        calls = library.call(action, given, gait)

        async def each() -> AsyncIterator:
            for call in calls:
                yield call

        entry = library.action(action)
        return self.wait_for(
            self.director.perform(
                Task(action), entry.requires, each(), stop=stop, ensures=entry.ensures
            )
        )

    def wait_for(self, coroutine):
        """What a coroutine returns, in whose waits time passes."""
        latest = self.time + PATIENCE
        try:
            while True:
                coroutine.send(None)
                self.tick()
                assert self.time < latest, 'nothing ends'
        except StopIteration as end:
            return end.value

    def rest(self, seconds):
        """Let time pass."""
        for _ in range(round(seconds / PERIOD)):
            self.tick()

    def let_go(self, seconds):
        """Drive no joints for a while."""
        self.core.deactivate()
        self.rest(seconds)
        self.core.activate()
        self._disturbed = True

    def tick(self):
        for status in self.core.tick():
            goal = status.goal
            sent = self._sent.get(goal.identity.id)
            if sent is None:
                continue
            sent.state = goal.state
            if goal.state in FAILED:
                text = '; '.join(reason.text for reason in (*goal.reasons, *status.reasons))
                sent.end(PerformError(FAILED[goal.state], text))
            elif goal.state is GoalState.ACTIVE:
                sent.base = self.pose()
        self.time += PERIOD
        self.watch()

    def facts(self):
        """Names of what is true of the robot."""
        return set(self.wait_for(self.director.performer.facts()))

    def pose(self):
        """(3,) x, y [m], yaw [rad] of the base."""
        base = self.core.measured.base
        heading = Rotation.from_quat(base.orientation).as_euler('zyx')[0]
        return np.array([*base.position[:2], heading])

    def tilt_now(self):
        """Angle between the base's z axis and the vertical [rad]."""
        x, y, _, _ = self.core.measured.imu.orientation
        return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))

    # What the performer asks.

    async def solve(self, limbs, seed):
        try:
            return self._rehearsal._solved(Question(limbs, seed))
        except UnreachableError as error:
            raise PerformError(Status.UNREACHABLE, str(error)) from None

    async def measure(self):
        names = self.core.limits.names
        joints = dict(zip(names, self.core.measured.channels.tolist(), strict=True))
        return self.body.measured_state(joints, self.tilt_now())

    async def tilt(self):
        return self.tilt_now()

    async def holds(self):
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

    async def driven(self):
        pass

    def disturbed(self):
        disturbed, self._disturbed = self._disturbed, False
        return disturbed

    def send(self, motion, queue):
        sent, identity = self._next(queue)
        columns = np.array([self.core.limits.names.index(name) for name in motion.joints])
        self.core.offer(
            Trajectory(
                identity, 0, columns, motion.times, motion.positions, motion.velocities,
                queued=queue, on_feet=motion.on_feet,
            )
        )  # fmt: skip
        return sent

    def run(self, controller, references, queue):
        sent, identity = self._next(queue)
        self.core.offer(check_run(identity, controller, references, queue, self._controllers))
        return sent

    async def sleep(self, duration):
        for _ in range(round(duration / PERIOD)):
            await _Tick()

    def adapted(self, remark):
        self.remarks.append(remark)

    def late(self, name):
        self.remarks.append(f'{name} was planned late')

    def _next(self, queue):
        self._count += 1
        identity = Identity('tester', self._count.to_bytes(16, 'big'))
        sent = Sent(self.core, identity, self._newest if queue else None)
        self._sent[identity.id] = self._newest = sent
        return sent, identity

    async def _at_rest(self):
        pass
