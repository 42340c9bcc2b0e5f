"""A robot with legs walks at a commanded velocity, on flat ground or on rubble."""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from softshell_common.plain_data import from_data
from softshell_common.yaml_file import NotNegative, StrictModel, Whole
from softshell_description.load import load_robot
from softshell_kinematics.transforms import inverse, rotation_about, transform
from softshell_sim.bodies import BodyState
from softshell_sim.changing.changes import Change, Place
from softshell_sim.scenes import terrain
from softshell_sim.settings import WorldSettings
from softshell_studies.gym.robot_task import RobotTask
from softshell_studies.gym.wiring import WalkWiring

#: Range of commanded speeds [m/s], and largest commanded yaw rate [rad/s].
SPEEDS, TURNS = (0.03, 0.12), 0.3
#: Time constant of the low-pass filter through which velocities are compared [s].
SMOOTH = 0.5
#: Errors of velocity [m/s] and yaw rate [rad/s] at which their rewards have sunk to 1/e.
OFF, OFF_TURN = 0.05, 0.2
#: Weight in the reward of the squared change of the action.
JERK = 0.02
#: A base that leans further has fallen [rad]; the reward that a fall costs.
FALLEN, COST = 0.8, 10.0
#: Side of the field of rubble [m], of its largest blocks [m], largest distance from its middle at
#: which episodes begin [m], and how long the robot settles there [s].
SIZE, BLOCK, WITHIN, SETTLE = 6.0, 0.16, 1.2, 0.3


class WalkForm(StrictModel):
    """Settings of the task `Walk`.

    Attributes:
        robot: name of a robot with legs.
        engine: physics engine.
        rough: height of the highest blocks of rubble [m]; 0: flat ground.
        ground_seed: seed of the rubble.
        friction: between ground and robot.
        visuals: whether pictures show the visual meshes of the robot.
    """

    robot: str = 'shell'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    rough: NotNegative = 0.0
    ground_seed: Whole = 0
    friction: NotNegative = 0.5
    visuals: bool = False


class Walk(RobotTask):
    """Follow a commanded velocity and yaw rate without a fall.

    Args:
        settings: of `WalkForm`.
    """

    def __init__(self, /, **settings: object) -> None:
        form = self.form = from_data(WalkForm, settings)
        robot = load_robot(form.robot)
        scene: tuple[Change, ...] = ()
        height = None
        wiring = WalkWiring(robot)
        if form.rough > 0.0:
            shape = terrain.rubble((SIZE, SIZE), form.rough, BLOCK, form.ground_seed)
            scene = terrain.laid(shape, form.friction, name='rubble')
            height = robot.rest_heights[wiring.pose] + form.rough
        self._height = height
        self._root_in_base = inverse(robot.urdf.bodies[robot.base.link][1])
        settings_of_world = WorldSettings(
            engine=form.engine, friction=form.friction, scene=scene, visuals=form.visuals
        )
        super().__init__(wiring, settings_of_world, height)

    def begin(self, random: np.random.Generator) -> None:
        self._rewind()
        if self._height is not None:
            x, y, turn = random.uniform([-WITHIN, -WITHIN, -np.pi], [WITHIN, WITHIN, np.pi])
            pose = transform(rotation_about((0.0, 0.0, 1.0), turn), (x, y, self._height))
            self.world.apply([Place('robot', BodyState.at_rest(pose @ self._root_in_base))])
            for _ in range(round(SETTLE / self.period)):
                for _ in range(self._ticks):
                    self._core.tick()
            self._sense()
        speed, way = random.uniform(*SPEEDS), random.uniform(-np.pi, np.pi)
        turn = random.choice([0.0, random.uniform(-TURNS, TURNS)])
        self.wish = np.array([speed * np.cos(way), speed * np.sin(way), turn])
        self._smooth, self._change = np.zeros(3), 0.0
        self._off, self._steps = 0.0, 0

    def act(self, action: np.ndarray) -> None:
        before = self.wiring.last
        super().act(action)
        self._change = float(((self.wiring.last - before) ** 2).sum())
        turn = self._sensed.rotation
        self._lean = float(np.arccos(np.clip(turn[2, 2], -1.0, 1.0)))
        heading = np.arctan2(turn[1, 0], turn[0, 0])
        level = turn @ self._sensed.velocity
        ahead = level[0] * np.cos(heading) + level[1] * np.sin(heading)
        left = level[1] * np.cos(heading) - level[0] * np.sin(heading)
        spin = float((turn @ self._sensed.spin)[2])
        share = min(1.0, self.period / SMOOTH)
        self._smooth = self._smooth + share * (np.array([ahead, left, spin]) - self._smooth)
        if self.wiring.time > 2.0 * SMOOTH:
            self._off += math.hypot(*(self._smooth - self.wish)[:2])
            self._steps += 1

    @property
    def failed(self) -> bool:
        """Whether the robot has fallen."""
        return self.wiring.time > 0.0 and self._lean > FALLEN

    def reward(self) -> float:
        """1 at the commanded velocity, and 0.5 more at the commanded yaw rate; less off them.

        exp(-(v / `OFF`)²) + 0.5 exp(-(w / `OFF_TURN`)²) - `JERK` · c - `COST` after a fall, where
        v and w are the errors of the filtered velocity and yaw rate, and c is the squared change
        of the action.
        """
        off, turn = self._smooth[:2] - self.wish[:2], self._smooth[2] - self.wish[2]
        along = np.exp(-float(off @ off) / OFF**2) + 0.5 * np.exp(-((turn / OFF_TURN) ** 2))
        return float(along) - JERK * self._change - COST * self.failed

    def measured(self) -> Mapping[str, float]:
        """`error`: mean error of the velocity after the first second [m/s]; `fallen`: 1 if so.

        In the first second, the error is that of standing still. `score`: minus the error [mm/s],
        and 1000 less after a fall.
        """
        error = self._off / self._steps if self._steps else math.hypot(*self.wish[:2])
        fallen = float(self.failed)
        return {'score': -1e3 * (error + fallen), 'error': error, 'fallen': fallen}
