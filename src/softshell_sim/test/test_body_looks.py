"""What bodies of a world look like, in their root links."""

import numpy as np
import pytest

from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.pictures.body_looks import MOST_SAMPLES, STONE, WOOD, looks_of
from softshell_sim.shapes import Box, Compound, HeightField, Plane, Sphere

AT = np.eye(4)
AT[:3, 3] = (0.0, 0.0, 2.0)


def extent(looks):
    points = np.concatenate([mesh.vertices for mesh, _ in looks])
    return points.min(axis=0), points.max(axis=0)


def test_a_box_and_a_compound_have_their_sizes():
    looks = looks_of(ObjectSpec('box', Box((1.0, 2.0, 3.0)), mass=1.0), np.empty(0))
    np.testing.assert_allclose(extent(looks), [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]])
    assert tuple(looks[0][1]) == WOOD
    both = Compound(((np.eye(4), Sphere(0.5)), (AT, Box((0.2, 0.2, 0.2)))))
    looks = looks_of(ObjectSpec('both', both), np.empty(0))
    assert extent(looks)[1][2] == pytest.approx(2.1)
    assert tuple(looks[0][1]) == STONE


def test_a_plane_has_no_look():
    assert looks_of(ObjectSpec('ground', Plane()), np.empty(0)) == []


def test_a_large_height_field_is_shown_by_fewer_samples():
    heights = np.outer(np.ones(300), np.linspace(0.0, 1.0, 300))
    looks = looks_of(ObjectSpec('hill', HeightField(heights, (4.0, 6.0))), np.empty(0))
    ((mesh, _),) = looks
    assert len(mesh.vertices) <= MOST_SAMPLES**2
    np.testing.assert_allclose(extent(looks), [[-2.0, -3.0, 0.0], [2.0, 3.0, 1.0]])


def test_links_are_where_joints_put_them():
    urdf = """<robot name="two"><link name="a"><visual><geometry><box size="2 2 2"/></geometry>
    </visual></link><link name="b"><visual><geometry><box size="2 2 2"/></geometry></visual></link>
    <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>"""
    looks = looks_of(RobotSpec('two', urdf, ('j',)), np.array([5.0]))
    np.testing.assert_allclose(extent(looks), [[-1.0, -1.0, -1.0], [6.0, 1.0, 1.0]])
