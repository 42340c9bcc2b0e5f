"""How far round feet roll over the ground while the legs above them turn.

The sphere at the end of a foot does not slip: its point on the ground is at rest, so its centre
moves with v = ω × r z, where ω is the angular velocity of the shin over the ground. A robot whose
feet are planned as points at rest walks further than planned, by about the radius times the angle
by which its shins turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.chain import SerialChain

#: Most steps of Newton's method; as the goals are near, it needs far fewer.
ROUNDS = 24
#: Largest step of a joint [rad] or [m]: near a stretched leg a larger one would lead away.
LONGEST = 0.3
#: It has converged when all tips are nearer to their goals than the first; after the last step,
#: nearer than the second is good enough [m].
NEAR, FAR = 1e-6, 1e-3
#: Damping of its steps [m^2], against a division by zero where the leg cannot move in a direction.
DAMPING = 1e-9 * np.eye(3)


@dataclass(frozen=True)
class RollingFoot:
    """A leg whose foot rolls.

    Args:
        chain: the leg, whose tip is the foot's frame.
        own: indices of the chain's variables that move this leg and no other.
        centre: (3,) of the sphere in the foot's frame [m].
        radius: [m].
    """

    chain: SerialChain
    own: tuple[int, ...]
    centre: Array
    radius: float

    def path(self, goals: Array, base: Array, joints: Mapping[str, float]) -> Array:
        """How far a standing foot moves over the ground, besides what its goals say.

        Args:
            goals: (points, 3) of the foot's frame in the chain's base, if it did not roll [m].
            base: (points, 3, 3) orientation of the chain's base in a frame fixed to the ground,
                whose z is up.
            joints: positions at the start by name [rad] or [m].

        Returns:
            (points, 3) in that frame [m]; zero at first, and throughout where the leg does not
            reach its goals.
        """
        start = np.array([joints[name] for name in self.chain.variables])
        q = np.tile(start, (len(goals), 1))
        own = list(self.own)
        moved = np.zeros_like(goals)
        for _ in range(ROUNDS):
            poses, jacobians = self.chain.forward_and_jacobian(q)
            moved = self._moved(base @ poses[:, :3, :3])
            missing = goals - poses[:, :3, 3] + (moved[:, None] @ base)[:, 0]
            largest = float(np.abs(missing).max())
            if largest < NEAR:
                return moved
            moving = jacobians[:, :3, own]
            back = moving.transpose(0, 2, 1)
            steps = back @ np.linalg.solve(moving @ back + DAMPING, missing[:, :, None])
            q[:, own] += np.clip(steps[:, :, 0], -LONGEST, LONGEST)
        return moved if largest < FAR else np.zeros_like(goals)

    def _moved(self, shin: Array) -> Array:
        """(points, 3) way of the foot's frame [m] for orientations (points, 3, 3) of the shin.

        Both are in the frame fixed to the ground.
        """
        turn = shin[1:] @ shin[:-1].transpose(0, 2, 1)
        # (R - Rᵀ)/2 = sin(angle) [axis]×; only x and y make a ball roll.
        sines = 0.5 * np.column_stack(
            [
                turn[:, 2, 1] - turn[:, 1, 2],
                turn[:, 0, 2] - turn[:, 2, 0],
                turn[:, 1, 0] - turn[:, 0, 1],
            ]
        )
        sine = np.linalg.norm(sines, axis=1, keepdims=True)
        angles = sines * np.arcsin(np.minimum(sine, 1.0)) / np.maximum(sine, 1e-12)
        moved = np.zeros((len(shin), 3))
        moved[1:, 0] = self.radius * np.cumsum(angles[:, 1])
        moved[1:, 1] = -self.radius * np.cumsum(angles[:, 0])
        arms = shin @ self.centre
        moved -= arms - arms[0]
        return moved


@dataclass(frozen=True)
class RollingFeet:
    """The feet of a robot that roll, by leg.

    Args:
        feet: those that roll, by leg.
        stand: joint positions where the robot stands at rest, by name [rad] or [m].
        known: results of `Landing` that are kept: how far feet roll in half a stance.
    """

    feet: Mapping[str, RollingFoot]
    stand: Mapping[str, float]
    known: dict[tuple[object, ...], Array] = field(default_factory=dict)
