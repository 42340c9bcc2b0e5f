"""A robot that has closed into a ball rolls in a direction."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, StrictModel
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_studies.gym.robot_task import RobotTask
from softshell_studies.gym.wiring import RollWiring

#: Weight in the reward of motion to the side, beside motion along the heading.
ASIDE = 0.5


class RollForm(StrictModel):
    """Settings of the task `Roll`.

    Attributes:
        robot: name of a robot with a cage.
        engine: physics engine.
        friction: between ground and ball.
        visuals: whether pictures show the visual meshes of the robot.
    """

    robot: str = 'shell'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    friction: NotNegative = 0.5
    visuals: bool = False


class Roll(RobotTask):
    """Get as far as possible along the heading, from rest.

    Args:
        settings: of `RollForm`.
    """

    def __init__(self, /, **settings: object) -> None:
        form = self.form = from_data(RollForm, settings)
        world = WorldSettings(engine=form.engine, friction=form.friction, visuals=form.visuals)
        super().__init__(RollWiring(load_robot(form.robot)), world)

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        heading = random.uniform(-np.pi, np.pi)
        self.wish = np.array([heading])
        self._ahead = np.array([np.cos(heading), np.sin(heading)])
        self._begin = self._at = self._place[:2].copy()
        self._moved = np.zeros(2)

    def act(self, action: np.ndarray) -> None:
        super().act(action)
        now = self._place[:2].copy()
        self._moved, self._at = now - self._at, now

    def _along(self, way: np.ndarray) -> tuple[float, float]:
        """Components of a (2,) displacement along the heading, and to its left [m]."""
        x, y = self._ahead
        return float(way @ self._ahead), float(way @ [-y, x])

    def reward(self) -> float:
        """Motion along the heading in this step [m], minus `ASIDE` times that to the side."""
        along, aside = self._along(self._moved)
        return along - ASIDE * abs(aside)

    def measured(self) -> Mapping[str, float]:
        """`score`: distance along the heading [m]; `aside`: to the left of it [m]."""
        along, aside = self._along(self._at - self._begin)
        return {'score': along, 'aside': aside}
