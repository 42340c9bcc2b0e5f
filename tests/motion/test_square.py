"""What a command slips is made up for by those after it, with odometry to look at."""

import numpy as np
import pytest

from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

SIDE = 2.0


@pytest.mark.parametrize(
    ('engine', 'friction'),
    [
        pytest.param('mujoco', 0.8, marks=pytest.mark.long),
        pytest.param('mujoco', 0.4, marks=pytest.mark.long),
        pytest.param('pybullet', 0.8, marks=pytest.mark.long),
    ],
)
def test_round_a_square_it_ends_where_it_began(engine, friction):
    """Within 2 mm and 0.5 degrees, after 8 m and four turns."""
    robot = CommandedRobot(WorldSettings(engine=engine, friction=friction))
    robot.director.performer.holds_heading = True
    robot.perform('stand')
    begin = robot.pose()
    for _ in range(4):
        robot.perform('walk', distance=SIDE)
        robot.perform('turn', angle=np.pi / 2)
    assert robot.pose()[:2] == pytest.approx(begin[:2], abs=2e-3)
    assert abs(np.angle(np.exp(1j * (robot.pose()[2] - begin[2])))) < np.radians(0.5)
