"""A soft arm that hangs down brings its tip to a target, with or without an obstacle."""

import math

import numpy as np

from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, Positive
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.sensing.camera import View
from softshell_sim.shapes import Cylinder
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import view_from
from softshell_studies.gym.arm_task import ArmForm, ArmTask
from softshell_studies.gym.planar_arm import ACTUATORS, REACH, planar_arm
from softshell_studies.gym.task import Part

#: Semi-axes of the two ellipses between which targets are, along and aside, as in SoMoGym [m].
INNER, OUTER = (0.30, 0.15), (0.50, 0.35)
#: Least coordinate along the arm of a target [m].
LEAST = 0.05
#: Ranges of targets behind an obstacle: along and aside [m].
BEHIND = (0.33, 0.43), (0.12, 0.20)
#: Ranges of the obstacle's centre, along and aside; its radius and length [m].
OBSTACLE, RADIUS, WIDE = ((0.20, 0.26), (0.08, 0.09)), 0.03, 0.15


class ReachForm(ArmForm):
    """Settings of the task `Reach`.

    Attributes:
        gravity: acceleration that pulls on the arm [m/s^2]; SoMoGym has a quarter of the Earth's.
        obstacle: whether there is an obstacle.
        near: a tip that is nearer to the target than this has arrived [m].
    """

    gravity: NotNegative = 2.45
    obstacle: bool = False
    near: Positive = 0.01


class Reach(ArmTask):
    """Bring the tip to the target, and hold it there.

    The two coordinates of the arm's plane are `along`, downwards, and `aside`, horizontal.

    Args:
        settings: of `ReachForm`.
    """

    form: ReachForm
    observations: tuple[Part, ...] = (
        Part('target', 2, 'm', 'along and aside'),
        Part('error', 2, 'm', 'from the tip to the target'),
        Part('tip', 2, 'm', 'along and aside'),
        Part('tip_velocity', 2, 'm/s', 'of the tip'),
        Part('bends', ACTUATORS, 'rad', 'bend of each actuator'),
        Part('bend_rates', ACTUATORS, 'rad/s', 'rates of the bends'),
        Part('moments', ACTUATORS, '0.125 N m', 'that are applied now'),
    )

    def __init__(self, /, **settings: object) -> None:
        form = from_data(ReachForm, settings)
        if form.obstacle:
            self.observations = (
                *self.observations, Part('obstacle', 2, 'm', 'its centre, along and aside')
            )  # fmt: skip
        self._obstacle_at, self._target = np.zeros(2), np.zeros(2)
        super().__init__(form, form.gravity)

    def _world(self) -> SoftBody:
        down = transform(rotation_about((1.0, 0.0, 0.0), np.pi))
        if self.form.obstacle:
            pose = _across(np.mean(OBSTACLE, axis=1))
            spec = ObjectSpec('obstacle', Cylinder(RADIUS, WIDE), pose=pose)
            self._obstacle = self.engine.add(spec)
        return SoftBody(self.engine, planar_arm(), down)

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        if self.form.obstacle:
            self._target = np.array([random.uniform(*span) for span in BEHIND])
            self._obstacle_at = np.array([random.uniform(*span) for span in OBSTACLE])
            pose = _across(self._obstacle_at)
            self.engine.place(self._obstacle, BodyState.at_rest(pose))
        else:
            self._target = _between(random)
        self._look()

    def _look(self) -> None:
        self._tip, self._velocity = self._plane.tip()
        self._distance = math.dist(self._target, self._tip)

    def observe(self) -> Array:
        bends, rates = self._plane.bends()
        seen = (
            self._target, self._target - self._tip, self._tip, self._velocity, bends, rates,
            self.moment,
        )  # fmt: skip
        return np.concatenate((*seen, self._obstacle_at) if self.form.obstacle else seen)

    def reward(self) -> float:
        """1 if the tip is at the target, minus its distance divided by the arm's length."""
        return float(self._distance < self.form.near) - self._distance / REACH

    def _view(self) -> View:
        return view_from((1.3, 0.1, -0.15), (0.0, 0.05, -0.25))


def _across(place: Array) -> Array:
    """(4, 4) pose of the obstacle: a cylinder across the plane at (2,) along and aside [m]."""
    along, aside = place.tolist()
    return transform(rotation_about((0.0, 1.0, 0.0), 0.5 * np.pi), (0.0, aside, -along))


def _between(random: np.random.Generator) -> Array:
    """(2,) a random point between the two ellipses [m]."""
    while True:
        point = np.array([random.uniform(LEAST, OUTER[0]), random.uniform(-OUTER[1], OUTER[1])])
        inside = float(((point / OUTER) ** 2).sum()) <= 1.0
        if inside and float(((point / INNER) ** 2).sum()) > 1.0:
            return point
