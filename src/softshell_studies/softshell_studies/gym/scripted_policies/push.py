"""Pushing with the tip: it moves behind the block, then pushes it to the target."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_studies.gym.planar_arm import SEGMENTS, WIDTH, tip_of
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.push import EDGE, Push
from softshell_studies.gym.scripted_policies.reach import DAMPED, MOST, PER_BEND, by_bend
from softshell_studies.gym.task import part_of

#: Distance between the centres of block and arm when they touch [m]; the tip first moves to a
#: point that is so much further behind the block [m].
TOUCH, BEHIND = 0.5 * (EDGE + WIDTH), 0.02
#: How far the tip is past the point of contact, along the arm [m].
BEYOND = 0.012
#: Speed of the block: gain on its distance from the target [1/s], and limit [m/s]. A block that is
#: nearer to the target than this is pushed no further [m].
GAIN, FASTEST, NEAR = 1.5, 0.06, 0.004
#: The soft arm gives way to the block, so the goal of the tip is moved into the block: for each
#: m/s that the block is too slow, so many m/s deeper, and at most so deep [m].
DEEPER, DEEPEST = 2.0, 0.15
#: Speed of the goal of the tip [m/s].
SPEED = 0.25
#: Weight of an error in the direction of the tip, beside one in its position [m/rad].
TURN = 0.02


class ScriptedPush(Policy):
    """Moves a goal for the tip around and into the block; a kinematic model of the arm follows it.

    Args:
        task: that is played.
    """

    def __init__(self, task: Push) -> None:
        self._parts, self._period = task.observations, task.period
        self.begin()

    def begin(self) -> None:
        self._wanted, self._depth = np.zeros(4), -BEHIND
        self._goal: Array | None = None
        self._ahead = np.zeros(2)

    def act(self, observation: Array) -> Array:
        def seen(name: str) -> Array:
            return part_of(self._parts, observation, name)

        error, block, tip = seen('error'), seen('block'), seen('tip')
        far = float(np.linalg.norm(error))
        if far > NEAR or not self._ahead.any():
            # Nearer the direction may turn round, and the tip would go there through the block.
            self._ahead = error / max(far, 1e-9)
        ahead = self._ahead
        outwards = np.array([ahead[1], -ahead[0]])  # across the push, away from the base
        outwards *= np.sign(outwards @ block) or 1.0
        if self._goal is None:
            self._goal = tip.copy()
        place = block + BEYOND * outwards - TOUCH * ahead
        if float(np.linalg.norm(place - BEHIND * ahead - tip)) < 0.02 or self._depth > -BEHIND:
            speed = min(GAIN * far, FASTEST) if far > NEAR else -FASTEST
            slow = speed - float(seen('block_velocity') @ ahead)
            deeper = DEEPER * self._period * slow
            self._depth = min(max(self._depth + deeper, -BEHIND), DEEPEST)
        way = place + self._depth * ahead - self._goal
        length = float(np.linalg.norm(way))
        self._goal = self._goal + way * min(1.0, SPEED * self._period / max(length, 1e-9))
        self._lead(self._goal, float(np.arctan2(outwards[1], outwards[0])))
        return self._wanted * PER_BEND

    def _lead(self, goal: Array, heading: float) -> None:
        """Move the tip of the model towards a goal, by steps of damped least squares.

        Args:
            goal: (2,) position of the tip, along and aside [m].
            heading: direction of the tip, from along towards aside [rad].
        """
        for _ in range(3):
            point, _ = tip_of(np.repeat(self._wanted / SEGMENTS, SEGMENTS))
            turn = TURN * (heading - self._wanted.sum())
            jacobian = np.vstack([by_bend(self._wanted), np.full(4, TURN)])
            square = jacobian @ jacobian.T + (0.3 * DAMPED) ** 2 * np.eye(3)
            off = np.append(goal - point, np.clip(turn, -0.01, 0.01))
            step = jacobian.T @ np.linalg.solve(square, off)
            self._wanted = np.clip(self._wanted + step, -MOST, MOST)
