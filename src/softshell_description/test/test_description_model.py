"""The typed model: what it holds, and what it finds wrong."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_common.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_description.expand import robot_urdf, share_directory
from softshell_description.model import load_robot
from softshell_description.urdf import parse_urdf

CONFIG = share_directory() / 'config' / 'robot.yaml'
GRAVITY = 9.81


def test_joints_stand_in_the_agreed_order(robot):
    """The fold motor, then the lower legs' three joints leg by leg, then the upper legs' two."""
    lower = [f'lower_{k}_{part}' for k in range(6) for part in ('yaw', 'pitch', 'knee')]
    upper = [f'upper_{k}_{part}' for k in range(6) for part in ('shoulder', 'elbow')]
    assert robot.joint_names == ('fold', *lower, *upper)
    assert all(robot.index(name) == i for i, name in enumerate(robot.joint_names))
    assert robot.lower_limits.shape == robot.efforts.shape == (31,)


def test_chains_run_from_base_to_feet_and_tips(robot):
    """A lower chain has the shared fold joint in front of its own three; an upper one has two."""
    assert robot.groups == {
        'fold': (),
        'lower': tuple(f'lower_{k}' for k in range(6)),
        'upper': tuple(f'upper_{k}' for k in range(6)),
    }
    for k in range(6):
        lower, upper = robot.chains[f'lower_{k}'], robot.chains[f'upper_{k}']
        own = tuple(f'lower_{k}_{part}' for part in ('yaw', 'pitch', 'knee'))
        assert (lower.base_link, lower.tip_link) == ('base_link', f'foot_{k}')
        assert lower.joint_names == ('fold', *own)
        assert (upper.base_link, upper.tip_link) == ('base_link', f'tip_{k}')
        assert upper.joint_names == (f'upper_{k}_shoulder', f'upper_{k}_elbow')


def test_poses_are_complete_and_the_ball_is_the_report_s(robot):
    """Every pose has an angle for each joint; the ball pose is the report's."""
    assert {'zero', 'ball', 'idle', 'stand'} <= set(robot.poses)
    assert all(robot.pose(name).shape == (31,) for name in robot.poses)
    ball = robot.pose('ball')
    assert np.array_equal(ball[:4], (-1.992, 0.807, 1.570, -0.570))
    assert np.array_equal(ball[-2:], (1.154, -1.198))


def test_unknown_names_are_answered_with_the_known_ones(robot):
    """An unknown joint or pose, a mimic joint among them, is refused by name."""
    with pytest.raises(UnknownNameError, match=r"unknown joint 'lower_0_fold'.*fold"):
        robot.index('lower_0_fold')
    with pytest.raises(UnknownNameError, match=r"unknown pose 'sit'.*ball, idle, stand"):
        robot.pose('sit')


@pytest.mark.parametrize('name', ['stand', 'idle'])
def test_feet_stand_on_the_ground_at_rest_height(name, robot, link_poses):
    """At the pose's rest height the six foot spheres touch z = 0 to 0.1 mm."""
    poses = link_poses(robot.poses[name])
    for k in range(6):
        bottom = poses[f'foot_{k}'][2, 3] - 0.006 + robot.rest_heights[name]
        assert bottom == pytest.approx(0.0, abs=1e-4)


def test_belly_rests_on_the_ground_when_idle(robot, link_poses, shapes):
    """The lowest face of the chassis is at z = 0, and nothing else of it is lower."""
    bottoms = []
    for link in ('bottom_chassis', 'middle_chassis', 'upper_chassis'):
        height = link_poses(robot.poses['idle'])[link][2, 3]
        for pose, form in shapes(link, 'collision'):
            extent = form.get('length') or form.get('size').split()[2]
            bottoms.append(height + pose[2, 3] - float(extent) / 2.0)
    assert min(bottoms) + robot.rest_heights['idle'] == pytest.approx(0.0, abs=1e-9)


def test_ball_rests_on_its_lower_panels(robot):
    """Its centre, 0.04 under base_link, is a radius above the ground."""
    assert robot.rest_heights['ball'] == pytest.approx(0.18 + 0.04)


