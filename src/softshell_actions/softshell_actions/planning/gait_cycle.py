"""The cycle of a gait, cut into parts at every lift-off and touch-down."""

from collections.abc import Mapping

from softshell_actions.language.gait import Gait, LegTiming

#: Two events of a cycle are one if they are no further apart, as part of the cycle.
SAME = 1e-6
#: Names of the numbers of a cycle that expressions may use, see `GaitCycle.numbers`.
NUMBERS = ('parts', 'stance')


class GaitCycle:
    """When each leg of a gait swings.

    Args:
        gait: the gait.
        legs: timing of each leg.
    """

    def __init__(self, gait: Gait, legs: Mapping[str, LegTiming]) -> None:
        self.name, self.sway, self.reach = gait.name, gait.sway, gait.reach
        self.legs = dict(legs)
        edges: set[float] = set()
        for timing in legs.values():
            edges |= {timing.phase, (timing.phase + 1.0 - timing.duty) % 1.0}
        merged: list[float] = []
        for edge in sorted(edges):
            if not merged or (edge - merged[-1] > SAME and edge - merged[0] < 1.0 - SAME):
                merged.append(edge)
        # The last part ends in the next cycle, unless the first begins at phase 0.
        self.parts = tuple(zip(merged, [*merged[1:], merged[0] + 1.0], strict=True))

    @property
    def numbers(self) -> dict[str, float]:
        """By name: the number of its parts, and the longest stance in parts of mean length."""
        count = len(self.parts)
        stance = max(timing.duty for timing in self.legs.values()) * count
        return dict(zip(NUMBERS, (float(count), round(stance, 3)), strict=True))

    def length(self, part: int) -> float:
        """Length of a part, as part of the cycle."""
        begin, end = self.parts[part]
        return end - begin

    def swing(self, leg: str, part: int) -> tuple[float, float] | None:
        """How far a leg's swing is at both ends of a part: 0 at lift-off, 1 at touch-down.

        None if the leg stands during that part.
        """
        timing = self.legs[leg]
        swing = 1.0 - timing.duty
        since = (self.parts[part][0] - timing.phase + SAME) % 1.0 - SAME
        begin = max(since / swing, 0.0)
        if begin > 1.0 - SAME / swing:
            return None
        end = begin + self.length(part) / swing
        return begin, 1.0 if end > 1.0 - 2 * SAME / swing else end

    def until_lift(self, leg: str, part: int) -> float:
        """Time from the start of a part until a leg lifts, as part of the cycle; 0: lifts then."""
        left = (self.legs[leg].phase - self.parts[part][0] + SAME) % 1.0 - SAME
        return left if left > 2 * SAME else 0.0

    def standing(self, part: int) -> list[str]:
        """The legs that stand throughout a part."""
        return [leg for leg in self.legs if self.swing(leg, part) is None]

    def following(self, part: int) -> int:
        """Index of the part after a part."""
        return (part + 1) % len(self.parts)
