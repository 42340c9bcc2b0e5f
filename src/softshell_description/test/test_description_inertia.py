"""Masses and inertias."""

import re

import numpy as np
import pybullet
import pytest

from softshell_description.expand import robot_urdf
from softshell_description.physics import combined, physics_urdf
from softshell_description.urdf import parse_urdf

# Part: mass [kg], principal moments [kg mm^2], centre of mass [mm] in the link frame.
PARTS = {
    'bottom_chassis': (0.091, (78.3, 68.2, 116.9), (-0.8, 8.3, -11.8)),
    'middle_chassis': (0.049, (96.7, 91.7, 188.2), (0, 0, 0)),
    'upper_chassis': (0.413, (860, 862, 1571), (0, 0, 22.7)),
    'central_gear': (0.046, (19.1, 19.1, 37.8), (0, 0, 2.1)),
    'lower_0_carrier': (0.042, (23.7, 84.9, 69.9), (31.9, 6.8, -4.3)),
    'lower_3_hip': (0.108, (39.2, 59.9, 59.9), (19, 19, -5.3)),
    # A pitching link's axis is y: the table's (x, y, z) is the link's (x, -z, y).
    'lower_2_thigh': (0.012, (6.1, 6.8, 11.9), (33, 0, -5)),
    'lower_5_shin': (0.163, (215.1, 489.0, 607.7), (5.8, 0.3, 10.1)),
    'upper_1_arm': (0.016, (8.3, 13.7, 20.6), (42.5, 0, -4.7)),
    'upper_4_forearm': (0.142, (218.1, 417.8, 523.4), (40.4, -0.4, -4.3)),
}


def test_total_mass_is_the_report_s(robot):
    """The parts weigh 3.497 kg together."""
    assert robot.urdf.mass == pytest.approx(3.497, abs=1e-9)


@pytest.mark.parametrize('name', PARTS)
def test_part_has_the_report_s_inertia(name, robot):
    """Mass, centre of mass and moments are the report's, in the link frame."""
    mass, moments, com = PARTS[name]
    link = robot.urdf.link(name)
    assert link.mass == mass
    assert np.allclose(link.inertia, np.diag(moments) * 1e-6, rtol=0, atol=1e-15)
    assert np.allclose(link.com, np.array(com) * 1e-3, rtol=0, atol=1e-15)


def test_inertias_are_those_of_real_bodies(robot):
    """Each is symmetric, positive definite, and none of its moments exceeds the other two."""
    for link in robot.urdf.links:
        if link.mass == 0.0:
            continue
        moments = np.linalg.eigvalsh(link.inertia)
        assert np.allclose(link.inertia, link.inertia.T, rtol=0, atol=1e-18), link.name
        assert moments[0] > 0.0, link.name
        assert moments[0] + moments[1] >= moments[2], link.name


def test_only_frames_weigh_nothing(robot):
    """Without inertia are the root, the feet and the tips."""
    weightless = {link.name for link in robot.urdf.links if link.mass == 0.0}
    assert weightless == {'base_link'} | {
        f'{end}_{k}' for end in ('foot', 'tip') for k in range(6)
    }


def test_panel_s_mass_lies_outwards(robot):
    """Shin and forearm have their centre of mass towards their panel, not away from it."""
    assert robot.urdf.link('lower_0_shin').com[2] > 0.0
    assert robot.urdf.link('upper_0_forearm').com[2] < 0.0


def test_lumping_keeps_mass_and_inertia_of_the_whole(robot, link_poses):
    """At q = 0 the lumped robot has the mass, centre of mass and inertia of the original."""
    lumped = parse_urdf(physics_urdf(robot_urdf()))
    poses = link_poses(robot.poses['zero'])
    whole = combined([(link, poses[link.name]) for link in robot.urdf.links])
    parts = combined([(link, poses[link.name]) for link in lumped.links])
    for expected, value in zip(whole, parts, strict=True):
        assert np.allclose(value, expected, rtol=0, atol=1e-15)
    assert lumped.root == 'base_link'
    assert {joint.name for joint in lumped.joints if joint.movable} == {
        joint.name for joint in robot.urdf.joints if joint.movable
    }


@pytest.fixture
def world():
    client = pybullet.connect(pybullet.DIRECT)
    yield client
    pybullet.disconnect(client)


def test_pybullet_loads_it_without_complaint(world, tmp_path, capfd, robot):
    """PyBullet weighs 3.497 kg, has the URDF's inertias, limits and links, and says nothing."""
    path = tmp_path / 'softshell.urdf'
    path.write_text(physics_urdf(robot_urdf(resolve_meshes=True)), encoding='utf-8')
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    body = pybullet.loadURDF(str(path), flags=flags, physicsClientId=world)
    assert not re.search('warning|error', ''.join(capfd.readouterr()), re.IGNORECASE)
    count = pybullet.getNumJoints(body, physicsClientId=world)
    masses = 0.0
    for index in range(-1, count):
        masses += pybullet.getDynamicsInfo(body, index, physicsClientId=world)[0]
    assert masses == pytest.approx(3.497, abs=1e-9)
    movable = 0
    for index in range(count):
        info = pybullet.getJointInfo(body, index, physicsClientId=world)
        joint = robot.urdf.joint(info[1].decode())
        if not joint.movable:
            continue
        movable += 1
        assert info[8:12] == pytest.approx(
            (joint.lower, joint.upper, joint.effort, joint.velocity)
        )
        dynamics = pybullet.getDynamicsInfo(body, index, physicsClientId=world)
        moments = np.linalg.eigvalsh(robot.urdf.link(joint.child).inertia)
        assert np.allclose(sorted(dynamics[2]), moments, rtol=1e-6)
    assert movable == 37
