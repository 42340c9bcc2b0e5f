"""The package of a user's own is built beside ours, and its robot, actions and node work."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_description.load import load_robot
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / 'examples' / 'my_robot_pkg'


@pytest.fixture(scope='module')
def overlay(tmp_path_factory) -> dict[str, str]:
    """The environment in which a workspace with the package is sourced."""
    pytest.importorskip('colcon_core', reason='colcon is installed apart from this Python')
    workspace = tmp_path_factory.mktemp('my_ws')
    shutil.copytree(PACKAGE, workspace / 'src' / PACKAGE.name)
    command = [sys.executable, '-m', 'colcon', 'build']
    built = subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    sourced = subprocess.run(
        ['bash', '-c', 'source "$1" && env -0', 'bash', workspace / 'install' / 'setup.bash'],
        env={**os.environ, 'COLCON_PYTHON_EXECUTABLE': sys.executable},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return dict(entry.split('=', 1) for entry in sourced.split('\0') if '=' in entry)


def test_its_robot_has_a_name(overlay):
    """`robot:=ant` is one of the installed robots, and is read from the package."""
    code = (
        'from softshell_description.load import load_robot\n'
        'from softshell_description.robots import robot_names\n'
        'print(robot_names()); print(load_robot("ant").folder)'
    )
    run = subprocess.run(
        [sys.executable, '-c', code], env=overlay, capture_output=True, text=True, check=True
    )
    names, folder = run.stdout.splitlines()
    assert "'ant'" in names
    assert "'shell'" in names
    assert folder.endswith('share/my_robot_pkg/robots/ant')


@pytest.mark.long
def test_its_node_has_the_robot_walk_up_and_down(overlay, monkeypatch):
    """Stack and node run as installed; it comes back to where it began."""
    monkeypatch.setattr(os, 'environ', overlay | {'ROS_LOG_DIR': os.environ['ROS_LOG_DIR']})
    arguments = {'robot': 'ant', 'engine': 'mujoco', 'real_time_factor': '0'}
    program = Path(overlay['COLCON_PREFIX_PATH'].split(':')[0]) / PACKAGE.name
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        run = subprocess.run(
            [program / 'lib' / PACKAGE.name / 'patrol', '--ros-args', '-p', 'distance:=0.15'],
            env=os.environ | {'ROS_DOMAIN_ID': str(stack.domain)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert run.returncode == 0, run.stderr
    where = re.search(r'came back to (\S+) m, (\S+) m', run.stderr)
    assert where, run.stderr
    assert max(abs(float(metres)) for metres in where.groups()) < 0.01


def test_its_dance_is_written_for_one_side():
    """The other legs do the same in a mirror; then the body comes back to where it was."""
    parts = {
        part.call.name: part
        for part in Rehearsal(load_robot(PACKAGE / 'robots' / 'ant'), 'stand').perform('dance')
    }
    wave = parts['wave'].joints
    assert np.ptp(wave['left_middle_yaw']) > 0.5
    assert wave['right_middle_yaw'] == pytest.approx(-wave['left_middle_yaw'], abs=1e-9)
    assert wave['right_middle_hip'] == pytest.approx(wave['left_middle_hip'], abs=1e-9)
    feet = parts['paw'].plan.limbs
    assert feet['right_front'][:, 1] == pytest.approx(-feet['left_front'][:, 1], abs=1e-9)
    out, back = (parts[f'swing {name}'].plan.base.origins for name in ('out', 'back'))
    assert np.hypot(*(out[:, :2] - out[0, :2] - [0.0, 0.015]).T) == pytest.approx(0.015, abs=1e-6)
    assert back[-1] == pytest.approx(out[0], abs=1e-9)


@pytest.mark.long
def test_it_stays_level_while_it_dances():
    """Also while it lifts both front feet."""
    robot = CommandedRobot(WorldSettings(engine='mujoco'), str(PACKAGE / 'robots' / 'ant'))
    upright = []

    def look():
        turned = rotation_from_quaternion(robot.core.measured.base.orientation)
        upright.append(turned[2, 2])

    with closing(robot):
        robot.perform('stand')
        robot.watch = look
        robot.perform('dance')
    assert np.degrees(np.arccos(min(upright))) < 2.0


@pytest.mark.long
def test_its_own_tests_pass():
    """As `colcon test` runs them."""
    command = [sys.executable, '-m', 'pytest', '-q', 'test']
    subprocess.run(command, check=True, cwd=PACKAGE)
