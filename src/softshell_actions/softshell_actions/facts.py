"""Named facts of a robot's state, which conditions in action files are made of.

A new mode is a fact here; nothing else has to know it.
"""

from collections.abc import Callable, Collection, Mapping

import numpy as np

from softshell_actions.state import Stance, State

#: The fact that feet carry the robot.
STANDING = 'standing'
#: The fact that tells why a robot on its back cannot do what it is asked for.
FALLEN = 'fallen'
#: The fact that a cage is closed, with a few panels pushed out or not.
BALL = 'ball'
#: The fact that the base of a ball leans, so that it does not stand up.
LEANING = 'tilted'
#: The fact that a cage is neither closed nor are the legs out.
TRANSFORMING = 'transforming'
#: The facts that soft manipulators are known to hold a thing, and to hold none. Nobody knows how a
#: grasp will end, so that only measuring tells.
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
#: Panels of a ball that rolls or rests are pushed out: their joints are no further than this from
#: where it is closed [rad]. Shared joints stay.
PUSHED = 1.25
#: With a foot nearer to the base's axis than this part of its distance at rest, a cage is on its
#: way: nothing else draws them in so far.
DRAWN_IN = 0.5
#: So it is with all feet nearer than this part of it: a base that moves aside leaves some behind.
ALL_DRAWN_IN = 0.65


class Facts:
    """The facts that there are of one robot.

    Args:
        stance: how it stands; None for a robot without legs, of which nothing is known then.
        closed: joint positions in which its cage of panels is closed; None if it has none.
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
            """What legs decide, while the robot has any out."""
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
        """Each fact of a state."""
        return {name: test(state) for name, test in self._tests.items()}


def mode_of(facts: Collection[str] | None, controlled: bool) -> str:
    """What a robot with a cage is: hexapod, transforming, shell or rolling; unknown.

    Args:
        facts: that are true; None if its state is not known.
        controlled: whether a controller moves it, as a ball.
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
    """Whether any foot is far under the robot, or all are a little."""
    distances = np.linalg.norm((state.feet - state.base_origin)[:, :2], axis=1)
    at_rest = np.linalg.norm(stance.feet[:, :2], axis=1)
    parts = distances / at_rest
    return bool(parts.min() < DRAWN_IN or parts.max() < ALL_DRAWN_IN)


def _is_scattered(state: State, stance: Stance) -> bool:
    """Whether any foot is off its rest position, or the robot travels; not while it lies."""
    if _is_lying(state, stance):
        return False
    distances = np.linalg.norm(state.feet - stance.feet, axis=1)
    return bool(distances.max() > SCATTERED_MARGIN or np.any(state.velocity))


def _has_fallen(state: State) -> bool:
    return state.tilt > FALLEN_TILT
