"""Files of a robot: meshes by path, names with braces, and errors of what cannot be read."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from softshell_description.expand import expand_urdf, resolve_meshes
from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.model.urdf_reader import read_urdf

#: A robot of one joint, whose motor and pose have braces in their names.
URDF = """
<robot name="one"> <link name="trunk"/> <link name="mast"/>
  <joint name="turn" type="revolute"> <parent link="trunk"/> <child link="mast"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/> </joint>
</robot>
"""
ROBOT = """
description: A mast.
urdf: one.urdf
placeholders: {k: [a, b]}
base: {link: trunk}
motors: {'m_{k}': {effort: 2, velocity: 3}}
groups:
  all:
    gains: {kp: 1, kd: 0}
    goal_tolerance: 0.1
    joints: {turn: 'm_{k}'}
    chains: {mast: {base: trunk, tip: mast}}
poses: {'h_{k}': {joints: {turn: 0.5}}}
start: 'h_{k}'
"""


def test_meshes_are_found_as_xml_has_them():
    """In either kind of quotes, with what XML escapes; not in a comment, nor in other elements."""
    text = """<robot name="r">
      <!-- <mesh filename="package://lacking/old.stl"/> --> <texture filename="c.png"/>
      <mesh filename='a.stl'/> <mesh scale="1 1 1" filename="b&amp;c.stl"/>
    </robot>"""
    root = ElementTree.fromstring(resolve_meshes(text, Path('/robot')))
    names = [each.get('filename') for each in root.iter() if each.get('filename')]
    assert names == ['c.png', '/robot/a.stl', '/robot/b&c.stl']
    plain = '<robot name="r"><!-- kept --></robot>'
    assert resolve_meshes(plain, Path('/robot')) == plain


def test_a_given_urdf_may_have_a_blank_and_a_default_namespace(tmp_path):
    """All that read the text of the robot find its links."""
    (tmp_path / 'robot.yaml').write_text(ROBOT)
    text = '\n<?xml version="1.0"?>' + URDF.replace('<robot', '<robot xmlns="drake"')
    root = ElementTree.fromstring(load_robot(tmp_path, text).resolved_urdf)
    assert [link.get('name') for link in root.findall('link')] == ['trunk', 'mast']


@pytest.mark.parametrize('encoding', ['utf-8', 'ISO-8859-1', 'utf-16'])
def test_a_robot_is_read_in_any_encoding_that_its_urdf_declares(tmp_path, encoding):
    """By all readers alike; what engines are handed is the same robot."""
    (tmp_path / 'robot.yaml').write_text(ROBOT.replace('mast}', 'mäst}'))
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    text = head + URDF.strip().replace('"mast"', '"mäst"')
    (tmp_path / 'one.urdf').write_text(text, encoding)
    robot = load_robot(tmp_path)
    links = [link.name for link in read_urdf(tmp_path / 'one.urdf').links]
    assert [link.name for link in robot.urdf.links] == links == ['trunk', 'mäst']
    root = ElementTree.fromstring(robot.resolved_urdf.encode())
    assert [link.get('name') for link in root.findall('link')] == links


def test_a_urdf_that_is_not_in_its_encoding_is_named_with_its_line(tmp_path):
    path = tmp_path / 'one.urdf'
    path.write_bytes('<robot name="r">\n<link name="ä"/>'.encode('latin-1'))
    with pytest.raises(SoftshellError, match=r'one.urdf: it is not UTF-8 text \(line 2\)'):
        expand_urdf(path)


def test_a_file_that_cannot_be_read_does_not_hide_what_is_wrong(tmp_path):
    """Beside the file with the mistake: one that is not UTF-8, and a folder with its ending."""
    (tmp_path / 'other.xacro').write_bytes(b'\xff\xfe')
    (tmp_path / 'folder.xacro').mkdir()
    path = tmp_path / 'robot.xacro'
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="${lacking}"/>'
        '</robot>'
    )
    with pytest.raises(SoftshellError, match=r"robot.xacro: line 2: name 'lacking' is not def"):
        expand_urdf(path)


@pytest.mark.parametrize(
    ('wrong', 'told'),
    [
        ('$(env NOPE)', "environment variable 'NOPE' is not set"),
        ('$(optenv)', '$(optenv var) must specify an environment variable [optenv]'),
        ('$(eval 1+)', '$(eval 1+) is no expression: invalid syntax'),
        ('$(eval lacking)', "name 'lacking' is not defined"),
        ('$(find no_package)', "package 'no_package' not found"),
        ('$(arg none)', 'Undefined substitution argument none'),
    ],
)
def test_a_wrong_substitution_of_a_xacro_is_told_once_with_its_line(
    tmp_path, monkeypatch, wrong, told
):
    """Without the class of Python's error, which tells a user nothing."""
    monkeypatch.delenv('NOPE', raising=False)
    path = tmp_path / 'robot.xacro'
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="a"/>\n'
        f'<link name="{wrong}"/></robot>'
    )
    with pytest.raises(SoftshellError) as caught:
        expand_urdf(path)
    assert str(caught.value) == f'{path}: line 3: {told}'


