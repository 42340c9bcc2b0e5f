"""A soft snake slithers through a channel between two walls."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from softshell_common.gravity import GRAVITY
from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, Positive, Whole
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.sensing.camera import View
from softshell_sim.shapes import Box, Plane
from softshell_sim.soft.base import Base
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import view_from
from softshell_studies.gym.soft_task import SoftForm, SoftTask
from softshell_studies.gym.task import Part
from softshell_studies.soft.snake import (
    ACTUATORS,
    ALONG,
    ARCS,
    FRICTION,
    GROUND,
    LENGTH,
    RADIUS,
    snake,
)

#: Largest moment in the joints of an actuator [N m].
LARGEST = 0.08
#: Length, height and thickness of a wall [m], and its friction.
LONG, HIGH, THICK, SLIPPERY = 4.0, 0.06, 0.04, 0.1
#: Largest angle [rad] and sideways offset [m] of the channel from the straight snake.
TURNED, ASIDE = 0.12, 0.03


class SnakeForm(SoftForm):
    """Settings of the task `Snake`.

    Attributes:
        along: friction along the snake, as part of that across it.
        width: of the channel [m].
    """

    step: Positive = 0.002
    steps_per_action: Annotated[Whole, Field(ge=1, le=1000)] = 25
    along: NotNegative = ALONG
    width: Positive = 0.20


class Snake(SoftTask):
    """Get as far as possible along the channel.

    The two coordinates are `along`, the direction of the channel, and `aside`, to its left. The
    snake is 0.8 m long.

    Args:
        settings: of `SnakeForm`.
    """

    form: SnakeForm
    actions = (Part('moments', ACTUATORS, f'{LARGEST:g} N m', 'in the joints of each actuator'),)
    observations = (
        Part('aside', 3, 'm', 'of tail, middle and head'),
        Part('heading', 1, 'rad', 'from tail to head, to the left of the channel'),
        Part('velocity', 2, 'm/s', 'of the middle, along and aside'),
        Part('bends', ACTUATORS, 'rad', 'bend of each actuator, tail first'),
        Part('bend_rates', ACTUATORS, 'rad/s', 'rates of the bends'),
        Part('moments', ACTUATORS, f'{LARGEST:g} N m', 'that are applied now'),
        Part('clock', 2, '', 'cosine and sine of 1 rad/s times the time'),
    )

    def __init__(self, /, **settings: object) -> None:
        form = from_data(SnakeForm, settings)
        super().__init__(form, GRAVITY)

    def _world(self) -> SoftBody:
        engine, form = self.engine, self.form
        surface = Surface(FRICTION, 0.0, *GROUND)
        engine.add(ObjectSpec('ground', Plane(), surface=surface))
        lying = transform(rotation_about((0.0, 1.0, 0.0), 0.5 * np.pi), (0.0, 0.0, RADIUS))
        soft = SoftBody(engine, snake(form.along), lying, Base.FREE, surface=surface)
        self._walls = []
        for side in (1.0, -1.0):
            spec = ObjectSpec(
                'left' if side > 0.0 else 'right', Box((LONG, THICK, HIGH)),
                pose=shift(*self._wall(side)), surface=Surface(SLIPPERY, 0.0, *GROUND),
            )  # fmt: skip
            self._walls.append(engine.add(spec))
        return soft

    def _wall(self, side: float) -> tuple[float, float, float]:
        """Centre of a wall in the frame of the channel, whose origin is near the tail [m].

        Args:
            side: 1 for the left wall, -1 for the right one.
        """
        return 0.5 * LONG - 0.5, side * 0.5 * (self.form.width + THICK), 0.5 * HIGH

    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        member = self.soft.members['snake']
        columns = [member.columns[member.kinds_of(number)[0]] for number in range(ACTUATORS)]
        # Positive moments bend it to the left: the axis of its joints points down.
        return columns, np.full(ACTUATORS, -LARGEST)

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        turn, aside = random.uniform(-TURNED, TURNED), random.uniform(-ASIDE, ASIDE)
        middle = 0.5 * ACTUATORS * LENGTH
        # The channel is turned about the middle of the snake, which stays off its walls.
        about = shift(middle) @ transform(rotation_about((0.0, 0.0, 1.0), turn))
        self._channel = about @ shift(-middle, aside)
        for wall, side in zip(self._walls, (1.0, -1.0), strict=True):
            pose = self._channel @ shift(*self._wall(side))
            self.engine.place(wall, BodyState.at_rest(pose))
        self._time = 0.0
        self._look()
        self._begin = float(self._middle[0])
        self._before = self._middle
        self._velocity = np.zeros(2)

    def act(self, action: Array) -> None:
        super().act(action)
        self._time += self.period
        self._before = self._middle
        self._look()
        self._velocity = (self._middle - self._before) / self.period

    def _look(self) -> None:
        points = self.soft.backbone('snake', ARCS)[0] - self._channel[:3, 3]
        self._points = points[:, :2] @ self._channel[:2, :2]
        self._middle = self._points.mean(axis=0)

    def observe(self) -> Array:
        points, sums = self._points, self._sums
        along, aside = points[-1] - points[0]
        return np.concatenate(
            (
                points[[0, len(points) // 2, -1], 1], [np.arctan2(aside, along)], self._velocity,
                -(sums @ self.soft.position), -(sums @ self.soft.velocity), self.moment,
                [np.cos(self._time), np.sin(self._time)],
            )
        )  # fmt: skip

    def reward(self) -> float:
        """How far the middle moved along the channel in this step [m]."""
        return float(self._middle[0] - self._before[0])

    def measured(self) -> Mapping[str, float]:
        """`score`: how far the middle has come [m]; `aside`: its offset to the left [m]."""
        return {'score': float(self._middle[0]) - self._begin, 'aside': float(self._middle[1])}

    def _view(self) -> View:
        middle = self._channel @ [*self._middle, 0.0, 1.0]
        return view_from(middle[:3] + [-0.3, -0.8, 1.0], middle[:3])
