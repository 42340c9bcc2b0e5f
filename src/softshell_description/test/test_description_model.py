"""The typed model: what it holds, and what it finds wrong."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_description.load import load_robot
from softshell_description.placeholders import Placeholders, fill
from softshell_description.robots import robot_folder, robot_names
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.model.urdf_reader import parse_urdf

CONFIG = robot_folder() / 'robot.yaml'
GRAVITY = 9.81


def test_joints_stand_in_the_agreed_order(robot):
    """The fold motor, then the lower legs' three joints leg by leg, then the upper legs' two."""
    lower = [f'lower_{k}_{part}' for k in range(6) for part in ('yaw', 'pitch', 'knee')]
    upper = [f'upper_{k}_{part}' for k in range(6) for part in ('shoulder', 'elbow')]
    assert robot.joint_names == ('fold', *lower, *upper)
    assert all(robot.index(name) == i for i, name in enumerate(robot.joint_names))
    assert robot.lower_limits.shape == robot.velocities.shape == (31,)


def test_chains_run_from_base_to_feet_and_tips(robot):
    """A lower chain has the shared fold joint in front of its own three; an upper one has two."""
    assert {name: group.chains for name, group in robot.groups.items()} == {
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
    """Every pose has an angle for each joint; the ball pose is that of docs/shell.md."""
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


def test_ball_rests_on_its_lower_panels(robot, link_poses):
    """Its centre, 0.04 under base_link, is as high as a sphere of 0.18 m that ends 79° below.

    Collision shapes end 1 mm further in, and the knees give way a little; the feet are higher.
    """
    edges = 0.04 + 0.179 * np.sin(np.radians(79.0))
    assert robot.rest_heights['ball'] == pytest.approx(edges, abs=1e-3)
    poses = link_poses(robot.poses['ball'])
    feet = [poses[f'foot_{k}'][2, 3] - 0.006 for k in range(6)]
    assert min(feet) + robot.rest_heights['ball'] > 0.02


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
    """The folder of a robot whose configuration is Shell's with some text replaced."""
    text = CONFIG.read_text(encoding='utf-8')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    return tmp_path


def line_of(folder, text):
    lines = (folder / 'robot.yaml').read_text(encoding='utf-8').splitlines()
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
        ('start: idle', 'start: sleep'),
        ('stand: stand', 'stand: ball'),
        ("chains: ['lower_{k}']", "chains: ['leg_{k}']"),
        ('pose: ball', 'pose: bell'),
        ('link: base_link', 'link: trunk'),
        ('poses:\n', 'poses:\n  limp:\n    joints: {fold: .nan}\n    colour: red\n'),
    )
    with pytest.raises(ProblemsError) as caught:
        load_robot(path)
    text = str(caught.value)
    assert text.startswith(str(path / 'robot.yaml'))
    for needle, expected in (
        ('toe_', r"tip link 'toe_0' of 'lower_0' is unknown; .* \(and 5 more like it\)"),
        (
            'lower_{k}_knee: ax18a',
            r"effort of 'lower_0_knee' is 1.765 in the URDF; expected the 1.5 of motor 'ax18a'",
        ),
        ('ax99', r"unknown motor 'ax99'; known: ax12a, ax18a"),
        ('high', r"idle.rest_height: is 'high'; expected a number"),
        ('colour', r'limp.colour: unknown key; known: rest_height, joints'),
        ('fold: -2.5', r'fold is -2.5; expected -2 to 0'),
        ('  ball:', r'lacks positions of upper_0_shoulder, .*upper_5_shoulder'),
        ('start:', r"unknown pose 'sleep'; known: ball, idle"),
        (
            "chains: ['leg_",
            r"unknown chain 'leg_0'; did you mean lower_0\? .* \(and 5 more like it\)",
        ),
        ('pose: bell', r"unknown pose 'bell'; did you mean ball\? known: ball"),
        ('link: trunk', r"unknown link 'trunk'; known: .*base_link"),
        ('.nan', r'limp.joints.fold: is \.nan; expected a finite number'),
    ):
        where = rf'- line {line_of(path, needle)}: [^\n]*{expected}'
        assert re.search(where, text), f'{where}\nnot in\n{text}'


def test_joints_of_several_chains_must_be_listed_as_shared(tmp_path):
    """Which joints several chains share is stated, and held against the URDF."""
    path = broken(tmp_path, ('shared: [fold]', 'shared: [lower_0_yaw]'))
    with pytest.raises(ProblemsError) as caught:
        load_robot(path)
    where = f'line {line_of(path, "shared:")}: shared: '
    assert set(caught.value.problems) == {
        where + "'lower_0_yaw' moves lower_0; expected several chains",
        where + f"joint 'fold' moves {', '.join(f'lower_{k}' for k in range(6))}; "
        'expected it in shared',
    }


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
        load_robot(path)
    text = str(caught.value)
    for expected in (
        "'lower_0_fold' cannot be commanded: in the URDF it mimics 'fold'",
        "the URDF has no joint 'tail'",
        "no group holds the URDF joint 'fold'",
        'groups.lower.joints.lower_{k}_yaw: given twice',
    ):
        assert expected in text, f'{expected}\nnot in\n{text}'


