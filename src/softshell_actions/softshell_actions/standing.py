"""To which part a foot stands: 1 on the ground, 0 in the air, with a passage between the two."""

from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array


def smooth(share: Array) -> Array:
    """From 0 to 1, level at both ends; 0 before, 1 after."""
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


@dataclass(frozen=True)
class Standing:
    """How feet stand over time.

    Args:
        lifted: (points, feet) time since a foot in the air has lifted off [s]; 0 on the ground.
        ahead: (points, feet) time until a foot in the air lands [s]; 0 on the ground.
        stood: (points, feet) time since a foot has landed [s]; of one in the air, when it lifted.
        burdened: (points, feet) from 0, where the belly carries in its stead, to 1.
        rests: whether the robot comes to rest; it then has to stand on all feet as they land.
            While it goes on, feet take their load once they have landed: one that presses down
            earlier lands too early, still on its way, and turns the robot.
    """

    lifted: Array
    ahead: Array
    stood: Array
    burdened: Array
    rests: bool

    def shares(self, passage: float) -> Array:
        """(points, feet) part to which each stands, from 0 to 1.

        Args:
            passage: time in which a foot gives up its load once it has lifted off, and in which
                it takes it again [s].
        """
        landing = np.where(self.lifted > 0.0, self.ahead if self.rests else np.inf, 0.0)
        aloft = np.minimum(self.lifted, landing)
        return self.burdened * smooth(1.0 - aloft / passage) * smooth(self.stood / passage)


class Feet:
    """How feet have stood and are to stand, in the making.

    Args:
        stood: (feet,) time since each has landed, at the start [s]; infinite where it stands. Of
            one in the air, when it lifted.
        times: (points,) [s].
    """

    def __init__(self, stood: Array, times: Array) -> None:
        self._times = times
        self._stood = stood + times[:, None]
        self._lifted, self._ahead = np.zeros_like(self._stood), np.zeros_like(self._stood)
        self._landed: list[int] = []

    def swings(self, foot: int, part: tuple[float, float]) -> None:
        """A foot is in the air for a part of its swing, from 0 to 1."""
        begin, end = part
        whole = self._times[-1] / (end - begin)
        self._lifted[:, foot] = begin * whole + self._times
        self._ahead[:, foot] = whole - self._lifted[:, foot]
        self._stood[:, foot] = self._stood[0, foot]
        if end == 1.0:
            self._landed.append(foot)

    def standing(self, burdened: Array, rests: bool) -> Standing:
        """How they stand; see `Standing`."""
        return Standing(self._lifted, self._ahead, self._stood, burdened, rests)

    def stood(self, rests: bool) -> Array:
        """(feet,) time since each has landed, at the end [s]; see `Feet`."""
        stood = self._stood[-1].copy()
        stood[self._landed] = 0.0
        return np.full_like(stood, np.inf) if rests else stood
