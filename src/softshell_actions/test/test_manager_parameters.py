"""Parameters of the action manager that are set while it runs."""

import sys
from pathlib import Path

import pytest
import rclpy
from rclpy.parameter import Parameter

from softshell_actions.ros.manager_node import ActionManager

sys.path.insert(0, str(Path(__file__).parent))

from changed_robots import changed

NO_COMMAND = ('robot.yaml', '  cmd_vel: crawl', '  # cmd_vel: crawl')


@pytest.fixture
def manager(domains, tmp_path):
    """Function: a manager of the quadruped that names no gait for `cmd_vel`, started with one."""

    def start(gait=''):
        robot = changed(tmp_path, 'quadruped', NO_COMMAND)
        arguments = ['--ros-args', '-p', f'robot:={robot}', '-p', f'gait:="{gait}"']
        rclpy.init(args=arguments, domain_id=domains())
        return ActionManager()

    yield start
    rclpy.try_shutdown()


def change(node, gait):
    """What it answers; empty if it takes the gait."""
    (result,) = node.set_parameters([Parameter('gait', value=gait)])
    return '' if result.successful else result.reason


def test_a_gait_that_could_do_nothing_any_more_is_refused(manager):
    """Nobody listens to `cmd_vel`, since at the start there was no gait."""
    node = manager()
    assert change(node, 'crawl') == (
        "parameter gait: 'crawl' while the node runs; expected it at its start"
    )
    assert change(node, '') == ''
    node.destroy_node()


def test_a_robot_that_walks_cannot_be_left_without_a_gait(manager):
    """It may be given another one."""
    node = manager('crawl')
    assert change(node, '') == 'parameter gait: is empty; expected one of crawl, trot'
    assert change(node, 'trot') == ''
    node.destroy_node()
