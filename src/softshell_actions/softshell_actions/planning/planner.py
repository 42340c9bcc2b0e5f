"""From a sub-action and a state to the goals of every limb and joint over time."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softshell_actions.facts import STANDING, Facts
from softshell_actions.language.expression import holds
from softshell_actions.language.gait import Gait
from softshell_actions.language.grammar import (
    BaseMove,
    GaitMove,
    JointsMove,
    StepMove,
    TipMove,
    TravelMove,
)
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.performing.call import Call
from softshell_actions.planning.draft import Draft, Plan, PlanError
from softshell_actions.planning.gait_cycle import GaitCycle
from softshell_actions.planning.redundant import RedundantLegs
from softshell_actions.planning.rolling import RollingFeet
from softshell_actions.state import ForwardKinematics, Stance, State


class Planner:
    """Plans sub-actions of one robot.

    Args:
        stance: how the robot stands; None for a robot without legs.
        gaits: by name.
        vocabulary: the names of the robot.
        poses: joint positions by pose and joint.
        forward: forward kinematics.
        facts: of the robot's state.
        rolling: feet that roll while they stand.
    """

    def __init__(
        self,
        stance: Stance | None,
        gaits: Mapping[str, Gait],
        vocabulary: Vocabulary,
        poses: Mapping[str, Mapping[str, float]],
        forward: ForwardKinematics,
        facts: Facts,
        rolling: RollingFeet,
    ) -> None:
        self.stance = stance
        self._vocabulary, self._poses, self._forward = vocabulary, poses, forward
        self._facts, self._rolling = facts, rolling
        legs = stance.legs if stance is not None else ()
        self._redundant = RedundantLegs(legs, vocabulary.own_joints, rolling.stand)
        self._cycles = {
            name: GaitCycle(gait, vocabulary.timings(gait)) for name, gait in gaits.items()
        }

    def cycle(self, gait: str) -> GaitCycle:
        """The cycle of a gait of the robot, by the gait's name."""
        return self._cycles[gait]

    def facts(self, state: State) -> tuple[str, ...]:
        """Names of the facts that are true of a state."""
        return tuple(name for name, holds_now in self._facts.of(state).items() if holds_now)

    def holds(self, condition: str, state: State) -> bool:
        """Whether a condition over facts is true of a state."""
        return holds(condition, self._facts.of(state))

    def on_feet(self, begin: State, end: State) -> bool:
        """Whether a robot that goes from one state to another stands or walks on its feet."""
        return all(self._facts.of(state).get(STANDING, False) for state in (begin, end))

    def with_feet(self, state: State) -> State:
        """The same state, with feet that a plan left free where the joints bring them."""
        free = np.flatnonzero(np.isnan(state.feet).any(axis=1))
        if self.stance is None or not len(free):
            return state
        tips, feet = self._forward(state.joints), state.feet.copy()
        for index in free:
            tip = tips[self.stance.legs[index]][:3, 3]
            feet[index] = state.base_rotation.apply(tip) + state.base_origin
        return replace(state, feet=feet)

    def applies(self, call: Call, state: State) -> bool:
        """Whether the condition `when` of a sub-action, if any, is true of a state."""
        when = call.sub_action.when
        return when is None or self.holds(when, state)

    def plan(self, call: Call, state: State) -> Plan:
        """Goals of one sub-action that starts in `state`.

        Raises:
            PlanError: two moves claim the same thing, or a move does not fit the robot.
            ExpressionError: an expression has no value.
        """
        draft = Draft(call, state, self.stance, self._duration(call, state), self._rolling)
        moves = call.sub_action.moves
        # The footprint and the base come first: they carry the limbs.
        for move in moves:
            match move:
                case TravelMove(velocity=velocity):
                    twist = (velocity.x, velocity.y, velocity.yaw)
                    draft.travel_at(np.array([call.value(value) for value in twist]))
                case BaseMove():
                    draft.move_base(move)
        for move in moves:
            match move:
                case StepMove():
                    for leg in self._vocabulary.legs_of(move):
                        draft.step(leg, move)
                case GaitMove():
                    draft.follow_gait(move, self._cycles[move.gait])
                case TipMove():
                    self._move_tips(draft, move)
                case JointsMove():
                    self._move_joints(draft, move)
        tipped = (*draft.limbs,)
        plan = draft.finish(self._forward, self._vocabulary.own_joints)
        return self._redundant.kept_near(plan, state, tipped)

    def _duration(self, call: Call, state: State) -> float:
        move = call.gait_move
        if move is None:
            duration = call.sub_action.duration
            assert duration is not None
            return call.value(duration)
        part = state.parts.get(move.gait, 0)
        return call.value(move.cycle) * self._cycles[move.gait].length(part)

    def _move_tips(self, draft: Draft, move: TipMove) -> None:
        tips = self._forward(draft.state.joints)
        for chain in self._vocabulary.chains_of(move):
            draft.claim(chain, self._vocabulary.own_joints[chain])
            image = self._vocabulary.image(move, chain)
            draft.limbs[chain] = image.of_path(draft.tip_path(move, image.original(tips[chain])))

    def _move_joints(self, draft: Draft, move: JointsMove) -> None:
        joints = self._vocabulary.joints_of(move)
        draft.claim(move.group, joints)
        if move.pose is not None:
            points = [self._poses[move.pose]]
        else:
            points = [
                {
                    joint: sign * draft.call.value(expression)
                    for name, expression in point.items()
                    for joint, sign in self._vocabulary.targets(move, name)
                }
                for point in move.joints
            ]
            named = {joint for point in points for joint in point}
            stranger = next((joint for joint in named if joint not in joints), None)
            if stranger is not None:
                raise PlanError(
                    f'{draft.call.name}: joint {stranger!r} is not among those that the move is '
                    f'for: {", ".join(joints)}'
                )
        draft.joint_paths(joints, points, move)
