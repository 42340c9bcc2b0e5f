"""The spheres on which feet roll, as the URDF has them."""

import numpy as np
import pytest

from softshell_description.foot_spheres import foot_spheres, spheres_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError, UnknownNameError

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


def test_a_default_namespace_and_a_blank_before_the_declaration_change_nothing():
    """As in a URDF that was recorded just as it was given."""
    text = '\n<?xml version="1.0"?>' + URDF.replace('<robot', '<robot xmlns="drake"')
    assert np.array_equal(spheres_of(text, ['round']).radius, [0.02])


def test_a_foot_that_is_not_there_and_a_sphere_without_sense_are_refused():
    """The message names the link, and what is wrong."""
    with pytest.raises(UnknownNameError, match="unknown link 'toe'; known: base, point, round"):
        spheres_of(URDF, ['toe'])
    for text in ('a 0 0.1', '0 0.1', '0 nan 0.1'):
        wrong = URDF.replace('0 0 0.1', text)
        with pytest.raises(SoftshellError, match=f"'round': a sphere has xyz '{text}' and radius"):
            spheres_of(wrong, ['round'])
    with pytest.raises(SoftshellError, match=r"radius '-0\.02'; expected three finite numbers"):
        spheres_of(URDF.replace('radius="0.02"', 'radius="-0.02"'), ['round'])
    arm = load_robot('arm')
    with pytest.raises(SoftshellError, match="robot 'arm' has no legs; expected a robot with"):
        foot_spheres(arm)
