"""The macro `soft_manipulator` makes of a definition what `softshell_continuum.urdf` does."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import yaml

from softshell_continuum.files import from_data, read, write
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.urdf import add_parts
from softshell_description.expand import expand_urdf
from softshell_description.load import load_robot
from softshell_description.robots import share_directory
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import pose_from_coordinates

MACRO = share_directory() / 'urdf' / 'common' / 'soft_manipulator.xacro'
CALL = """
<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="{macro}" />
  <link name="palm" />
  <xacro:soft_manipulator name="one" definition="{definition}" parent="palm">
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6" />
  </xacro:soft_manipulator>
</robot>
"""
AT = pose_from_coordinates([0.1, 0.2, 0.3, 0.6, 0.5, 0.4])

TILTED = [0.001, -0.002, 0.003, 0.1, -0.2, 0.3]
INERTIA = [3e-6, 1e-7, -2e-7, 4e-6, 3e-7, 5e-6]
X, Y, TWIST = (
    {'axis': [1, 0, 0], 'stiffness': 0.1},
    {'axis': [0, 0.8, 0.6], 'stiffness': 0.2, 'neutral_axis': [0.001, 0.002, -0.001]},
    {'axis': [0, 0, 1], 'kind': 'continuous', 'damping': 0.01, 'stiffness': 0.3},
)
RANGED = {
    'axis': [0, 1, 0], 'friction': 0.002, 'neutral_axis': [0, 0.003, 0],
    'limits': {'lower': -0.5, 'upper': 1.5, 'effort': 3.0},
}  # fmt: skip
LINKS = {
    'box': {'shape': 'box', 'dimensions': [0.02, 0.01, 0.03], 'mass': 0.004},
    'stadium': {'shape': 'stadium', 'dimensions': [0.02, 0.01, 0.03], 'mass': 0.004},
    'cylinder': {'shape': 'cylinder', 'dimensions': [0.03, 0.007], 'mass': 0.004},
    'capsule': {'shape': 'capsule', 'dimensions': [0.03, 0.007], 'mass': 0.004},
    'tilted': {
        'shape': 'box', 'dimensions': [0.01, 0.02, 0.03], 'mass': 0.004, 'inertia': INERTIA,
        'offset': TILTED, 'material': {'name': 'blue', 'colour': [0, 0.1, 0.9, 1]},
    },
    'massless': {'shape': 'box', 'dimensions': [0.01, 0.02, 0.03], 'mass': 0},
}  # fmt: skip
BALL = {'shape': 'sphere', 'dimensions': [0.007], 'mass': 0.01, 'offset': TILTED}
JOINTS = {
    'planar': {'joints': [X]},
    'spatial': {'joints': [X, Y], 'arrangement': 'together'},
    'torsion': {'joints': [Y, X, TWIST], 'arrangement': 'together'},
    'alternating': {'joints': [RANGED, Y, TWIST]},
    'listed': {'joints': [TWIST, X, RANGED, Y], 'arrangement': 'listed'},
}


def _actuator(link, joints):
    return {'length': 0.12, 'n_segments': 4, 'link': LINKS[link], **JOINTS[joints]}


def _definitions():
    """One of each shape and arrangement alone, and all in series between bases, tips and discs."""
    for link in LINKS:
        yield link, {'actuators': [_actuator(link, 'spatial')]}
    for joints in JOINTS:
        yield joints, {'actuators': [_actuator('stadium', joints)]}
    every = [_actuator('box', joints) for joints in JOINTS] + [_actuator('tilted', 'spatial')]
    disc = {'shape': 'cylinder', 'dimensions': [0.002, 0.01], 'mass': 0.001, 'offset': TILTED}
    for name, base in (('ball', BALL), ('tilted', LINKS['tilted'])):
        yield (
            f'series on a {name}',
            {
                'base': base,
                'actuators': every,
                'tips': [BALL, LINKS['capsule']],
                'discs': [{'at': at, 'link': disc} for at in (0.0, 0.015, 0.12, 0.3, 0.72)],
            },
        )
    yield 'long', {'actuators': [{**_actuator('box', 'planar'), 'length': 3, 'n_segments': 100}]}


DEFINITIONS = dict(_definitions())


@pytest.fixture
def called(tmp_path):
    """Writes a definition and a xacro that calls the macro with it; gives the xacro's path."""

    def write_both(data, name='one.yaml'):
        form = from_data(ManipulatorForm, {'name': 'one', **data})
        write(form, tmp_path / name)
        path = tmp_path / 'rig.urdf.xacro'
        path.write_text(CALL.format(macro=MACRO, definition=name))
        return form, path

    return write_both


