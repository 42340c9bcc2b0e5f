"""Soft manipulators in a `robot.yaml`: what is added to the URDF, and what is refused."""

import re

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_kinematics.transforms import shift

URDF = """
<robot name="rig">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="1" effort="3" velocity="1"/></joint>
</robot>
"""
YAML = """
description: A slide with soft fingers
urdf: rig.urdf
placeholders: {k: [a, b]}
base: {link: base, fixed: true}
motors: {m: {effort: 3, velocity: 1}}
groups:
  rails: {gains: {kp: 1, kd: 1}, goal_tolerance: 0.01, joints: {rail: m}}
  fingers: {channels: ['pull_{k}', swell]}
poses:
  home: {joints: {rail: 0.5}}
  closed: {joints: {rail: 0.5}, channels: {'pull_{k}': 4.0}}
start: home
channels:
  pull_{k}: {kind: tension, range: [0.5, 9.0], rate: 20.0, goal_tolerance: 0.1}
  swell: {kind: pressure, range: [0.0, 100.0], rate: 50.0, goal_tolerance: 1.0}
soft:
  finger_{k}:
    manipulator: finger.yaml
    link: slide
    pose: [0.0, 0.1, 0.2, 0.0, 0.0, 0.0]
    tendons:
      pull_{k}: {radius: 0.01, angle: 1.5}
  lip:
    manipulator: finger.yaml
    link: base
    moments:
      swell: {axis: 1, moment: 0.002}
"""
FINGER = """
name: finger
actuators:
  - length: 0.1
    n_segments: 2
    arrangement: together
    link: {shape: box, dimensions: [0.01, 0.01, 0.05], mass: 0.01}
    joints: [{axis: [1, 0, 0], stiffness: 0.1, neutral: 0.2}, {axis: [0, 1, 0], stiffness: 0.2}]
"""


@pytest.fixture
def loaded(tmp_path):
    """Loads the rig, some of whose text is another."""

    def load(*changes, urdf=URDF):
        text = YAML
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        (tmp_path / 'robot.yaml').write_text(text)
        (tmp_path / 'rig.urdf').write_text(urdf)
        (tmp_path / 'finger.yaml').write_text(FINGER)
        return load_robot(tmp_path)

    return load


def test_manipulators_are_added_to_the_urdf(loaded):
    """Once for each value of a placeholder, on the link that is named; no group holds them."""
    robot = loaded()
    assert robot.joint_names == ('rail',)
    assert tuple(robot.soft) == ('finger_a', 'finger_b', 'lip')
    assert len(robot.elastic_joints) == 12
    assert robot.elastic_joints[0] == 'finger_a_0_0_bend_0'
    body, pose = robot.urdf.bodies['finger_b_base']
    assert body == 'slide'
    assert pose == pytest.approx(shift(0.0, 0.1, 0.2))
    assert 'finger_a_0_1' in robot.urdf_text


def test_channels_drive_them(loaded):
    """Tendons run from the base through every link to the end; chambers have their moments."""
    robot = loaded()
    (tendon,) = robot.soft['finger_b'].tendons
    assert tendon.name == 'pull_b'
    assert tendon.arc_lengths == pytest.approx([0.0, 0.05, 0.1])
    assert np.hypot(*tendon.offsets[1]) == pytest.approx(0.01)
    assert robot.soft['lip'].moments['swell'].moment == 0.002
    assert robot.groups['fingers'].channels == ('pull_a', 'pull_b', 'swell')


def test_a_pose_has_values_for_channels(loaded):
    """Those that it does not name are as near to 0 as they can be."""
    poses = loaded().poses
    assert poses['closed'] == {'rail': 0.5, 'pull_a': 4.0, 'pull_b': 4.0, 'swell': 0.0}
    assert poses['home'] == {'rail': 0.5, 'pull_a': 0.5, 'pull_b': 0.5, 'swell': 0.0}


