"""A soft arm that lies on the ground pushes a block to a target."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.yaml_file import NotNegative, Positive
from softshell_continuum.files import from_data
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.sensing.camera import View
from softshell_sim.shapes import Box
from softshell_sim.shapes import Plane as Ground
from softshell_sim.soft_body import SoftBody
from softshell_studies.film import view_from
from softshell_studies.gym.planar_arm import (
    ACTUATORS,
    REACH,
    WIDTH,
    Plane,
    drives,
    planar_arm,
)
from softshell_studies.gym.soft_task import SoftForm, SoftTask
from softshell_studies.gym.task import Part

#: Edge of the block [m], and by how much the arm is above the ground [m].
EDGE, GAP = 0.05, 0.001
#: Where the block begins, from the arm's base: distance [m] and angle to either side [rad].
BEGIN = (0.30, 0.40), (0.35, 0.60)
#: By how much further the target is: distance [m] and angle [rad].
FURTHER = (-0.03, 0.03), (0.30, 0.50)
#: A block that is further from the arm's base is lost [m].
LOST = 1.5 * REACH
#: What the way of the tip to the block counts beside that of the block to the target.
TIP = 0.2


class PushForm(SoftForm):
    """A push.

    Attributes:
        mass: of the block [kg].
        friction: of the block on the ground.
        near: as far as that off the target it is there [m].
    """

    mass: Positive = 0.0025
    friction: NotNegative = 0.5
    near: Positive = 0.015


class Push(SoftTask):
    """Push the block to the target, and leave it there.

    Two coordinates on the ground: along the arm as it lies straight, and aside to its left.

    Args:
        settings: of `PushForm`.
    """

    form: PushForm
    actions = (Part('moments', ACTUATORS, '0.125 N m', 'in the joints of each actuator'),)
    observations = (
        Part('target', 2, 'm', 'along and aside'),
        Part('error', 2, 'm', 'from the block to the target'),
        Part('block', 2, 'm', 'along and aside'),
        Part('block_turn', 1, 'rad', 'of the block, to the left'),
        Part('block_velocity', 2, 'm/s', 'of the block'),
        Part('tip', 2, 'm', 'along and aside'),
        Part('tip_to_block', 2, 'm', 'from the tip to the block'),
        Part('bends', ACTUATORS, 'rad', 'by how much each actuator is bent'),
        Part('bend_rates', ACTUATORS, 'rad/s', 'how fast'),
        Part('moments', ACTUATORS, '0.125 N m', 'as applied'),
    )

    def __init__(self, **settings: object) -> None:
        form = from_data(PushForm, settings)
        self._target, self._state = np.zeros(2), BodyState()
        super().__init__(form, 9.81)
        self._plane = Plane(self.soft)

    def _world(self) -> SoftBody:
        engine, form = self.engine, self.form
        ground = engine.add(ObjectSpec('ground', Ground()))
        distance, angle = np.mean(BEGIN, axis=1).tolist()
        box = Box((EDGE,) * 3)
        self._block = engine.add(ObjectSpec('block', box, form.mass, _at(distance, angle)))
        engine.set_pair_surface(ground, self._block, Surface(form.friction))
        lying = np.column_stack([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
        return SoftBody(engine, planar_arm(), transform(lying, (0.0, 0.0, 0.5 * WIDTH + GAP)))

    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        return drives(self.soft)

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        side = random.choice([-1.0, 1.0])
        distance, angle = (random.uniform(*span) for span in BEGIN)
        further, around = (random.uniform(*span) for span in FURTHER)
        self.engine.place(self._block, BodyState.at_rest(_at(distance, side * angle)))
        end = side * (angle + around)
        self._target = (distance + further) * np.array([np.cos(end), np.sin(end)])
        self._look()

    def act(self, action: Array) -> None:
        super().act(action)
        self._look()

    def _look(self) -> None:
        self.engine.read(self._block, self._state)
        self._at = self._state.position[:2].copy()
        self._tip, _ = self._plane.tip()
        self._distance = math.dist(self._target, self._at)

    def observe(self) -> Array:
        x, y, z, w = self._state.orientation
        turn = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        bends, rates = self._plane.bends()
        return np.concatenate(
            (
                self._target, self._target - self._at, self._at, [turn],
                self._state.linear_velocity[:2], self._tip, self._at - self._tip, bends, rates,
                self.moment,
            )
        )  # fmt: skip

    @property
    def failed(self) -> bool:
        """Whether the block is out of reach."""
        return math.hypot(*self._at) > LOST

    def reward(self) -> float:
        """Less the nearer the block is to the target, and the tip to the block; 1 where it is."""
        tip = math.dist(self._at, self._tip)
        return float(self._distance < self.form.near) - (self._distance + TIP * tip) / REACH

    def measured(self) -> Mapping[str, float]:
        """How far the block is off the target [m], whether it is there; the score is in mm."""
        return {
            'score': -1e3 * self._distance,
            'distance': self._distance,
            'success': float(self._distance < self.form.near),
        }

    def _view(self) -> View:
        return view_from((-0.35, -0.55, 0.7), (0.25, 0.0, 0.0))


def _at(distance: float, angle: float) -> Array:
    """(4, 4) of a block on the ground, turned to the arm's base [m], [rad]."""
    pose = transform(rotation_about((0.0, 0.0, 1.0), angle))
    turned: Array = pose @ shift(distance, 0.0, 0.5 * EDGE)
    return turned
