"""Legs that reach a foothold in more than one way keep near the pose in which the robot stands.

A foot has three coordinates. Without a wish for what the goals leave open, the joints of a leg
that has more than three would drift a little further with every step.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from softshell_actions.curves.time_law import progress
from softshell_actions.planning.draft import Plan
from softshell_actions.state import State
from softshell_kinematics.arrays import Array

#: Coordinates of a foot.
FOOT = 3


class RedundantLegs:
    """The legs of a robot that have more joints than a foot has coordinates.

    Args:
        legs: names of the chains that are legs.
        own_joints: the joints of each chain that it shares with no other.
        stand: joint positions where the robot stands at rest, by name [rad] or [m].
    """

    def __init__(
        self,
        legs: Sequence[str],
        own_joints: Mapping[str, Sequence[str]],
        stand: Mapping[str, float],
    ) -> None:
        self._legs = {leg: own_joints[leg] for leg in legs if len(own_joints[leg]) > FOOT}
        self._stand = stand

    def kept_near(self, plan: Plan, state: State, tipped: Collection[str]) -> Plan:
        """A plan with a posture for its redundant legs; without such legs, the plan itself.

        A leg that begins elsewhere than its posture leads is brought there during the plan.

        Args:
            plan: without postures.
            state: at its start.
            tipped: chains whose tips are moved in another way than feet are.
        """
        if not self._legs:
            return plan
        posture: dict[str, Array] = {}
        led = {leg for leg in self._legs if leg in plan.limbs and leg not in tipped}
        share = progress('quintic', len(plan.times))
        for leg in led:
            for joint in self._legs[leg]:
                begin, end = state.joints[joint], self._stand[joint]
                near = leg in state.near_stand
                posture[joint] = np.array([end]) if near else begin + share * (end - begin)
        # What moves in joint space may share a joint with any leg.
        still = set() if plan.joints else state.near_stand - plan.limbs.keys()
        return replace(
            plan, posture=posture, end=replace(plan.end, near_stand=frozenset(led | still))
        )
