"""The spheres on which feet roll, as the URDF has them."""

import numpy as np

from softshell_description.foot_spheres import spheres_of

URDF = """
<robot name="r">
  <link name="base"/>
  <link name="round">
    <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.03"/></geometry></collision>
    <collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.02"/></geometry></collision>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="point"/>
  <joint name="round" type="fixed"><parent link="base"/><child link="round"/></joint>
  <joint name="b" type="fixed"><parent link="base"/><child link="point"/></joint>
</robot>
"""


def test_of_several_spheres_the_nearest_counts():
    """It is that of the link, also where a joint has the link's name; without one: a point."""
    spheres = spheres_of(URDF, ['point', 'round'])
    assert np.array_equal(spheres.centre, [[0, 0, 0], [0, 0, 0.1]])
    assert np.array_equal(spheres.radius, [0, 0.02])