def test_a_urdf_may_have_them_already(loaded):
    """As from a macro; what is there is left as it is, and has to be whole."""
    text = loaded().urdf_text
    assert loaded(urdf=text).urdf_text == text
    broken = text.replace('lip_0_1_bend_1', 'lip_bend')
    with pytest.raises(ProblemsError, match=r"no joint 'lip_0_1_bend_1'.*expected all of lip"):
        loaded(urdf=broken)


LIP = 'manipulator: finger.yaml\n    link: base\n    moments'


def test_they_may_be_on_one_another(loaded):
    """Whichever comes first; links of the URDF may be on them as well."""
    on_lip = 'manipulator: finger.yaml\n    link: lip_0_0\n    pose'
    jaw = '<link name="jaw"/><joint name="bite" type="fixed"><parent link="lip_0_1"/>'
    urdf = URDF.replace('</robot>', jaw + '<child link="jaw"/></joint></robot>')
    before = 'manipulator: finger.yaml\n    link: slide\n    pose'
    robot = loaded((before, on_lip), urdf=urdf)
    assert robot.urdf.bodies['finger_a_base'][0] == 'lip_0_0'
    assert robot.urdf.bodies['jaw'][0] == 'lip_0_1'
    assert robot.urdf.root == 'base'


def test_a_given_urdf_gets_them_whatever_comes_before_it(loaded, tmp_path):
    """A blank before the XML declaration, and a default namespace."""
    expected = loaded()
    text = '\n<?xml version="1.0"?>' + URDF.replace('<robot', '<robot xmlns="drake"')
    robot = load_robot(tmp_path, text)
    assert robot.elastic_joints == expected.elastic_joints
    assert robot.urdf_text == expected.urdf_text


def test_a_joint_that_mimics_an_elastic_one_is_refused(loaded):
    """Nothing tells where the elastic joint is."""
    wag = '<joint name="wag" type="revolute"><parent link="base"/><child link="tail"/>'
    mimic = '<limit lower="-1" upper="1"/><mimic joint="lip_0_1_bend_0"/></joint></robot>'
    text = loaded().urdf_text.replace('</robot>', f'<link name="tail"/>{wag}{mimic}')
    with pytest.raises(ProblemsError) as error:
        loaded(urdf=text)
    (problem,) = error.value.problems
    assert "urdf: URDF joint 'wag' mimics 'lip_0_1_bend_0', an elastic joint of lip;" in problem


@pytest.mark.parametrize('other', ['[0.6000001, 0.7999999, 0]', '[0.6, 0.8, 0]'])
def test_axes_that_are_nearly_the_same_are_one(loaded, tmp_path, other):
    """A moment about a second one is refused, as a simulation would not find it."""
    loaded()
    text = FINGER.replace('axis: [1, 0, 0]', 'axis: [0.6, 0.8, 0]')
    (tmp_path / 'finger.yaml').write_text(text.replace('axis: [0, 1, 0]', f'axis: {other}'))
    with pytest.raises(ProblemsError, match='axis is 1; expected less than 1'):
        load_robot(tmp_path)