def _expected(form):
    root = ElementTree.Element('robot', name='rig')
    ElementTree.SubElement(root, 'link', name='palm')
    add_parts(root, parts_of_manipulator(form, 'one_', 'palm', AT))
    return ElementTree.tostring(root, encoding='unicode')


def _shapes(text):
    """By link: of each visual and collision its tag and words, and its pose and numbers."""
    root, found, colours = ElementTree.fromstring(text), {}, {}
    for link in root.findall('link'):
        for shape in (*link.findall('visual'), *link.findall('collision')):
            origin, solid = shape.find('origin'), shape.find('geometry')[0]
            x, y, z = map(float, origin.get('xyz').split())
            roll, pitch, yaw = map(float, origin.get('rpy').split())
            pose = pose_from_coordinates([x, y, z, yaw, pitch, roll])
            sizes = [float(v) for key in sorted(solid.keys()) for v in solid.get(key).split()]
            material = shape.find('material')
            words = shape.tag, solid.tag, None if material is None else material.get('name')
            found.setdefault(link.get('name'), []).append((words, [*pose.ravel(), *sizes]))
            if material is not None and material.find('color') is not None:
                rgba = [float(v) for v in material.find('color').get('rgba').split()]
                assert colours.setdefault(material.get('name'), rgba) == rgba
    return found, colours


def _dynamics(text):
    joints = ElementTree.fromstring(text).findall('joint')
    rows = {joint.get('name'): joint.find('dynamics') for joint in joints}
    return {
        name: (float(row.get('damping')), float(row.get('friction')))
        for name, row in rows.items()
        if row is not None
    }


def _same(text, expected):
    have, want = parse_urdf(text), parse_urdf(expected)
    exactly = {'rtol': 1e-12, 'atol': 1e-15}
    assert {link.name for link in have.links} == {link.name for link in want.links}
    for link in want.links:
        other = have.link(link.name)
        assert np.isclose(other.mass, link.mass, **exactly)
        assert np.allclose(other.com, link.com, **exactly)
        assert np.allclose(other.inertia, link.inertia, rtol=1e-12, atol=1e-19)
    assert {joint.name for joint in have.joints} == {joint.name for joint in want.joints}
    for joint in want.joints:
        other = have.joint(joint.name)
        for words in ('type', 'parent', 'child'):
            assert getattr(other, words) == getattr(joint, words)
        for numbers in ('origin', 'axis', 'lower', 'upper', 'effort', 'velocity'):
            assert np.allclose(getattr(other, numbers), getattr(joint, numbers), **exactly)
    assert _dynamics(text) == _dynamics(expected)
    (shapes, colours), (wanted, known) = _shapes(text), _shapes(expected)
    assert colours == known
    assert shapes.keys() == wanted.keys()
    for name, rows in wanted.items():
        assert [words for words, _ in shapes[name]] == [words for words, _ in rows]
        for (_, numbers), (_, others) in zip(shapes[name], rows, strict=True):
            assert np.allclose(numbers, others, **exactly)


@pytest.mark.parametrize('name', DEFINITIONS)
def test_the_macro_makes_what_python_makes(called, name):
    """Links, masses, inertias, joints, axes, limits, damping, origins, shapes and colours."""
    form, path = called(DEFINITIONS[name])
    _same(expand_urdf(path), _expected(form))


def test_a_base_and_an_inertia_may_be_null(called):
    """As if they were left out."""
    form, path = called(DEFINITIONS['planar'])
    definition = path.with_name('one.yaml')
    written = yaml.safe_load(definition.read_text()) | {'base': None}
    written['actuators'][0]['link']['inertia'] = None
    definition.write_text(yaml.safe_dump(written))
    assert read(ManipulatorForm, definition) == form
    _same(expand_urdf(path), _expected(form))


def test_materials_of_one_name_keep_their_colours(called):
    """In one manipulator and in two, as in Python; the same colour keeps its name."""
    colours = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    skins = [{**BALL, 'material': {'name': 'skin', 'colour': colour}} for colour in colours]
    actuators = [_actuator('box', 'planar')]
    one, path = called({'actuators': actuators, 'tips': [skins[0], skins[1], skins[0]]})
    two = from_data(
        ManipulatorForm, {'name': 'two', 'actuators': actuators, 'tips': [skins[2], skins[1]]}
    )
    write(two, path.with_name('two.yaml'))
    calls = CALL.format(macro=MACRO, definition='one.yaml').split('  <xacro:soft')
    again = calls[1].replace('one', 'two').replace('</robot>', '')
    path.write_text('  <xacro:soft'.join([calls[0], again, calls[1]]))
    root = ElementTree.Element('robot', name='rig')
    ElementTree.SubElement(root, 'link', name='palm')
    for name, form in (('two_', two), ('one_', one)):
        add_parts(root, parts_of_manipulator(form, name, 'palm', AT))
    expected = ElementTree.tostring(root, encoding='unicode')
    _same(expand_urdf(path), expected)
    names = [rows[0][0][2] for link, rows in _shapes(expected)[0].items() if '_tip_' in link]
    assert names == ['skin', 'skin_2', 'skin_3', 'skin_2', 'skin_3']


