"""A soft arm that lies on the ground pushes a block to a target."""

import math

import numpy as np

from softshell_common.gravity import GRAVITY
from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, Positive
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.sensing.camera import View
from softshell_sim.shapes import Box
from softshell_sim.shapes import Plane as Ground
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import view_from
from softshell_studies.gym.arm_task import ArmForm, ArmTask
from softshell_studies.gym.planar_arm import ACTUATORS, REACH, WIDTH, planar_arm
from softshell_studies.gym.task import Part

#: Edge of the block [m], and gap between arm and ground [m].
EDGE, GAP = 0.05, 0.001
#: Ranges in which the block begins, seen from the arm's base: distance [m] and angle to either
#: side [rad].
BEGIN = (0.30, 0.40), (0.35, 0.60)
#: Ranges of the differences from block to target: of the distance from the base [m] and of the
#: angle [rad].
FURTHER = (-0.03, 0.03), (0.30, 0.50)
#: A block that is further from the arm's base is lost [m].
LOST = 1.5 * REACH
#: Reward that is taken away for a lost block.
LOSS = 400.0
#: Weight in the reward of the tip's distance from the block, beside the block's from the target.
TIP = 0.2


class PushForm(ArmForm):
    """Settings of the task `Push`.

    Attributes:
        mass: of the block [kg].
        friction: between block and ground.
        near: a block that is nearer to the target than this has arrived [m].
    """

    mass: Positive = 0.0025
    friction: NotNegative = 0.5
    near: Positive = 0.015


class Push(ArmTask):
    """Push the block to the target, and leave it there.

    The two coordinates on the ground are `along`, the direction of the straight arm, and `aside`,
    to its left.

    Args:
        settings: of `PushForm`.
    """

    form: PushForm
    observations = (
        Part('target', 2, 'm', 'along and aside'),
        Part('error', 2, 'm', 'from the block to the target'),
        Part('block', 2, 'm', 'along and aside'),
        Part('block_turn', 1, 'rad', 'of the block, to the left'),
        Part('block_velocity', 2, 'm/s', 'of the block'),
        Part('tip', 2, 'm', 'along and aside'),
        Part('tip_to_block', 2, 'm', 'from the tip to the block'),
        Part('bends', ACTUATORS, 'rad', 'bend of each actuator'),
        Part('bend_rates', ACTUATORS, 'rad/s', 'rates of the bends'),
        Part('moments', ACTUATORS, '0.125 N m', 'that are applied now'),
    )

    def __init__(self, /, **settings: object) -> None:
        form = from_data(PushForm, settings)
        self._target, self._state = np.zeros(2), BodyState()
        super().__init__(form, GRAVITY)

    def _world(self) -> SoftBody:
        engine, form = self.engine, self.form
        ground = engine.add(ObjectSpec('ground', Ground()))
        distance, angle = np.mean(BEGIN, axis=1).tolist()
        box = Box((EDGE,) * 3)
        self._block = engine.add(ObjectSpec('block', box, form.mass, _at(distance, angle)))
        engine.set_pair_surface(ground, self._block, Surface(form.friction))
        lying = np.column_stack([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
        return SoftBody(engine, planar_arm(), transform(lying, (0.0, 0.0, 0.5 * WIDTH + GAP)))

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        side = random.choice([-1.0, 1.0])
        distance, angle = (random.uniform(*span) for span in BEGIN)
        further, around = (random.uniform(*span) for span in FURTHER)
        self.engine.place(self._block, BodyState.at_rest(_at(distance, side * angle)))
        end = side * (angle + around)
        self._target = (distance + further) * np.array([np.cos(end), np.sin(end)])
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
        """Whether the block is beyond `LOST`."""
        return math.hypot(*self._at) > LOST

    def reward(self) -> float:
        """1 if the block is at the target, minus (d + `TIP` · t) / length of the arm.

        d is the distance from block to target, t that from tip to block. A lost block costs
        `LOSS` more, which is more than any arm that does nothing pays until the end.
        """
        tip = math.dist(self._at, self._tip)
        found = float(self._distance < self.form.near) - (self._distance + TIP * tip) / REACH
        return found - LOSS * self.failed

    def _view(self) -> View:
        return view_from((-0.35, -0.55, 0.7), (0.25, 0.0, 0.0))


def _at(distance: float, angle: float) -> Array:
    """(4, 4) pose of a block on the ground that faces the arm's base.

    Args:
        distance: from the base [m].
        angle: to the left of the straight arm [rad].
    """
    pose = transform(rotation_about((0.0, 0.0, 1.0), angle))
    turned: Array = pose @ shift(distance, 0.0, 0.5 * EDGE)
    return turned