def test_those_in_a_ring_are_refused(loaded):
    """Each of them is named, on what it is, until it comes again."""
    ring = (LIP, LIP.replace('base', 'finger_b_0_1')), ('link: slide', 'link: lip_0_0')
    with pytest.raises(ProblemsError) as error:
        loaded(*ring)
    assert 'soft.lip.link: is a ring: lip on finger_b on lip; expected a link' in str(error.value)
    assert 'finger_b on lip on finger_b' in str(error.value)
    assert len(error.value.problems) == 2


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (('finger.yaml\n    link: base', 'none.yaml\n    link: base'),
         r"soft.lip.manipulator: is 'none.yaml'; expected a file"),
        (('link: base\n    moments', 'link: lid\n    moments'),
         "soft.lip.link: unknown link 'lid'"),
        (('link: slide', 'link: lip_0_9'), "soft.finger_{k}.link: unknown link 'lip_0_9'"),
        (('0.2, 0.0, 0.0, 0.0]', '0.2, 0.0, 0.0, 20000]'),
         'soft.finger_{k}.pose.5: is 20000; expected at most 10000'),
        (('joints: {rail: m}', 'joints: {rail: m}, chains: {c: {base: base, tip: lip_0_1}}'),
         "chains.c: 'c' leads across lip, which no motor moves"),
        (('swell: {axis: 1', 'swelling: {axis: 1'),
         r"soft.lip.moments.swelling: unknown channel 'swelling'; did you mean swell"),
        (('moments:\n      swell: {axis: 1', 'moments:\n      pull_a: {axis: 1'),
         "channel 'pull_a' is of kind tension; expected effort or pressure"),
        (('tendons:\n      pull_{k}: {radius', 'tendons:\n      swell: {radius'),
         "channel 'swell' is of kind pressure; expected tension or length"),
        (('radius: 0.01, angle: 1.5', 'radius: 0.01, discs: [0.0, 0.2]'),
         r'discs are up to 0.2 m; expected 0.1 at most'),
        (('radius: 0.01, angle: 1.5', 'radius: 0.01, discs: [0.0]'), 'two or more'),
        (('axis: 1, moment', 'axis: 2, moment'), 'axis is 2; expected less than 2'),
        (('axis: 1, moment', 'actuator: 3, moment'), r'actuator is 3; expected one of \[0\]'),
        (('axis: 1, moment', "axis: '1', moment"),
         r"soft.lip.moments.swell.axis: is '1'; expected a whole number"),
        (('axis: 1, moment', 'actuator: true, moment'),
         r'soft.lip.moments.swell.actuator: is true; expected a whole number'),
        (("channels: ['pull_{k}', swell]", "channels: ['pull_{k}', swel]"),
         r"groups.fingers.channels: unknown channel 'swel'; did you mean swell"),
        (("'pull_{k}': 4.0", "'pull_{k}': 10.0"), 'pull_a is 10; expected 0.5 to 9'),
        (("channels: {'pull_{k}': 4.0}", "channels: {pul_a: 4.0}"), "unknown channel 'pul_a'"),
        (('joints: {rail: m}', 'joints: {rail: m, lip_0_1_bend_0: m}'),
         "'lip_0_1_bend_0' cannot be commanded: it is an elastic joint of lip"),
        (('  lip:', '  finger_b:'), "'finger_b' is given already; expected once"),
        (('tendons:\n      pull_{k}:', 'tendons:\n      pull_a:'),
         "channel 'pull_a' drives finger_a already"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(loaded, change, message):
    """With its line, its value and what was expected."""
    with pytest.raises(ProblemsError, match=message) as error:
        loaded(change)
    assert 'line' in str(error.value)


def test_a_tendon_is_never_so_short_that_its_strain_is_infinite(loaded):
    """A range of lengths that begins at 0 is refused; one above 0 is taken."""
    tension = 'kind: tension, range: [0.5, 9.0], rate: 20.0'
    length = 'kind: length, acceleration: 1.0, rate: 0.1, range: [{}, 5.0]'
    stretching = ('radius: 0.01, angle: 1.5', 'radius: 0.01, angle: 1.5, stiffness: 2000.0')
    with pytest.raises(ProblemsError) as error:
        loaded((tension, length.format(0.0)), stretching)
    problems = error.value.problems
    assert len(problems) == 2  # of each finger
    for name, problem in zip('ab', problems, strict=True):
        told = f"channel 'pull_{name}' of kind length has the range [0.0, 5.0] m; expected more"
        assert re.fullmatch(
            rf'line \d+: soft\.finger_{{k}}\.tendons\.pull_{{k}}: {re.escape(told)}.*', problem
        )
    robot = loaded((tension, length.format(0.01)), stretching)
    assert robot.channels['pull_a'].range == (0.01, 5.0)