def test_motors_and_poses_have_their_names_as_written(tmp_path):
    """Braces in them stand for nothing: the same name finds them, a filled one does not."""
    (tmp_path / 'one.urdf').write_text(URDF)
    (tmp_path / 'robot.yaml').write_text(ROBOT)
    assert list(load_robot(tmp_path).poses) == ['h_{k}']
    wrong = ROBOT.replace("turn: 'm_{k}'", 'turn: m_a').replace("start: 'h_{k}'", 'start: h_a')
    (tmp_path / 'robot.yaml').write_text(wrong)
    with pytest.raises(ProblemsError, match=r"(?s)unknown motor 'm_a'.*unknown pose 'h_a'"):
        load_robot(tmp_path)


def test_a_folder_of_a_user_that_there_is_not_is_refused():
    """By its path, with what is expected."""
    with pytest.raises(SoftshellError, match=r"robot '~nobody-here/arm': expected a path"):
        robot_folder('~nobody-here/arm')


def test_a_mesh_that_is_in_no_file_is_refused():
    """A path from the working directory would be another mesh, or none; %20 is a space."""
    mesh = '<robot name="r"><mesh filename="{}"/></robot>'
    for name in ('model://arm/a.stl', 'https://example.org/a.stl'):
        with pytest.raises(SoftshellError, match=f"mesh '{name}' is at .*; expected package://"):
            resolve_meshes(mesh.format(name), Path('/robot'))
    for name in ('package:///meshes/a.stl', 'package://', 'package://my robot/a.stl'):
        with pytest.raises(SoftshellError, match=f"mesh '{name}': no package '.*' is installed"):
            resolve_meshes(mesh.format(name), Path('/robot'))
    assert '"/my meshes/a.stl"' in resolve_meshes(
        mesh.format('file:///my%20meshes/a.stl'), Path('/robot')
    )


def write_one(folder, *changes):
    """Write the robot of one joint, with some text of its URDF replaced."""
    text = URDF
    for old, new in changes:
        text = text.replace(old, new)
    (folder / 'one.urdf').write_text(text)
    (folder / 'robot.yaml').write_text(ROBOT)


def test_a_robot_with_a_default_namespace_is_as_without(tmp_path):
    """Drake's models have one; its text has none, as all who read it expect."""
    write_one(tmp_path, ('<robot', '<robot xmlns="http://drake.mit.edu"'))
    robot = load_robot(tmp_path)
    assert robot.urdf_text == URDF
    assert len(ElementTree.fromstring(robot.urdf_text).findall('link')) == 2
    path = tmp_path / 'one.urdf.xacro'
    path.write_text((tmp_path / 'one.urdf').read_text())
    assert len(ElementTree.fromstring(expand_urdf(path)).findall('link')) == 2


@pytest.mark.parametrize(
    ('multiplier', 'said'),
    [
        (1.0, None),
        (1.5708 / (math.pi / 2), None),  # as many write π/2
        (1.0002, "'turn' takes 'vane', which mimics it, from -1.0002 to 1.0002; expected that"),
        (2.0, "'turn' takes 'vane', which mimics it, from -2 to 2; expected that within -1 to 1"),
        (-1.1, "'turn' takes 'vane', which mimics it, from -1.1 to 1.1; expected that within -1"),
    ],
)
def test_no_joint_takes_another_out_of_its_range(tmp_path, multiplier, said):
    """One that mimics it is commanded wherever it goes; what is rounded is no problem."""
    vane = (
        '<link name="vane"/><joint name="vane" type="revolute"><parent link="mast"/>'
        f'<child link="vane"/><mimic joint="turn" multiplier="{multiplier}"/>'
        '<limit lower="-1" upper="1" effort="2" velocity="9"/></joint></robot>'
    )
    write_one(tmp_path, ('</robot>', vane))
    if said is None:
        assert load_robot(tmp_path).mimics[0].name == 'vane'
        return
    with pytest.raises(ProblemsError) as caught:
        load_robot(tmp_path)
    (problem,) = caught.value.problems
    assert f'line 11: groups.all.joints.turn: {said}' in problem