def test_a_definition_may_be_json(called):
    """What is read is the same."""
    form, path = called(DEFINITIONS['series on a ball'], 'one.json')
    _same(expand_urdf(path), _expected(form))


def test_plain_xacro_is_enough(called):
    """Its program on its own, in a process that knows nothing of softshell."""
    form, path = called(DEFINITIONS['stadium'])
    program = (
        'import sys, xacro; xacro.main(); assert not any("softshell" in m for m in sys.modules)'
    )
    done = subprocess.run(
        [sys.executable, '-c', program, str(path)], capture_output=True, text=True, check=True
    )
    _same(done.stdout, _expected(form))


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('members: []', 'has no actuators; expected the definition of a manipulator'),
        ('actuators: [{n_segments: 1, link: {shape: sphere}}]', 'cannot be halved'),
        (None, 'cannot read .*one.yaml'),
    ],
)
def test_what_is_no_manipulator_is_refused(called, text, message):
    """With the name that it was to have."""
    _, path = called(DEFINITIONS['box'])
    definition = path.with_name('one.yaml')
    definition.unlink()
    if text is not None:
        definition.write_text(text)
    with pytest.raises(SoftshellError, match=message):
        expand_urdf(path)


ROBOT = """
description: A rig
urdf: rig.urdf.xacro
base: {link: palm, fixed: true}
motors: {}
groups: {fingers: {channels: [pull]}}
channels: {pull: {kind: tension, range: [0.0, 9.0], rate: 20.0, goal_tolerance: 0.1}}
poses: {home: {}}
start: home
soft:
  one: {manipulator: one.yaml, tendons: {pull: {radius: 0.01}}}
"""


@pytest.mark.parametrize('name', ['spatial', 'massless'])
def test_a_robot_has_its_springs_and_tendons_besides(called, name):
    """By an entry of `soft` that says no link, since the URDF does."""
    form, path = called(DEFINITIONS[name])
    path.with_name('robot.yaml').write_text(ROBOT)
    robot = load_robot(path.parent)
    assert robot.elastic_joints == robot.soft['one'].joints
    assert robot.urdf.bodies['one_base'][0] == 'palm'
    assert robot.urdf.bodies['one_base'][1] == pytest.approx(AT)
    _same(robot.urdf_text, _expected(form))


@pytest.mark.parametrize(
    ('entry', 'message'),
    [
        ('one: {manipulator: one.yaml, link: palm', "soft.one: the origin of 'one_base' in the"),
        ('one: {manipulator: one.yaml, pose: [0, 0, 0, 0, 0, 0]', 'has a pose and no link'),
        ('two: {manipulator: one.yaml', "soft.two: has no link, and the URDF has no link 'two_ba"),
    ],
)
def test_an_entry_that_disagrees_with_the_urdf_is_refused(called, entry, message):
    """About where the manipulator is, or that it is."""
    _, path = called(DEFINITIONS['spatial'])
    path.with_name('robot.yaml').write_text(ROBOT.replace('one: {manipulator: one.yaml', entry))
    with pytest.raises(ProblemsError, match=message):
        load_robot(path.parent)


@pytest.mark.parametrize(
    ('link', 'joint', 'message'),
    [
        ({'mass': 0.005}, {}, "the mass of 'one_0_root'"),
        ({}, {'neutral_axis': [0, 0.001, 0]}, "the origin of 'one_0_0'"),
        ({}, {'axis': [0, 1, 0]}, "the axis of 'one_0_0'"),
        ({}, {'limits': {'lower': -1, 'upper': 1}}, "the range of 'one_0_0'"),
        ({}, {'kind': 'continuous'}, "the type of the joint of 'one_0_0'"),
    ],
)
def test_another_definition_than_that_of_the_macro_is_refused(called, link, joint, message):
    """By the first body that differs."""
    _, path = called(DEFINITIONS['planar'])
    text = expand_urdf(path)
    joints = [{**X, **joint}]
    actuator = {**_actuator('stadium', 'planar'), 'joints': joints}
    called({'actuators': [{**actuator, 'link': {**LINKS['stadium'], **link}}]})
    path.with_name('robot.yaml').write_text(ROBOT)
    with pytest.raises(ProblemsError, match=message + ' in the URDF is not that of the defin'):
        load_robot(path.parent, text)
