"""A joint begins at the position within its limits that is nearest to 0."""

import numpy as np
import pytest

from softshell_sim.bodies import RobotSpec
from softshell_sim.joints.springs import Springs

#: A link on a joint about y, or along y.
LEVER = """
<robot name="lever"><link name="mount"/>
  <link name="arm"><inertial><origin xyz="0 0 0.1"/><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="joint" type="{kind}"><parent link="mount"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="{low}" upper="{high}" effort="1" velocity="1"/></joint>
</robot>
"""


def lever(low, high, kind='revolute', springs=None):
    """A lever between these limits."""
    text = LEVER.format(kind=kind, low=low, high=high)
    return RobotSpec('lever', text, ('joint',), fixed=True, springs=springs)


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize(
    ('low', 'high', 'expected'),
    [(-2.7, -0.916, -0.916), (0.1, 0.3, 0.1), (-0.2, 0.3, 0.0), (0.5, 0.5, 0.5)],
)
def test_a_joint_begins_within_its_limits_and_at_rest(start, kind, low, high, expected):
    """Nothing moves it, so it stays there; from outside, a limit would throw it."""
    bench = start(gravity=0.0)
    body = bench.engine.load(lever(low, high, kind))
    for _ in range(20):
        position, velocity = bench.joints(body)
        assert position[0] == pytest.approx(expected, abs=1e-5)
        assert velocity[0] == pytest.approx(0.0, abs=1e-5)
        bench.engine.step()


def test_a_spring_cannot_hold_a_joint_outside_its_limits(start):
    """Spring and effort balance at F / k = 0.05 rad, so the limit of 0.1 rad carries it."""
    bench = start(gravity=0.0)
    body = bench.engine.load(lever(0.1, 0.3, springs=Springs.of(1.0, 0.05)))
    for _ in range(500):
        bench.engine.apply_effort(body, np.array([0.05]))
        bench.engine.step()
    position, velocity = bench.joints(body)
    assert position[0] == pytest.approx(0.1, abs=1e-3)
    assert velocity[0] == pytest.approx(0.0, abs=1e-3)
