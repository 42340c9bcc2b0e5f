"""Part to which a foot stands: 1 on the ground, 0 in the air, with a smooth passage between."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array


def smooth(share: Array) -> Array:
    """(n,) smoothstep 3 s² - 2 s³ of shares s (n,); 0 below 0, 1 above 1."""
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


@dataclass(frozen=True)
class Standing:
    """How feet stand over time.

    Args:
        lifted: (points, feet) time since a foot in the air has lifted off [s]; 0 on the ground.
        ahead: (points, feet) time until a foot in the air lands [s]; 0 on the ground.
        stood: (points, feet) time since a foot has landed [s]; for one in the air, the time it had
            stood when it lifted off.
        passed: (points, feet) part of its load that a foot has, from 0 to 1, while all feet stand
            and load passes from those that lift off next to those that have landed.
        burdened: (points, feet) part to which a foot may carry, from 0, where the belly carries
            instead, to 1.
        rests: whether the robot comes to rest; it then has to stand on all feet as they land.
            While it walks on, feet take their load only once they have landed: a foot that presses
            down earlier touches the ground while it still moves, and turns the robot.
    """

    lifted: Array
    ahead: Array
    stood: Array
    passed: Array
    burdened: Array
    rests: bool

    @property
    def borne(self) -> Array:
        """(points,) part of the robot that its feet carry, from 0 to 1; its belly has the rest."""
        part: Array = self.burdened.max(axis=1, initial=0.0)
        return part

    def shares(self, passage: float) -> Array:
        """(points, feet) part to which each foot stands, from 0 to 1.

        Args:
            passage: time in which a foot gives up its load once it has lifted off, and in which
                it takes it again [s].
        """
        given_up = smooth(1.0 - self.lifted / passage) * smooth(self.stood / passage)
        taken = np.where(self.lifted > 0.0, smooth(1.0 - self.ahead / passage), 0.0)
        taken = taken if self.rests else np.zeros_like(taken)
        passed = np.ones_like(self.passed) if self.rests else self.passed
        return self.burdened * passed * np.maximum(given_up, taken)


class Feet:
    """Collects how feet stand in one sub-action, move by move.

    Args:
        stood: (feet,) time since each foot has landed, at the start [s]: infinite if it has stood
            for long, 0 if it has just landed or has given up its load. For one in the air, the
            time it had stood when it lifted off.
        times: (points,) [s].
    """

    def __init__(self, stood: Array, times: Array) -> None:
        self._times, self._light = times, stood == 0.0
        self._stood = stood + times[:, None]
        self._lifted, self._ahead = np.zeros_like(self._stood), np.zeros_like(self._stood)
        self._passed, self._landed = np.ones_like(self._stood), list[int]()

    def swings(self, foot: int, part: tuple[float, float]) -> None:
        """Note that a foot is in the air for a part of its swing, from 0 to 1."""
        begin, end = part
        whole = self._times[-1] / (end - begin)
        self._lifted[:, foot] = begin * whole + self._times
        self._ahead[:, foot] = whole - self._lifted[:, foot]
        self._stood[:, foot] = self._stood[0, foot]
        if end == 1.0:
            self._landed.append(foot)

    def pass_load(self, lifting: Sequence[int]) -> None:
        """Note that all feet stand: load passes from those `lifting` next to those that landed."""
        share = smooth(self._times / self._times[-1])
        landed = np.flatnonzero(self._light)
        self._passed[:, landed] = share[:, None]
        self._stood[:, landed] = np.inf
        self._passed[:, lifting] *= 1.0 - share[:, None]

    def standing(self, burdened: Array, rests: bool) -> Standing:
        """How they stand.

        Args:
            burdened, rests: as of `Standing`.
        """
        return Standing(self._lifted, self._ahead, self._stood, self._passed, burdened, rests)

    def stood(self, rests: bool) -> Array:
        """(feet,) time since each has landed, at the end [s]; see `Feet`."""
        stood = np.where(self._passed[-1] > 0.0, self._stood[-1], 0.0)
        stood[self._landed] = 0.0
        return np.full_like(stood, np.inf) if rests else stood
