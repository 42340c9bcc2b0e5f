"""What a robot's URDF says of damping and friction counts only where its motors say so."""

import warnings

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_description.robots import robot_names
from softshell_sim.settings import WorldSettings
from softshell_sim.urdf.losses import warn_of_losses
from softshell_sim.world import World

DROPPED = (
    r"^robot 'tiny_arm': <dynamics> of its URDF does not count: damping 0.3 of joint 'swing' "
    r"\(viscous_friction\); friction 0.2 of joint 'swing' \(dry_friction\); expected the entry"
)


def with_dynamics(arm, dynamics, motor=''):
    """The arm with an element in its first joint, and more entries of that joint's motor."""
    urdf, table = arm.folder / 'tiny_arm.urdf', arm.folder / 'robot.yaml'
    urdf.write_text(
        urdf.read_text().replace('<axis xyz="0 1 0"/>', f'<axis xyz="0 1 0"/>{dynamics}')
    )
    table.write_text(table.read_text().replace('velocity: 6.0}', f'velocity: 6.0{motor}}}'))
    return load_robot(arm.folder)


def fallen(robot):
    """Positions of the joints after falling for a moment without drive."""
    world = World(robot, WorldSettings())
    world.simulate(0.1, driven=False)
    world.measure(0.1)
    position = world.position.copy()
    world.close()
    return position


def test_what_does_not_count_is_said(arm):
    """The arm falls bit for bit as without it, and the warning names joint, value and entry."""
    plain = fallen(arm)
    assert np.abs(plain).max() > 0.01
    with pytest.warns(UserWarning, match=DROPPED):
        assert fallen(with_dynamics(arm, '<dynamics damping="0.3" friction="0.2"/>')).tolist() == (
            plain.tolist()
        )


@pytest.mark.parametrize(
    ('dynamics', 'motor'),
    [
        ('<dynamics damping="0" friction="0.0"/>', ''),
        ('<dynamics/>', ''),
        ('<dynamics damping="0.3"/>', ', viscous_friction: 0.1'),
        ('<dynamics friction="0.3"/>', ', dry_friction: 0.1'),
    ],
)
def test_nothing_is_said_where_nothing_is_lost(arm, dynamics, motor):
    """Zeros, and losses in whose place those of the motor count."""
    robot = with_dynamics(arm, dynamics, motor)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        warn_of_losses(robot, robot.urdf_text)


@pytest.mark.parametrize('name', robot_names())
def test_nothing_is_said_of_the_robots_that_ship(name):
    """Joints of soft fingers have the losses that their URDF states."""
    robot = load_robot(name)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        warn_of_losses(robot, robot.urdf_text)
