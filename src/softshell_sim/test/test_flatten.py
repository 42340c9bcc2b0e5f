"""Merging fixed links changes neither masses nor geometry."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from softshell_kinematics.model.urdf import Link
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.urdf.flatten import combined_inertia, flatten

TURN = """
<robot name="r">
  <link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><collision><origin xyz="1 0 0"/>
    <geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="c"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ab" type="fixed"><parent link="a"/><child link="b"/>
    <origin xyz="0 0 2" rpy="0 1.5707963267948966 0"/></joint>
  <joint name="bc" type="revolute"><parent link="b"/><child link="c"/>
    <origin xyz="0 3 0" rpy="0.1 0.2 0.3"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""


def poses(urdf):
    """World pose (4, 4) of each link with all joints at 0."""
    found = {urdf.root: np.eye(4)}
    while len(found) < len(urdf.links):
        for joint in urdf.joints:
            if joint.parent in found:
                found[joint.child] = found[joint.parent] @ joint.origin
    return found


def mass_properties(urdf):
    """Mass, centre of mass and inertia of the whole robot with all joints at 0."""
    places = poses(urdf)
    return combined_inertia(list(urdf.links), [places[link.name] for link in urdf.links])


def test_every_joint_of_the_robot_moves(robot):
    """The flattened robot has its 37 movable joints, nothing else, and none mimics another."""
    joints = parse_urdf(flatten(robot.urdf_text).text).joints
    assert sum(joint.movable for joint in joints) == len(joints) == 37
    assert all(joint.mimic is None for joint in joints)


def test_mass_properties_are_kept(robot):
    """Mass, centre of mass and inertia of the whole robot are the same to rounding."""
    before = mass_properties(robot.urdf)
    after = mass_properties(parse_urdf(flatten(robot.urdf_text).text))
    assert after.mass == pytest.approx(before.mass, rel=1e-12)
    assert after.com == pytest.approx(before.com, abs=1e-12)
    assert after.inertia == pytest.approx(before.inertia, abs=1e-12)


def test_collision_shapes_stay_where_they_are():
    """A shape on a merged link keeps its place: 1 m along the turned x axis is 1 m down."""
    flat = flatten(TURN)
    shape = ElementTree.fromstring(flat.text).find("link[@name='a']/collision/origin")
    assert [float(v) for v in shape.get('xyz').split()] == pytest.approx([0.0, 0.0, 1.0])
    assert flat.frames['b'][0] == 'a'


def test_joints_stay_where_they_are():
    """A joint on a merged link keeps its pose, also when that link stands upright."""
    before, after = poses(parse_urdf(TURN)), poses(parse_urdf(flatten(TURN).text))
    assert after['c'] == pytest.approx(before['c'], abs=1e-12)


def test_inertias_add_up_by_the_parallel_axis_theorem():
    """Two point masses of 1 kg, 2 m apart, have 2 kg m^2 about both cross axes."""
    point = Link('p', 1.0)
    left, right = np.eye(4), np.eye(4)
    left[0, 3], right[0, 3] = -1.0, 1.0
    whole = combined_inertia([point, point], [left, right])
    assert whole.inertia == pytest.approx(np.diag([0.0, 2.0, 2.0]))


@pytest.mark.needs('pybullet')
def test_pybullet_loads_it_without_complaint(robot, tmp_path, capfd):
    """PyBullet weighs 3.497 kg, has the URDF's limits, and says nothing."""
    from softshell_sim.pybullet.quietly import pybullet

    path = tmp_path / 'robot.urdf'
    path.write_text(flatten(robot.resolved_urdf, visuals=True).text)
    client = pybullet.connect(pybullet.DIRECT)
    body = pybullet.loadURDF(str(path), physicsClientId=client)
    indices = range(pybullet.getNumJoints(body, physicsClientId=client))
    masses = [pybullet.getDynamicsInfo(body, i, physicsClientId=client)[0] for i in (-1, *indices)]
    infos = [pybullet.getJointInfo(body, index, physicsClientId=client) for index in indices]
    pybullet.disconnect(client)
    assert not re.search('warning|error', ''.join(capfd.readouterr()), re.IGNORECASE)
    assert sum(masses) == pytest.approx(3.497, abs=1e-9)
    urdf = robot.urdf
    for info in infos:
        joint = urdf.joint(info[1].decode())
        limits = (joint.lower, joint.upper, joint.effort, joint.velocity)
        assert info[8:12] == pytest.approx(limits)