def test_joint_without_limits_is_found():
    """A continuous joint among the commanded ones has no limits to keep."""
    text = load_robot().urdf_text.replace(
        'name="fold" type="revolute"', 'name="fold" type="continuous"'
    )
    with pytest.raises(ProblemsError, match=r"'fold' is continuous, without limits; expected"):
        load_robot(urdf_text=text)


def test_unreadable_files_are_named(tmp_path):
    """A missing file and one that is no YAML are refused by name."""
    with pytest.raises(SoftshellError, match=r"robot '.*/nowhere': no file .*nowhere/robot\.yaml"):
        load_robot(tmp_path / 'nowhere')
    with pytest.raises(
        UnknownNameError, match=r"unknown robot 'shall'; did you mean shell\? known: arm, .*shell"
    ):
        load_robot('shall')
    (tmp_path / 'robot.yaml').write_text('motors: {', encoding='utf-8')
    with pytest.raises(SoftshellError, match=r'robot\.yaml: .*\n.*is not YAML'):
        load_robot(tmp_path)
    missing = broken(tmp_path, ('urdf: shell/', 'urdf: nowhere/'))
    with pytest.raises(ProblemsError, match=r"line \d+: urdf: is 'nowhere/shell.urdf.xacro'"):
        load_robot(missing)


def test_empty_configuration_is_not_a_crash(tmp_path):
    """Its problems are listed like any others."""
    (tmp_path / 'robot.yaml').write_text('', encoding='utf-8')
    with pytest.raises(
        ProblemsError, match='the file is empty; expected the keys description, urdf, '
    ):
        load_robot(tmp_path)


@pytest.mark.parametrize('name', robot_names())
def test_every_shipped_robot_loads(name):
    """Each folder below config/robots is a robot whose URDF and configuration agree."""
    robot = load_robot(name)
    assert robot.name == name
    assert robot.description.endswith('.')
    assert robot.urdf.name == name  # by it the page in the browser knows a robot that was recorded
    assert robot.start in robot.poses
    for joint in robot.joints:
        motor = robot.motors[joint.motor]
        assert (joint.effort, joint.velocity) == (motor.effort, motor.velocity)
        assert joint.name in robot.groups[joint.group].joints


def test_a_robot_elsewhere_finds_its_own_files(tmp_path):
    """A folder anywhere is a robot: its URDF and the meshes that it names lie beside its file."""
    (tmp_path / 'robot.yaml').write_text(
        'description: One link on a hinge.\n'
        'urdf: one.urdf\n'
        'base: {link: a, fixed: true}\n'
        'motors: {m: {effort: 2, velocity: 3}}\n'
        'groups: {g: {gains: {kp: 1, kd: 0}, goal_tolerance: 0.1,\n'
        '             joints: {ab: {motor: m, gains: {kp: 5, kd: 0.5}, goal_tolerance: 0.01}}}}\n'
        'poses: {home: {joints: {ab: 0.5}}}\n'
        'channels: {tendon: {kind: tension, range: [0, 20], rate: 100, goal_tolerance: 0.5}}\n'
        'start: home\n',
        encoding='utf-8',
    )
    mesh = '<visual><geometry><mesh filename="b.stl"/></geometry></visual>'
    text = URDF.replace('<link name="b"/>', f'<link name="b">{mesh}</link>')
    (tmp_path / 'one.urdf').write_text(text, encoding='utf-8')
    robot = load_robot(tmp_path)
    assert (robot.legs, robot.shared, robot.cage) == (None, (), None)
    assert f'filename="{tmp_path / "b.stl"}"' in robot.resolved_urdf
    (joint,) = robot.joints
    assert (joint.gains.kp, joint.goal_tolerance, joint.unit) == (5.0, 0.01, 'rad')
    assert (robot.channels['tendon'].unit, robot.channels['tendon'].range) == ('N', (0.0, 20.0))


def test_placeholders_are_filled_together_value_by_value():
    """Names that follow one another with one placeholder come leg by leg; others stay alone."""
    names = Placeholders({'k': ['0', '1'], 'side': ['left', 'right']})
    rows = [fill(*row) for row in names.rows(['a', 'b_{k}', 'c_{k}', '{side}_d', 'e'])]
    assert rows == ['a', 'b_0', 'c_0', 'b_1', 'c_1', 'left_d', 'right_d', 'e']
    assert names.expand('x_{k}_y') == ('x_0_y', 'x_1_y')
    with pytest.raises(UnknownNameError, match=r"unknown placeholder 'j'; known: k, side"):
        names.expand('x_{j}')
    with pytest.raises(SoftshellError, match='holds 2 placeholders; expected one'):
        names.expand('{k}_{side}')


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
        ('type="revolute"', 'type="ball"', "type is 'ball'; expected one of: revolute, "),
        ('lower="-1"', 'lower="5"', 'lower limit 5.0 is above upper limit 1.0'),
        ('effort="2"', 'effort="x"', "effort is 'x'; expected a finite number"),
        ('xyz="1 2 3"', 'xyz="1 2"', "xyz is '1 2'; expected three finite numbers"),
        ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>', 'axis is [0.0, 0.0, 0.0]; expected a'),
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
