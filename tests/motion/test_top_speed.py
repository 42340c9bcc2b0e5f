"""Shell at its fastest, measured in physics."""

import numpy as np
import pytest
from planned_walker import Walker

from softshell_actions.performing.walking import Pace

#: Strides to set off, and strides that are measured.
FIRST, MEASURED = 8, 16


def farthest_from_a_foot(walker):
    """How far the contact that is farthest from the ends of all legs is from the nearest [m]."""
    world, ends = walker.world, []
    for foot in walker.robot.legs.feet:
        link, fixed = walker.robot.urdf.bodies[foot]
        pose = world.engine.link_pose(world.body, world.body.links.index(link)) @ fixed
        ends.append(pose[:3, 3])
    apart = world.engine.all_contacts().point[:, None] - np.array(ends)
    return np.linalg.norm(apart, axis=2).min(axis=1).max(initial=0.0)


@pytest.mark.parametrize('engine', ['mujoco', pytest.param('pybullet', marks=pytest.mark.long)])
@pytest.mark.parametrize('sign', [1.0, pytest.param(-1.0, marks=pytest.mark.long)])
def test_shell_walks_at_0_3_metres_a_second(engine, sign):
    """Ahead and back by the gait `quick`: upright within a degree; only feet touch anything."""
    walker = Walker(engine, 0.7)
    walker.perform('stand')
    for _ in range(FIRST):
        walker.stride(Pace('quick'), (sign * 0.35, 0.0, 0.0))
    (begin, heading), seconds = walker.pose(), 0.0
    for _ in range(MEASURED):
        parts = walker.stride(Pace('quick'), (sign * 0.35, 0.0, 0.0))
        seconds += sum(part.motion.duration for part in parts)
        assert walker.tilt() < 1.0
        assert farthest_from_a_foot(walker) < 0.012
    end, heading_then = walker.pose()
    assert sign * (end - begin)[0] / seconds >= 0.3
    assert abs(heading_then - heading) < 3.0
    walker.world.close()
