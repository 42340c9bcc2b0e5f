"""From a sub-action and a state to the goals of every limb and joint over time."""

from collections.abc import Mapping

import numpy as np

from softshell_actions.draft import Draft, Plan
from softshell_actions.expression import evaluate
from softshell_actions.language import FootprintMove, Gait, JointsMove, PointsMove, StepMove
from softshell_actions.library import Call
from softshell_actions.state import ForwardKinematics, Stance, State


class Planner:
    """Plans sub-actions of one robot.

    Args:
        stance: how the robot stands.
        gaits: by name.
        chains: chain names by group.
        chain_joints: the joints of each chain that are its own, base to tip.
        poses: joint positions by pose and joint.
        forward: forward kinematics.
    """

    def __init__(
        self,
        stance: Stance,
        gaits: Mapping[str, Gait],
        chains: Mapping[str, tuple[str, ...]],
        chain_joints: Mapping[str, tuple[str, ...]],
        poses: Mapping[str, Mapping[str, float]],
        forward: ForwardKinematics,
    ) -> None:
        self.stance = stance
        self._gaits, self._chains, self._chain_joints = gaits, chains, chain_joints
        self._poses, self._forward = poses, forward

    def applies(self, call: Call, state: State) -> bool:
        """Whether a sub-action is for a robot in this state."""
        match call.sub_action.when:
            case 'lying':
                return state.is_lying(self.stance)
            case 'standing':
                return not state.is_lying(self.stance)
            case 'scattered':
                return not state.is_lying(self.stance) and state.is_scattered(self.stance)
        return True

    def plan(self, call: Call, state: State) -> Plan:
        """Goals of one sub-action that starts in `state`.

        Raises:
            PlanError: two moves claim the same thing, or a move does not fit its group.
            ExpressionError: an expression has no value.
        """
        draft = Draft(call, state, self.stance)
        for move in call.sub_action.moves:
            match move:
                case FootprintMove(velocity=velocity):
                    twist = (velocity.x, velocity.y, velocity.yaw)
                    draft.travel_at(np.array([evaluate(v, call.values) for v in twist]))
                case PointsMove(group='base'):
                    draft.move_base(move)
        # Limbs come after what carries them.
        for move in call.sub_action.moves:
            match move:
                case StepMove():
                    self._step(draft, move)
                case PointsMove(group='lower' | 'upper'):
                    self._move_tips(draft, move)
                case JointsMove():
                    self._move_joints(draft, move)
        return draft.finish(self._forward)

    def _step(self, draft: Draft, move: StepMove) -> None:
        if move.legs == 'all':
            legs: tuple[str, ...] | list[str] = self.stance.legs
        elif isinstance(move.legs, list):
            legs = move.legs
        else:
            gait = self._gaits[move.legs]
            turn = draft.state.turns.get(gait.name, 0)
            legs = gait.leg_sets[turn]
            draft.turns[gait.name] = (turn + 1) % len(gait.leg_sets)
        for leg in legs:
            draft.step(leg, move)

    def _move_tips(self, draft: Draft, move: PointsMove) -> None:
        tips = self._forward(draft.state.joints)
        for chain in self._chains_of(move):
            draft.claim(chain, self._chain_joints[chain])
            draft.limbs[chain] = draft.tip_path(move, tips[chain])

    def _move_joints(self, draft: Draft, move: JointsMove) -> None:
        if move.group == 'fold':
            targets: list[tuple[str, tuple[str, ...]]] = [('fold', ('fold',))]
        else:
            targets = [(chain, self._chain_joints[chain]) for chain in self._chains_of(move)]
        for chain, joints in targets:
            draft.claim(chain, joints)
            for joint, path in draft.joint_paths(chain, joints, move, self._poses).items():
                draft.joints[joint] = path

    def _chains_of(self, move: PointsMove | JointsMove) -> tuple[str, ...] | list[str]:
        return self._chains[move.group] if move.chains == 'all' else move.chains
