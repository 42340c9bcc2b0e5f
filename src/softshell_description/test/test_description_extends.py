"""A robot that extends another: what it takes from that one."""

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

URDF = """
<robot name="r">
  <link name="a"/> <link name="b"/>
  <joint name="ab" type="revolute">
    <parent link="a"/> <child link="b"/> <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/>
  </joint>
</robot>
"""
ROBOT = (
    'description: One link on a hinge.\n'
    'urdf: one.urdf\n'
    'base: {link: a, fixed: true}\n'
    'motors: {m: {effort: 2, velocity: 3}}\n'
    'groups: {g: {gains: {kp: 1, kd: 0}, goal_tolerance: 0.1, joints: {ab: m}}}\n'
    'poses: {home: {joints: {ab: 0.5}}}\n'
    'start: home\n'
)


@pytest.fixture
def write(tmp_path):
    """Function: writes the `robot.yaml` of a robot beside `base`; returns its folder."""

    def folder(name, text):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'robot.yaml').write_text(text, encoding='utf-8')
        return tmp_path / name

    (folder('base', ROBOT) / 'one.urdf').write_text(URDF, encoding='utf-8')
    return folder


def test_a_robot_without_actions_can_be_extended(write):
    """URDF, joints and poses are those of the other; what is written replaces what it has."""
    own = write('own', 'extends: ../base\nposes: {home: {joints: {ab: -0.5}}}\n')
    robot = load_robot(own)
    assert robot.name == 'own'
    assert robot.joint_names == ('ab',)
    assert robot.pose('home').tolist() == [-0.5]


def test_a_robot_that_extends_itself_is_refused(write):
    """Also over another; the message names the file and the robot."""
    write('one', 'extends: ../two\n')
    two = write('two', 'extends: ../one\n')
    with pytest.raises(
        ProblemsError, match=r"is '\.\./two', which extends this robot; expected a"
    ):
        load_robot(two)
