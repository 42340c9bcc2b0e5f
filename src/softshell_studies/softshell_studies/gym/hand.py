"""A hand of four soft fingers turns a cube on its palm."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.gravity import GRAVITY
from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, Positive
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    rotation_about,
    rotation_from_quaternion,
    shift,
    transform,
)
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.sensing.camera import View
from softshell_sim.shapes import Box, Cylinder
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import view_from
from softshell_studies.gym.soft_task import SoftForm, SoftTask
from softshell_studies.gym.task import Part
from softshell_studies.soft.hand_cube import (
    DROPPED,
    EDGE,
    GRASP,
    PALM,
    SCALE,
    SIDE,
    THICKNESS,
    TOP,
    hand,
)

FINGERS = tuple(f'finger_{number}' for number in range(1, 5))
#: Largest moments of a finger about x and about y [N m]: those of a mean pressure of 21 and of a
#: difference of 20 between its chambers, in the units of the published world.
LARGEST = np.abs(SCALE.to_si('torque', np.array([GRASP * 21.0, SIDE * 10.0])))
#: The cube is lost if it is further from the middle of the palm [m] or leans by more [rad], or has
#: been dropped.
OFF, LEANS = 0.05, 0.8
#: Most distance of the cube from the middle [m] and most turn [rad] when an episode begins.
ASIDE, TURNED = 0.002, 0.05
#: Weight of the distance from the middle in the reward, beside that of the turn [rad/(m s)].
CENTRED = 1.0


class HandForm(SoftForm):
    """Settings of the task `Hand`.

    Attributes:
        mass: of the cube [kg].
        palm: friction between the cube and the palm.
        tips: friction between the cube and the fingers.
    """

    mass: Positive = 0.025
    palm: NotNegative = 0.1
    tips: NotNegative = 0.5


class Hand(SoftTask):
    """Turn the cube to the left as far as possible, and keep it on the palm.

    Args:
        settings: of `HandForm`.
    """

    form: HandForm
    actions = (
        Part('moments', 8, f'{LARGEST[0]:.3g} and {LARGEST[1]:.3g} N m',
             'of each finger: inwards, and to its side'),
    )  # fmt: skip
    observations = (
        Part('cube', 3, 'm', 'centre of the cube from where it lies in the middle of the palm'),
        Part('cube_turn', 2, '', 'cosine and sine of four times its yaw: its sides are alike'),
        Part('cube_up', 3, '', 'its upward axis'),
        Part('cube_velocity', 6, 'm/s, rad/s', 'of the cube'),
        Part('bends', 8, 'rad', 'of each finger: inwards, and to its side'),
        Part('bend_rates', 8, 'rad/s', 'rates of the bends'),
        Part('moments', 8, 'as the action', 'that are applied now'),
    )

    def __init__(self, /, **settings: object) -> None:
        form = from_data(HandForm, settings)
        self._state = BodyState()
        super().__init__(form, GRAVITY)

    def _world(self) -> SoftBody:
        engine, form = self.engine, self.form
        soft = SoftBody(engine, hand())
        at = shift(0.0, 0.0, TOP - 0.5 * THICKNESS)
        palm = engine.add(ObjectSpec('palm', Cylinder(PALM, THICKNESS), pose=at))
        cube = ObjectSpec('cube', Box((EDGE,) * 3), form.mass, _lying(0.0, 0.0, 0.0))
        self._cube = engine.add(cube)
        engine.set_pair_surface(self._cube, palm, Surface(friction=form.palm))
        engine.set_pair_surface(self._cube, soft.body, Surface(friction=form.tips))
        return soft

    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        columns = []
        for name in FINGERS:
            member = self.soft.members[name]
            columns += [member.columns[kind] for kind in member.kinds_of(0)]
        return columns, np.tile(LARGEST, len(FINGERS))

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        aside, around = random.uniform(0.0, ASIDE), random.uniform(-np.pi, np.pi)
        x, y = aside * np.cos(around), aside * np.sin(around)
        self._yaw = random.uniform(-TURNED, TURNED)
        self.engine.place(self._cube, BodyState.at_rest(_lying(x, y, self._yaw)))
        self._turned = 0.0
        self._look()

    def act(self, action: Array) -> None:
        super().act(action)
        self._look()

    def _look(self) -> None:
        self.engine.read(self._cube, self._state)
        turn = rotation_from_quaternion(self._state.orientation)
        yaw, self._up = float(np.arctan2(turn[1, 0], turn[0, 0])), turn[:, 2]
        self._step = (yaw - self._yaw + np.pi) % (2.0 * np.pi) - np.pi
        self._turned += self._step
        self._yaw = yaw
        self._off = float(np.linalg.norm(self._state.position[:2]))

    def observe(self) -> Array:
        state = self._state
        return np.concatenate(
            (
                state.position - [0.0, 0.0, TOP + 0.5 * EDGE],
                [np.cos(4.0 * self._yaw), np.sin(4.0 * self._yaw)], self._up,
                state.linear_velocity, state.angular_velocity, self._sums @ self.soft.position,
                self._sums @ self.soft.velocity, self.moment,
            )
        )  # fmt: skip

    @property
    def failed(self) -> bool:
        """Whether the cube has left the palm, also downwards, or fallen over."""
        low = TOP + 0.5 * EDGE - DROPPED
        leans = self._up[2] < np.cos(LEANS)
        return bool(self._off > OFF or leans or self._state.position[2] < low)

    def reward(self) -> float:
        """Turn to the left in this step [rad], minus what the offset from the middle costs.

        It costs `CENTRED` · offset · period.
        """
        return self._step - CENTRED * self._off * self.period

    def measured(self) -> Mapping[str, float]:
        """`score`: turn so far [deg]; `off`: distance from the middle of the palm [m]."""
        return {'score': float(np.degrees(self._turned)), 'off': self._off}

    def _view(self) -> View:
        return view_from((0.3, -0.22, 0.32), (0.0, 0.0, 0.08))


def _lying(x: float, y: float, turn: float) -> Array:
    """(4, 4) pose of the cube on the palm at x, y [m], turned by an angle [rad]."""
    at = x, y, TOP + 0.5 * EDGE
    return transform(rotation_about((0.0, 0.0, 1.0), turn), at)
