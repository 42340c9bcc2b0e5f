"""Poses of links agree with the kinematics library and the simulation's tree."""

import numpy as np
import pytest

from softshell_dashboard.scene.figure import Figure, pose_of, support
from softshell_dashboard.scene.looks import NEAR, shapes_of
from softshell_dashboard.scene.paths import with_paths
from softshell_description.load import load_robot
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.pictures.visuals import visuals_of
from softshell_sim.urdf.tree import link_poses

ROBOTS = ['shell', 'quadruped', 'arm', 'hand']


@pytest.fixture(scope='module', params=ROBOTS)
def model(request):
    return load_robot(request.param)


def positions_of(model, seed=0):
    random = np.random.default_rng(seed)
    free = {
        joint.name: float(random.uniform(-0.5, 0.5))
        for joint in model.urdf.joints
        if joint.movable and joint.mimic is None
    }
    followers = {
        joint.name: joint.mimic.multiplier * free[joint.mimic.joint] + joint.mimic.offset
        for joint in model.urdf.joints
        if joint.mimic is not None
    }
    return free, {**free, **followers}


def test_links_are_where_the_tree_puts_them(model):
    free, every = positions_of(model)
    figure = Figure(model.urdf_text)
    expected = link_poses(parse_urdf(model.urdf_text), every)
    for joints in (free, every):  # a joint that mimics another need not be told
        poses = figure.poses(joints)
        for place, name in enumerate(figure.links):
            np.testing.assert_allclose(poses[place], expected[name], atol=1e-12)


def test_the_base_is_where_it_was_measured(model):
    _, every = positions_of(model, 1)
    figure = Figure(model.urdf_text, model.base.link)
    base = pose_of(np.array([1.0, -2.0, 0.3]), np.array([0.1, 0.2, 0.3, 0.927362]))
    poses = figure.poses(every, base)
    (place,) = figure.numbers([model.base.link])
    np.testing.assert_allclose(poses[place], base, atol=1e-9)


def test_paths_of_feet_agree_with_their_chains():
    model = load_robot('shell')
    figure = Figure(model.urdf_text, model.base.link)
    foot = model.legs.feet[0]
    chain = chain_from_urdf(parse_urdf(model.urdf_text), model.base.link, foot, foot)
    plan = np.linspace(-0.2, 0.3, 5 * len(chain.variables)).reshape(5, -1)
    (curve,) = figure.curves(chain.variables, plan, [foot])
    np.testing.assert_allclose(curve, chain.forward(plan)[:, :3, 3], atol=1e-12)


def test_the_centre_of_mass_is_that_of_the_links():
    text = """<robot name="two"><link name="a"><inertial><origin xyz="1 0 0"/><mass value="3"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <link name="b"><inertial><origin xyz="0 0 2"/><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>"""
    figure = Figure(text)
    np.testing.assert_allclose(
        figure.centre_of_mass(figure.poses({'j': 4.0})), [0.75, 1.0, 0.5], atol=1e-12
    )
    assert np.isnan(Figure('<robot name="x"><link name="a"/></robot>').centre_of_mass(
        np.eye(4)[None])).all()  # fmt: skip


def test_the_support_of_four_feet_is_their_square():
    feet = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    corners, margin = support(feet, np.array([0.5, 0.25, 3.0]))
    assert len(corners) == 4
    assert margin == pytest.approx(0.25)
    assert support(np.empty((0, 3)), np.zeros(3))[1] is None
    assert support(feet, np.full(3, np.nan))[1] is None


def test_all_triangles_are_drawn_once(model):
    figure = Figure(model.urdf_text)
    looks = visuals_of(with_paths(model.urdf_text))
    shapes = shapes_of(looks, figure.links)
    drawn = sum(len(shape.faces) * len(shape.links) for shape in shapes)
    assert drawn == sum(len(look.corners) for look in looks.values())
    for shape in shapes:
        assert shape.faces.max() < len(shape.vertices)
        first = shape.vertices[shape.faces]
        look = looks[figure.links[shape.links[0]]].corners
        centres = np.round(look.mean(axis=1) / NEAR).astype(int)
        there = {tuple(row) for row in centres.tolist()}
        for row in np.round(first.mean(axis=1) / NEAR).astype(int)[:20].tolist():
            assert any((row[0] + a, row[1] + b, row[2] + c) in there
                       for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1))  # fmt: skip


def test_legs_that_look_alike_are_one_shape():
    model = load_robot('shell')
    figure = Figure(model.urdf_text)
    shapes = shapes_of(visuals_of(with_paths(model.urdf_text)), figure.links)
    assert len(shapes) < sum(len(shape.links) for shape in shapes) / 3


def test_names_of_files_are_paths():
    """As the simulation reads them: what is written for a space or an ampersand is one."""
    written = '<mesh filename="file:///my%20meshes/a%26b.stl"/><mesh filename="plain%20.stl"/>'
    read = '<mesh filename="/my meshes/a&amp;b.stl"/><mesh filename="plain%20.stl"/>'
    assert with_paths(written) == read
    text = '<!-- from file:///my&parts --><uri>file:///it\'s</uri><link name="a"/>'
    assert with_paths(text) == text.replace('file://', '').replace('&', '&amp;')
