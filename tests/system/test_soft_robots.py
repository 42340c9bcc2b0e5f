"""Robots that are soft and nothing else: they are data, and do what their demos say."""

import os
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from softshell_bringup.domain import free_domain
from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

ROOT = Path(__file__).parents[2]
SOFT = ['finger', 'hand', 'starfish', 'snake']


@pytest.mark.parametrize('name', SOFT)
def test_each_is_a_robot_with_channels_alone(name):
    robot = load_robot(name)
    assert robot.soft
    assert robot.channels
    assert not robot.joints
    assert robot.engine == 'mujoco'


@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
@pytest.mark.parametrize('name', SOFT)
def test_each_lies_or_stands_still_when_nothing_drives_it(name, engine):
    """After a while on the ground its joints are at rest, near where their springs are."""
    world = World(load_robot(name), WorldSettings(engine=engine))
    try:
        world.reset()
        world.settle(1.0)
        position, velocity = np.empty((2, len(world.body.joints)))
        world.engine.read_joints(world.body, position, velocity)
        assert np.abs(position).max() < 0.2
        assert np.abs(velocity).max() < 0.2
    finally:
        world.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ('name', 'engine'),
    [*product(SOFT, ['mujoco', 'pybullet']), ('shell_fingers', 'mujoco')],
)
def test_each_does_what_its_demo_says(name, engine, tmp_path):
    done = subprocess.run(
        [ROOT / 'softshell', 'demo', f'robot:={name}', f'engine:={engine}', '--output', tmp_path],
        env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'Warning' not in done.stderr
