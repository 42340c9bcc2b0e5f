"""Named facts of a robot's state, which conditions in action files are made of.

A new mode is a fact here; nothing else has to know it.
"""

from collections.abc import Callable, Mapping

import numpy as np

from softshell_actions.state import Stance, State

#: The fact that tells why a robot on its back cannot do what it is asked for.
FALLEN = 'fallen'
#: A robot whose base is less than this above its lying height lies on its belly [m].
LYING_MARGIN = 0.01
#: Feet further than this from their rest positions are scattered [m].
SCATTERED_MARGIN = 0.01
#: A base tilted by more than this has fallen [rad].
FALLEN_TILT = 0.6
#: Joints no further than this from a pose are in it [rad] or [m].
POSE_MARGIN = 0.1


class Facts:
    """The facts that there are of one robot.

    Args:
        stance: how it stands; None for a robot without legs, of which nothing is known then.
        closed: joint positions in which its cage of panels is closed; None if it has none.
    """

    def __init__(self, stance: Stance | None, closed: Mapping[str, float] | None = None) -> None:
        self._tests: dict[str, Callable[[State], bool]] = {}
        if stance is not None:
            self._tests |= {
                'lying': lambda state: _is_lying(state, stance),
                'standing': lambda state: not (_is_lying(state, stance) or _has_fallen(state)),
                'scattered': lambda state: _is_scattered(state, stance),
                FALLEN: _has_fallen,
            }
        if closed is not None:
            self._tests['ball'] = lambda state: all(
                abs(state.joints[name] - value) <= POSE_MARGIN for name, value in closed.items()
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all facts."""
        return tuple(self._tests)

    def of(self, state: State) -> dict[str, bool]:
        """Each fact of a state."""
        return {name: test(state) for name, test in self._tests.items()}


def _is_lying(state: State, stance: Stance) -> bool:
    """Whether the belly carries the robot."""
    return bool(state.base_position[2] < stance.lying_height + LYING_MARGIN)


def _is_scattered(state: State, stance: Stance) -> bool:
    """Whether any foot is off its rest position, or the robot travels; not while it lies."""
    if _is_lying(state, stance):
        return False
    distances = np.linalg.norm(state.feet - stance.feet, axis=1)
    return bool(distances.max() > SCATTERED_MARGIN or np.any(state.velocity))


def _has_fallen(state: State) -> bool:
    return state.tilt > FALLEN_TILT