def test_three_legs_carry_the_robot(robot, link_poses):
    """On three feet, the static torque of hip pitch and knee is under 60 % of the motor's."""
    pose = robot.poses['stand']
    load = robot.urdf.mass * GRAVITY / 3.0
    shares = {}
    for part in ('pitch', 'knee'):
        step = {**pose, f'lower_0_{part}': pose[f'lower_0_{part}'] + 1e-6}
        at, moved = link_poses(pose), link_poses(step)
        lift = (moved['foot_0'][2, 3] - at['foot_0'][2, 3]) / 1e-6
        weight = 0.0
        for link in robot.urdf.links:
            rise = (moved[link.name] - at[link.name])[2] @ np.append(link.com, 1.0) / 1e-6
            weight += link.mass * GRAVITY * rise
        joint = robot.joints[robot.index(f'lower_0_{part}')]
        shares[part] = abs(load * lift - weight) / joint.effort
    assert shares['pitch'] < 0.6
    assert shares['knee'] < 0.3


def broken(tmp_path, *changes):
    """A copy of the configuration with some text replaced."""
    text = CONFIG.read_text(encoding='utf-8')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / 'robot.yaml'
    path.write_text(text, encoding='utf-8')
    return path


def line_of(path, text):
    lines = path.read_text(encoding='utf-8').splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_all_inconsistencies_are_listed_at_once(tmp_path):
    """One error names each of them, with file, line and the value."""
    path = broken(
        tmp_path,
        ("tip: 'foot_{k}'", "tip: 'toe_{k}'"),
        ('effort: 1.765', 'effort: 1.5'),
        ('upper_{k}_elbow: ax12a', 'upper_{k}_elbow: ax99'),
        ('fold: -1.992', 'fold: -2.5'),
        ('      upper_{k}_shoulder: 1.154\n', ''),
        ('rest_height: 0.081', 'rest_height: high'),
        ('poses:\n', 'poses:\n  limp:\n    joints: {fold: .nan}\n    colour: red\n'),
    )
    with pytest.raises(ProblemsError) as caught:
        load_robot(config_path=path)
    text = str(caught.value)
    assert text.startswith(str(path))
    for needle, expected in (
        ('toe_', r"tip link 'toe_3' of 'lower_3' is unknown"),
        (
            'lower_{k}_knee: ax18a',
            r"effort of 'lower_2_knee' is 1.765 in the URDF, more than .*1.5",
        ),
        ('ax99', r"unknown motor 'ax99'; known: ax12a, ax18a"),
        ('high', r"idle.rest_height: Input should be a valid number \(got 'high'\)"),
        ('colour', r"limp.colour: Extra inputs are not permitted \(got 'red'\)"),
        ('  ball:', r'fold is -2.5, outside \[-2, 0\]'),
        ('  ball:', r'leaves out upper_0_shoulder, .*upper_5_shoulder'),
        ('.nan', r'limp.joints.fold: Input should be a finite number \(got nan\)'),
    ):
        where = rf'- line {line_of(path, needle)}: [^\n]*{expected}'
        assert re.search(where, text), f'{where}\nnot in\n{text}'


def test_urdf_and_configuration_must_name_the_same_joints(tmp_path):
    """Joints that only one of them knows, or that cannot be commanded, are found."""
    path = broken(
        tmp_path,
        ('      fold: ax12a\n', '      lower_0_fold: ax12a\n      tail: ax12a\n'),
        (
            '      lower_{k}_yaw: ax12a\n',
            '      lower_{k}_yaw: ax12a\n      lower_{k}_yaw: ax18a\n',
        ),
    )
    with pytest.raises(ProblemsError) as caught:
        load_robot(config_path=path)
    text = str(caught.value)
    for expected in (
        "'lower_0_fold' cannot be commanded",
        "the URDF has no joint 'tail'",
        "no group holds the URDF joint 'fold'",
        "'lower_3_fold' mimics an unlisted joint",
        "needs joint 'fold', in no group",
        'groups.lower.joints.lower_{k}_yaw: given twice',
    ):
        assert expected in text, f'{expected}\nnot in\n{text}'


