"""A robot that performs actions by function calls: what it tells of itself."""

import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.library import ParameterError
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot


def test_the_yaw_of_a_base_is_its_heading_also_where_it_leans():
    """Yaw comes first, then pitch, then roll, as everywhere else."""
    robot = CommandedRobot(WorldSettings(engine='mujoco'))
    base = robot.core.measured.base
    base.orientation = Rotation.from_euler('ZYX', [0.8, 0.3, 0.3]).as_quat()
    x, y, yaw = robot.pose()
    robot.close()
    assert (x, y) == tuple(base.position[:2])
    assert yaw == pytest.approx(0.8)


def test_a_motion_that_is_over_is_forgotten():
    """And so are those before it: a robot that moves for days needs no more memory."""
    robot = CommandedRobot(WorldSettings(engine='mujoco'))
    robot.perform('stand')
    robot.perform('walk', distance=0.05)
    assert robot._sent == {}
    assert robot._newest._before is None
    with pytest.raises(ParameterError, match='tripod'):
        robot.perform('stand', 'tripod')
    robot.close()
