"""Robots walk as far as they are told, and straight, with nobody looking where they go."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.rehearsal import Rehearsal
from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Time between two targets, as the bridge sets them, and for which it rests after an action [s].
PERIOD, REST = 0.004, 0.4
NEEDS_PYBULLET = pytest.mark.needs('pybullet')


class Walker:
    """A robot in a world that performs what is planned for it.

    Args:
        engine, friction: of the world.
        robot: its name.
    """

    def __init__(self, engine, friction, robot='shell'):
        self.robot = load_robot(robot)
        self._map = JointMap.of(self.robot)
        self._rehearsal = Rehearsal(self.robot)
        self._value = self.robot.pose(self.robot.start).copy()
        self._targets = np.zeros((2, len(self._map.names)))
        self.world = World(self.robot, WorldSettings(engine=engine, friction=friction))
        self.world.settle(0.5)

    def perform(self, action, **given):
        """Perform an action and rest."""
        for part in self._rehearsal.perform(action, given):
            motion = part.motion
            columns = [self.robot.index(name) for name in motion.joints]
            curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
            for moment in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
                rate = np.zeros_like(self._value)
                self._value[columns], rate[columns] = curve(moment), curve(moment, 1)
                self._step(rate)
        for _ in range(round(REST / PERIOD)):
            self._step(np.zeros_like(self._value))

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


def walked(engine, friction, distance, robot='shell', **given):
    """Error of a walk's length [%], and what it turned [deg]."""
    walker = Walker(engine, friction, robot)
    walker.perform('stand')
    begin, heading = walker.pose()
    walker.perform('walk', distance=distance, **given)
    end, turned = walker.pose()
    walker.world.close()
    course = np.radians(heading) + given.get('direction', 0.0)
    way = (end - begin) @ [np.cos(course), np.sin(course)]
    return 100.0 * (way / distance - 1.0), turned - heading


@pytest.mark.parametrize(
    ('engine', 'friction', 'given'),
    [
        ('mujoco', 0.5, {}),
        ('mujoco', 1.0, {'step': 0.05, 'height': 0.01}),
        ('mujoco', 1.0, {'step': 0.05, 'height': 0.04, 'period': 0.6, 'direction': 1.57}),
        ('mujoco', 1.0, {'step': 0.1, 'period': 0.7}),
        pytest.param('pybullet', 0.5, {}, marks=NEEDS_PYBULLET),
        pytest.param('pybullet', 1.0, {'step': 0.06, 'direction': -2.0}, marks=NEEDS_PYBULLET),
    ],
)
def test_it_is_within_a_percent_and_half_a_degree_a_metre(engine, friction, given):
    """With steps of 5 to 10 cm, lifts of 1 to 4 cm, forwards and to the sides."""
    distance = 0.6
    error, turned = walked(engine, friction, distance, **given)
    assert abs(error) < 1.0
    assert abs(turned) < 0.5 * distance


@pytest.mark.parametrize('engine', ['mujoco', pytest.param('pybullet', marks=NEEDS_PYBULLET)])
def test_short_steps_turn_it_no_further(engine):
    """No more than 0.03 degrees a step, and a percent of the way."""
    error, turned = walked(engine, 1.0, 0.2, step=0.02)
    assert abs(error) < 1.0
    assert abs(turned) < 10 * 0.03


@pytest.mark.parametrize('engine', ['mujoco', pytest.param('pybullet', marks=NEEDS_PYBULLET)])
@pytest.mark.parametrize('friction', [0.5, 1.0])
def test_a_quadruped_crawls_as_far_and_as_straight(engine, friction):
    """It sways, and stands on three feet while one steps."""
    distance = 0.4
    error, turned = walked(engine, friction, distance, 'quadruped')
    assert abs(error) < 1.0
    assert abs(turned) < 0.5 * distance
