"""Actions without a robot: planned, solved and timed as the action manager does it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from softshell_actions.facts import MEASURED
from softshell_actions.language.expression import names_of
from softshell_actions.library import ActionLibrary
from softshell_actions.performing.call import Call
from softshell_actions.performing.walking import passage, settling, standing_up
from softshell_actions.planning.debt import Debt
from softshell_actions.planning.draft import Plan
from softshell_actions.planning.preparing import Prepared, Preparing
from softshell_actions.planning.reach import Question, UnreachableError
from softshell_actions.robot import body_of
from softshell_actions.trajectories.motion import Motion
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.solving.shortfall import first_shortfall
from softshell_kinematics.solving.solution import IkOptions


class RequirementError(SoftshellError):
    """What an action requires is not true, and no action makes it true."""


@dataclass(frozen=True)
class Part:
    """A sub-action that was planned.

    Attributes:
        call: the sub-action with its values.
        plan: where limbs and base go.
        motion: how the joints are commanded.
        joints: where the joints are to be, (points,) by name [rad] or [m]; commands lead these
            under load.
    """

    call: Call
    plan: Plan
    motion: Motion
    joints: Mapping[str, Array]


class Rehearsal:
    """Plans actions of a robot one after another, each from the state in which the last one ended.

    Args:
        robot: the robot.
        pose: where it begins; None: its start pose.
        library: its actions and gaits; None: its own.

    Attributes:
        robot: the robot.
        body: the robot as actions see it.
        library: its actions and gaits.
        state: of the robot after all sub-actions so far.

    Raises:
        UnknownNameError: the robot has no such pose.
        ProblemsError: everything that is wrong in the files of the robot's actions and gaits.
    """

    def __init__(
        self, robot: RobotModel, pose: str | None = None, library: ActionLibrary | None = None
    ) -> None:
        self.robot = robot
        pose = pose or robot.start
        if pose not in robot.poses:
            raise UnknownNameError('pose', pose, robot.poses)
        self.body = body_of(robot)
        self.library = library or self.body.library()
        self._planner = self.body.planner(self.library)
        self._stand = standing_up(self.library, robot.commands.cmd_vel)
        self._preparing = Preparing(self._planner, self.body.pacing())
        self.state = self.body.measured_state(robot.poses[pose])

    def perform(
        self, action: str, parameters: Mapping[str, float] | None = None, gait: str = ''
    ) -> Iterator[Part]:
        """Plan the sub-actions of an action one by one, after those of the action it requires.

        Args:
            action: its name.
            parameters: values by name; others have their defaults.
            gait: as of `ActionLibrary.call`; only for an action that lets its caller choose.

        Raises:
            RequirementError: what it requires is not true, and no action makes it true.
            SoftshellError: no such action or parameter; the action has no choice of this gait; it
                cannot be planned or reached.
        """
        calls = self.library.call(action, parameters, gait)
        if gait:
            self.library.choose(self.library.action(action), gait)
        yield from self.prepare(action)
        debt = Debt(self._planner)
        for following in (*calls, None):
            while (due := debt.due(following)) is not None:
                yield self._part(due, debt, makes_up=True)
            if following is None or not self._planner.applies(following, self.state):
                continue
            if following.controller is None:  # how a controller moves is not known in advance
                yield from self._parts(following, debt)
        if not self.state.velocity.any():
            yield from self._stand_still()

    def _stand_still(self) -> Iterator[Part]:
        """Set down feet that are in the air, then move the base back from its sway."""
        while self.state.swings and self.state.stride is not None:
            yield self._part(self.state.stride.halting().landing(), Debt())
        if self.state.sway.any():
            yield self._part(settling(), Debt())

    def prepare(self, action: str) -> Iterator[Part]:
        """The sub-actions of what an action requires, if that is not true yet.

        Raises:
            RequirementError: as `perform`.
            SoftshellError: as `perform`.
        """
        requires = self.library.action(action).requires
        if requires is None or self._planner.holds(requires.condition, self.state):
            return
        if names_of(requires.condition) & {*MEASURED}:  # known only once it is measured
            return
        if requires.action is not None:
            yield from self.perform(requires.action)
        if not self._planner.holds(requires.condition, self.state):
            now = ', '.join(self._planner.facts(self.state)) or 'no fact'
            raise RequirementError(f'{action} requires: {requires.condition}; true now: {now}')

    def _parts(self, call: Call, debt: Debt) -> Iterator[Part]:
        """Plan a sub-action, after those that bring the robot to where it can begin.

        Raises:
            UnreachableError: it cannot begin even there.
        """
        while (between := passage(call, self.state, self._planner)) is not None:
            yield self._part(between, Debt())
        try:
            part = self._part(call, debt)
        except UnreachableError:
            if not (call.travels and self.state.at_rest and self._stand):
                raise
            for rising in self._stand:
                if self._planner.applies(rising, self.state):
                    yield self._part(rising, Debt())
            part = self._part(call, debt)
        yield part

    def _part(self, call: Call, debt: Debt, makes_up: bool = False) -> Part:
        preparation = self._preparing.prepare(call, self.state)
        try:
            question = next(preparation)
            while True:
                try:
                    solution = self.solved(question)
                except UnreachableError as error:
                    question = preparation.throw(error)
                else:
                    question = preparation.send(solution)
        except StopIteration as end:
            prepared: Prepared = end.value
        self.state = prepared.end
        debt.note(call, prepared, makes_up)
        return Part(call, prepared.plan, prepared.motion, prepared.joints)

    def solved(self, question: Question) -> dict[str, Array]:
        """(points,) positions by joint that bring tips to their goals; shared joints stay.

        Raises:
            UnreachableError: a goal is not reached; the text says why.
        """
        paths, joints = question.limbs, question.seed
        limbs = Limbs([self.body.chains[name] for name in paths])
        seeds = limbs.seeds([{v: joints[v] for v in chain.variables} for chain in limbs.chains])
        own = {name for chain in limbs.chains for name in chain.variables}
        locked = [name for name in self.robot.shared if name in own]
        goals, options = np.array(list(paths.values())), IkOptions(warm_start=True)
        postures = None
        if question.posture:
            named = [question.posture.keys() & {*chain.variables} for chain in limbs.chains]
            postures = [{name: question.posture[name] for name in names} for names in named]
        results = limbs.solve(goals, seeds, options, locked, postures)
        missed = first_shortfall(limbs, goals, results, options, locked)
        if missed is not None:
            raise UnreachableError(str(missed))
        return {
            name: result.q[:, column]
            for chain, result in zip(limbs.chains, results, strict=True)
            for column, name in enumerate(chain.variables)
            if name not in locked
        }


def waits_for(library: ActionLibrary, action: str) -> str:
    """Words that follow the time of an action whose controllers need more; empty without any."""
    controlled = any(call.controller is not None for call in library.call(action))
    return ' and as long as its controllers need' if controlled else ''


def length(parts: Iterable[Part]) -> float:
    """Time of sub-actions, `parts`, one after another [s]."""
    return sum(part.motion.duration for part in parts)


def joined(motions: Sequence[Motion]) -> Motion:
    """Join motions of the same joints, one after another, into one.

    Raises:
        ValueError: there are no motions, or they move different joints.
    """
    joints = {motion.joints for motion in motions}
    if len(joints) != 1:
        raise ValueError(f'motions of {len(joints)} sets of joints; expected one')
    begins = np.cumsum([0.0, *(motion.duration for motion in motions)])
    # The first point of a motion is the last one of the motion before, so it is left out.
    rows = [slice(1 if place else 0, None) for place in range(len(motions))]
    parts = list(zip(motions, rows, begins.tolist(), strict=False))
    return Motion(
        motions[0].joints,
        np.concatenate([motion.times[row] + begin for motion, row, begin in parts]),
        np.concatenate([motion.positions[row] for motion, row, _ in parts]),
        np.concatenate([motion.velocities[row] for motion, row, _ in parts]),
    )
