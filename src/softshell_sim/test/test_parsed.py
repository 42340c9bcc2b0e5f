"""The parsed URDF that all parts of a world share."""

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.settings import WorldSettings
from softshell_sim.urdf.parsed import parsed
from softshell_sim.world import World


@pytest.mark.parametrize('name', ['shell', 'shell_fingers'])
def test_worlds_change_none_of_it(each_engine, name):
    """After two worlds of a robot that fell and was reset it is as parsed anew."""
    robot = load_robot(name)
    for self_collision in (False, True):
        settings = WorldSettings(engine=each_engine, self_collision=self_collision, pd='implicit')
        world = World(robot, settings)
        for _ in range(2):
            world.reset(height=0.5)
            world.settle(0.02)
        text = world.engine.specs['robot'].urdf
        world.close()
    shared, anew = parsed(text), parse_urdf(text)
    assert shared is parsed(text)
    assert shared is not anew
    for one, other in zip(shared.links, anew.links, strict=True):
        assert (one.name, one.mass) == (other.name, other.mass)
        assert np.array_equal(one.com, other.com)
        assert np.array_equal(one.inertia, other.inertia)
    for one, other in zip(shared.joints, anew.joints, strict=True):
        assert np.array_equal(one.origin, other.origin)
        assert np.array_equal(one.axis, other.axis)


def test_what_is_no_urdf_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(SoftshellError, match='not XML'):
            parsed('<robot')
