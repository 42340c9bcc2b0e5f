"""Named facts of a robot's state, which conditions in action files are made of.

To add a fact, add its test here; no other file has to change.
"""

from collections.abc import Callable, Collection, Mapping

import numpy as np

from softshell_actions.state import Stance, State

#: The fact that feet carry the robot.
STANDING = 'standing'
#: The fact that the base leans too far to stand, as on its side or its back.
FALLEN = 'fallen'
#: The fact that the cage is closed; panels that are pushed out to roll do not matter.
BALL = 'ball'
#: The fact that the base of a ball leans too far to stand up.
LEANING = 'tilted'
#: The fact that the legs are drawn in but the cage is not closed.
TRANSFORMING = 'transforming'
#: The facts that soft manipulators hold an object, and that they hold none. How a grasp ends
#: cannot be planned, so these are measured.
HOLDING, EMPTY = MEASURED = ('holding', 'empty')
#: A robot whose base is less than this above its lying height lies on its belly [m].
LYING_MARGIN = 0.01
#: Feet further than this from their rest positions are scattered [m].
SCATTERED_MARGIN = 0.01
#: A base tilted by more than this has fallen [rad].
FALLEN_TILT = 0.6
#: A base tilted by more than this does not stand up from a ball [rad].
TILTED = 0.12
#: Joints no further than this from a pose are in it [rad] or [m].
POSE_MARGIN = 0.1
#: Panels of a ball may be pushed out: their joints are up to this far from where the cage is
#: closed [rad]. Shared joints are not moved for that.
PUSHED = 1.25
#: The legs are drawn in if a foot is nearer to the base's axis than this part of its distance at
#: rest: no other motion moves a foot so far in.
DRAWN_IN = 0.5
#: They are also drawn in if all feet are nearer than this part of it; a base that only moves
#: aside is further from some feet than at rest.
ALL_DRAWN_IN = 0.65


class Facts:
    """The facts of one robot.

    Args:
        stance: how it stands; None for a robot without legs, which has no facts of legs.
        closed: joint positions in which its cage of panels is closed; None without a cage.
        shared: joints that move several chains.
        grasps: whether it has soft manipulators.
    """

    def __init__(
        self,
        stance: Stance | None,
        closed: Mapping[str, float] | None = None,
        shared: Collection[str] = (),
        grasps: bool = False,
    ) -> None:
        def is_ball(state: State) -> bool:
            return closed is not None and all(
                abs(state.joints[name] - value)
                <= (POSE_MARGIN if name in shared or not shared else PUSHED)
                for name, value in closed.items()
            )

        def is_transforming(state: State) -> bool:
            drawn_in = closed is not None and stance is not None and _is_drawn_in(state, stance)
            return drawn_in and not is_ball(state)

        def on_legs(test: Callable[[State, Stance], bool]) -> Callable[[State], bool]:
            """A test of the legs, false while they are in the ball or on the way."""
            return lambda state: (
                stance is not None
                and not (is_ball(state) or is_transforming(state))
                and test(state, stance)
            )

        self._tests: dict[str, Callable[[State], bool]] = {}
        if stance is not None:
            self._tests |= {
                'lying': on_legs(_is_lying),
                STANDING: on_legs(_is_standing),
                'scattered': on_legs(_is_scattered),
                FALLEN: lambda state: _has_fallen(state) and not is_ball(state),
            }
        if closed is not None:
            self._tests[BALL] = is_ball
            self._tests[LEANING] = lambda state: is_ball(state) and state.tilt > TILTED
            if stance is not None:
                self._tests[TRANSFORMING] = is_transforming
        if grasps:
            self._tests[HOLDING] = lambda state: state.holds is True
            self._tests[EMPTY] = lambda state: state.holds is False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all facts."""
        return tuple(self._tests)

    def of(self, state: State) -> dict[str, bool]:
        """Whether each fact is true of a state, by name."""
        return {name: test(state) for name, test in self._tests.items()}


def mode_of(facts: Collection[str] | None, controlled: bool) -> str:
    """Mode of a robot with a cage: hexapod, transforming, shell, rolling or unknown.

    Args:
        facts: names of those that are true; None if the state is not known.
        controlled: whether a controller moves the robot as a ball.
    """
    if controlled:
        return 'rolling'
    if facts is None:
        return 'unknown'
    if BALL in facts:
        return 'shell'
    return TRANSFORMING if TRANSFORMING in facts else 'hexapod'


def _is_lying(state: State, stance: Stance) -> bool:
    """Whether the belly carries the robot."""
    return bool(state.base_position[2] < stance.lying_height + LYING_MARGIN)


def _is_standing(state: State, stance: Stance) -> bool:
    return not (_is_lying(state, stance) or _has_fallen(state))


def _is_drawn_in(state: State, stance: Stance) -> bool:
    """Whether any foot is far under the robot, or all feet are somewhat under it."""
    distances = np.linalg.norm((state.feet - state.base_origin)[:, :2], axis=1)
    at_rest = np.linalg.norm(stance.feet[:, :2], axis=1)
    parts = distances / at_rest
    return bool(parts.min() < DRAWN_IN or parts.max() < ALL_DRAWN_IN)


def _is_scattered(state: State, stance: Stance) -> bool:
    """Whether any foot is off its rest position, or the robot travels; false while it lies."""
    if _is_lying(state, stance):
        return False
    distances = np.linalg.norm(state.feet - stance.feet, axis=1)
    return bool(distances.max() > SCATTERED_MARGIN or np.any(state.velocity))


def _has_fallen(state: State) -> bool:
    return state.tilt > FALLEN_TILT