def test_joint_without_limits_is_found():
    """A continuous joint among the commanded ones has no limits to keep."""
    text = robot_urdf().replace('name="fold" type="revolute"', 'name="fold" type="continuous"')
    with pytest.raises(ProblemsError, match=r"'fold' has no limit: lower, upper"):
        load_robot(urdf_text=text)


def test_unreadable_files_are_named(tmp_path):
    """A missing file and one that is no YAML are refused by name."""
    with pytest.raises(SoftshellError, match=r'nowhere\.yaml: .*\n.*No such file'):
        load_robot(config_path=tmp_path / 'nowhere.yaml')
    path = tmp_path / 'robot.yaml'
    path.write_text('motors: {', encoding='utf-8')
    with pytest.raises(SoftshellError, match=r'robot\.yaml: .*\n.*is not YAML'):
        load_robot(config_path=path)


def test_empty_configuration_is_not_a_crash(tmp_path):
    """Its problems are listed like any others."""
    path = tmp_path / 'robot.yaml'
    path.write_text('', encoding='utf-8')
    with pytest.raises(ProblemsError, match='Input should be a valid dictionary'):
        load_robot(config_path=path)


URDF = """
<robot name="r">
  <link name="a"/> <link name="b"/> <link name="c"/>
  <joint name="ab" type="revolute">
    <parent link="a"/> <child link="b"/> <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 0 2"/> <limit lower="-1" upper="1" effort="2" velocity="3"/>
  </joint>
  <joint name="bc" type="fixed"> <parent link="b"/> <child link="c"/> </joint>
</robot>
"""


def test_parsed_joint_has_the_written_numbers():
    """Origin, unit axis and limits are the text's; roll, pitch, yaw turn about fixed axes."""
    joint = parse_urdf(URDF).joint('ab')
    turn = Rotation.from_euler('xyz', (0.1, 0.2, 0.3)).as_matrix()
    assert np.allclose(joint.origin[:3, :3], turn, rtol=0, atol=1e-15)
    assert np.array_equal(joint.origin[:3, 3], (1, 2, 3))
    assert np.array_equal(joint.axis, (0, 0, 1))
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-1, 1, 2, 3)


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        ('<child link="c"/>', '<child link="b"/>', "link 'b' is the child of 2 joints"),
        ('<child link="c"/>', '<child link="d"/>', "joint 'bc': child link 'd' does not exist"),
        ('<link name="c"/>', '<link name="b"/>', "link 'b' occurs 2 times"),
        ('name="bc"', 'name="ab"', "joint 'ab' occurs 2 times"),
        ('<parent link="a"/>', '<parent link="c"/>', "hangs in a loop that 'a' does not reach"),
        ('type="revolute"', 'type="floating"', "type is 'floating'; expected one of"),
        ('lower="-1"', 'lower="5"', 'lower limit 5.0 is above upper limit 1.0'),
        ('effort="2"', 'effort="x"', "effort is 'x'; expected a finite number"),
        ('xyz="1 2 3"', 'xyz="1 2"', "xyz is '1 2'; expected three finite numbers"),
        ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>', 'axis has no direction'),
        ('<axis', '<mimic joint="zz"/> <axis', "joint 'ab': mimics unknown 'zz'"),
    ],
)
def test_what_is_wrong_with_a_urdf_is_said(old, new, problem):
    """Each defect of a small URDF is named with the joint or link that has it."""
    with pytest.raises(ProblemsError) as caught:
        parse_urdf(URDF.replace(old, new, 1))
    assert problem in str(caught.value)


@pytest.mark.parametrize('text', ['', 'not xml', '<sdf/>'])
def test_text_that_is_no_urdf_is_refused(text):
    """With the package's own error, not the XML library's."""
    with pytest.raises(SoftshellError, match='URDF'):
        parse_urdf(text)


def test_path_between_links_that_are_not_related_is_refused():
    """The tip has to descend from the base."""
    with pytest.raises(SoftshellError, match="'a' does not descend from 'b'"):
        parse_urdf(URDF).path('b', 'a')
