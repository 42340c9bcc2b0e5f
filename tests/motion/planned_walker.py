"""A robot in a world of its own that performs what is planned for it, without ROS."""

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.performing.walking import Strides
from softshell_actions.planning.debt import Debt
from softshell_actions.rehearsal import Rehearsal
from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Time between two targets, as the bridge sets them, and for which it rests after an action [s].
PERIOD, REST = 0.004, 0.4


class Walker:
    """A robot in a world that performs what is planned for it.

    Args:
        engine, friction: of the world.
        robot: its name.
    """

    def __init__(self, engine, friction, robot='shell'):
        self.robot = load_robot(robot)
        self._map = JointMap.of(self.robot)
        self.rehearsal = Rehearsal(self.robot)
        self._value = self.robot.pose(self.robot.start).copy()
        self._targets = np.zeros((2, len(self._map.names)))
        self.world = World(self.robot, WorldSettings(engine=engine, friction=friction))
        self.world.settle(0.5)

    def perform(self, action, **given):
        """Perform an action and rest."""
        for part in self.rehearsal.perform(action, given):
            self._follow(part.motion)
        for _ in range(round(REST / PERIOD)):
            self._step(np.zeros_like(self._value))

    def stride(self, pace, velocity, *moves):
        """One stride at a velocity, and moves of the base beside it; its parts."""
        call = Strides(self.rehearsal.library, pace).call(np.asarray(velocity))
        for move in moves:
            call = call.with_move(move)
        parts = []
        for part in self.rehearsal._parts(call, Debt()):
            self._follow(part.motion)
            parts.append(part)
        return parts

    def tilt(self):
        """Angle between the base's z axis and the vertical [deg]."""
        axis = Rotation.from_quat(self.world.measure(PERIOD).base.orientation).as_matrix()[2, 2]
        return float(np.degrees(np.arccos(min(axis, 1.0))))

    def _follow(self, motion):
        columns = [self.robot.index(name) for name in motion.joints]
        curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
        for moment in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
            rate = np.zeros_like(self._value)
            self._value[columns], rate[columns] = curve(moment), curve(moment, 1)
            self._step(rate)

    def pose(self):
        """Place (2,) [m] and heading [deg] of the base."""
        base = self.world.measure(PERIOD).base
        heading = Rotation.from_quat(base.orientation).as_euler('zyx', True)[0]
        return base.position[:2].copy(), heading

    def _step(self, rate):
        positions, rates = self._targets
        self._map.positions(self._value, positions)
        self._map.rates(rate, rates)
        for _ in range(round(PERIOD / self.world.settings.physics_step)):
            self.world.step(positions, rates)
