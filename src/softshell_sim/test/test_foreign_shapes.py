"""Shapes and joints as URDFs from elsewhere have them mean the same in every engine."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from mesh_files import COLLADA, wavefront

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.mujoco.loading import limits_of
from softshell_sim.mujoco.shapes import visual_shapes
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.shapes import colour_of

INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'
STONE = (
    '<robot name="stone"><link name="stone"><inertial><mass value="1"/>'
    + INERTIA.format(0.01)
    + '</inertial><collision>{}</collision></link></robot>'
)
SLIDE = (
    '<robot name="slide"><link name="rail"><inertial><mass value="1"/>'
    + INERTIA.format(1)
    + '</inertial></link><link name="car"><inertial><mass value="1"/>'
    + INERTIA.format(0.01)
    + '</inertial></link><joint name="way" type="prismatic"><parent link="rail"/>'
    '<child link="car"/><axis xyz="0 0 1"/><limit {} effort="1" velocity="1"/></joint></robot>'
)
#: How far PyBullet's shapes reach beyond themselves [m].
MARGIN = 2e-3


def stone(bench, geometry):
    return bench.engine.load(RobotSpec('stone', STONE.format(geometry), ()))


def ends(bench, axis, at=(0.02, 0.03, 0.04)):
    """Where a ray along an axis, through a point, meets a body first, from both sides."""
    found = []
    for sign in (-1.0, 1.0):
        start, stop = np.array(at), np.array(at)
        start[axis], stop[axis] = 5.0 * sign, -5.0 * sign
        hit = bench.engine.ray(start, stop)
        found.append(np.nan if hit is None else hit.point[axis])
    return found


@pytest.mark.parametrize(
    ('name', 'text', 'scale'),
    [
        ('corner.obj', wavefront(0.0), 0.01),
        ('corner.dae', COLLADA % '<up_axis>Z_UP</up_axis>', 0.01),
        ('corner.dae', COLLADA % '<unit meter="0.01"/><up_axis>Y_UP</up_axis>', 1.0),
    ],
)
@pytest.mark.parametrize('signs', [(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (-1, -1, -1)])
def test_a_mesh_is_where_its_file_puts_it(start, tmp_path, name, text, scale, signs):
    """A corner with legs of 0.1, 0.2 and 0.3 m: x/0.1 + y/0.2 + z/0.3 = 1 is its far side."""
    (tmp_path / name).write_text(text)
    factors = ' '.join(str(scale * sign) for sign in signs)
    bench = start(gravity=0.0)
    stone(bench, f'<geometry><mesh filename="{tmp_path / name}" scale="{factors}"/></geometry>')
    at = np.array([0.02, 0.03, 0.04]) * signs
    for axis, far in enumerate((0.0716667, 0.1333333, 0.195)):
        expected = sorted([0.0, signs[axis] * far])
        assert ends(bench, axis, at) == pytest.approx(expected, abs=2.0 * MARGIN)


def test_objects_of_a_file_are_shapes_of_their_own(start, tmp_path):
    """Between two objects there is nothing: no hull is drawn round both."""
    (tmp_path / 'two.obj').write_text(wavefront(0.0, 50.0))
    bench = start(gravity=0.0)
    mesh = f'<mesh filename="{tmp_path / "two.obj"}" scale="0.01 0.01 0.01"/>'
    stone(bench, f'<geometry>{mesh}</geometry>')
    first, last = ends(bench, 0)
    assert [first, last] == pytest.approx([0.0, 0.5716667], abs=2.0 * MARGIN)
    between = bench.engine.ray(np.array([0.3, 0.03, 5.0]), np.array([0.3, 0.03, -5.0]))
    assert between is None


def test_a_mesh_rests_on_the_floor(start, tmp_path):
    """It carries its weight where it touches; its corner of 0.3 m stays that high."""
    (tmp_path / 'corner.obj').write_text(wavefront(0.0))
    bench = start()
    floor = bench.floor()
    mesh = f'<mesh filename="{tmp_path / "corner.obj"}" scale="0.01 0.01 0.01"/>'
    origin = '<origin xyz="-0.03 -0.06 -0.07"/>'  # its centre is where the weight is
    body = stone(bench, f'{origin}<geometry>{mesh}</geometry>')
    bench.engine.place(body, BodyState.at_rest(shift(z=0.075)))
    bench.run(1.0)
    force = np.zeros((1, 3))
    bench.engine.contact_forces(body, force)
    assert force[0] == pytest.approx([0.0, 0.0, 9.81], abs=0.1)
    (gap,) = bench.engine.gaps(body, floor, 0.1)
    assert gap.distance == pytest.approx(0.0, abs=MARGIN)
    assert bench.state(body).position[2] == pytest.approx(0.07, abs=MARGIN)


@pytest.mark.parametrize(
    ('geometry', 'reach'),
    [
        ('<box size="0.2 0.4 0.6"/>', (0.1, 0.2, 0.3)),
        ('<sphere radius="0.2"/>', (0.2, 0.2, 0.2)),
        ('<cylinder radius="0.1" length="0.6"/>', (0.1, 0.1, 0.3)),
        ('<capsule radius="0.1" length="0.4"/>', (0.1, 0.1, 0.3)),
    ],
)
def test_primitives_reach_as_far_as_they_say(start, geometry, reach):
    """Round their middle, cylinders along z; turned by a right angle about x, y and z change."""
    for roll, order in ((0.0, (0, 1, 2)), (np.pi / 2, (0, 2, 1))):
        bench = start(gravity=0.0)
        origin = f'<origin xyz="0 0 0" rpy="{roll} 0 0"/>'
        stone(bench, f'{origin}<geometry>{geometry}</geometry>')
        for axis in range(3):
            far = reach[order[axis]]
            found = ends(bench, axis, (0.0, 0.0, 0.0))
            assert found == pytest.approx([-far, far], abs=2.0 * MARGIN)


@pytest.mark.parametrize(
    ('limits', 'low', 'high'),
    [
        ('lower="-0.1" upper="0.2"', -0.1, 0.2),
        ('lower="-1e6" upper="0.2"', None, 0.2),
        ('lower="-0.1" upper="1e6"', -0.1, None),
        ('lower="-1e6" upper="1e6"', None, None),
        ('lower="0" upper="0"', 0.0, 0.0),
        ('lower="-0.1"', -0.1, 0.0),
        ('upper="0.2"', 0.0, 0.2),
        ('', 0.0, 0.0),
    ],
)
def test_a_joint_ends_where_it_has_a_limit(start, limits, low, high):
    """Pushed with 2 m/s² either way for 1 s: it stops there, or has gone 1 m."""
    for sign, limit in ((-1.0, low), (1.0, high)):
        bench = start(gravity=0.0)
        text = flatten(SLIDE.format(limits)).text
        body = bench.engine.load(RobotSpec('slide', text, ('way',), fixed=True))
        for _ in range(1000):
            bench.engine.apply_effort(body, np.array([2.0 * sign]))
            bench.engine.step()
        expected = sign if limit is None else limit
        assert bench.joints(body)[0][0] == pytest.approx(expected, abs=5e-3)


def slid(bench, text):
    """How far the car of a slide gets by 2 N in 1 s [m]."""
    body = bench.engine.load(RobotSpec('slide', flatten(text).text, ('way',), fixed=True))
    for _ in range(1000):
        bench.engine.apply_effort(body, np.array([2.0]))
        bench.engine.step()
    return bench.joints(body)[0][0]


def test_a_default_namespace_does_not_matter(start):
    """Of a body of a scene, whose file is read as it is."""
    text = SLIDE.format('lower="-9" upper="9"').replace('<robot', '<robot xmlns="http://a.b"')
    assert slid(start(gravity=0.0), text) == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize('axis', ['0 0 1', '0 0 2', '0 0 0.1'])
def test_an_axis_of_any_length_is_a_direction(start, axis):
    """PyBullet alone would move the car by its length."""
    text = SLIDE.format('lower="-9" upper="9"').replace('0 0 1', axis)
    assert slid(start(gravity=0.0), text) == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize('dynamics', ['<dynamics/>', '<dynamics rotor="1"/>'])
def test_empty_elements_do_not_matter(start, dynamics):
    """PyBullet alone would refuse the file, and not move a joint of an empty axis."""
    text = SLIDE.format('lower="-9" upper="9"').replace('</joint>', f'{dynamics}</joint>')
    text = text.replace('<axis xyz="0 0 1"/>', '<axis/>')
    text = text.replace('</link>', '<collision><geometry/></collision></link>', 1)
    assert slid(start(gravity=0.0), text) == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize('moments', [(1e-3, 1e-3, 5e-3), (1e-3, 2e-3, 3.001e-3)])
def test_an_inertia_that_no_body_has_is_taken_all_the_same(start, moments):
    """Its largest moment is kept: 5 mN m turn it about z at that rate."""
    bench = start(gravity=0.0)
    x, y, z = moments
    inertia = f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/>'
    text = STONE.format('<geometry><sphere radius="0.1"/></geometry>')
    text = flatten(text.replace(INERTIA.format(0.01), inertia)).text
    body = bench.engine.load(RobotSpec('stone', text, ()))
    for _ in range(1000):
        bench.engine.apply_wrench(body, 0, np.zeros(3), np.array([0.0, 0.0, 5e-3]), np.zeros(3))
        bench.engine.step()
    assert bench.state(body).angular_velocity[2] == pytest.approx(5e-3 / z, rel=2e-3)


PAINTED = """
<robot name="painted">
  <material name="green"><color rgba="0 1 0 1"/></material>
  <link name="link">
    <visual><geometry><sphere radius="1"/></geometry>
      <material name=""><color rgba="1 0 0 1"/></material></visual>
    <visual><geometry><sphere radius="1"/></geometry>
      <material name=""><color rgba="0 0 1 1"/></material></visual>
    <visual><geometry><sphere radius="1"/></geometry><material name="green"/></visual>
    <visual><geometry><sphere radius="1"/></geometry></visual>
  </link>
</robot>
"""


def test_mujoco_shows_each_shape_in_its_own_colour():
    """Also where several materials have no name; a material by name has the robot's colour."""
    robot = ElementTree.fromstring(PAINTED)
    shapes = visual_shapes(robot, robot.find('link'))
    colours = [options.get('rgba') for _, options in shapes]
    assert colours == [[1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], None]


@pytest.mark.parametrize('rgba', ['red', '1 0', '0 0 nan 1', '1 2 3 4 5'])
def test_a_colour_that_is_none_is_one_clear_error(rgba):
    """Of a URDF that somebody else wrote; opacity may be missing, and numbers are clipped."""
    with pytest.raises(SoftshellError, match=f"colour is '{rgba}'; expected four numbers"):
        colour_of(rgba)
    assert colour_of('0.1 0.2 0.3') == [0.1, 0.2, 0.3, 1.0]
    assert colour_of('255 128 -1 1.5') == [1.0, 1.0, 0.0, 1.0]


def test_mujoco_is_told_finite_limits_that_are_apart():
    """A joint with one limit has a far one on its other side, a locked one 2 µm of play."""
    joint = parse_urdf(SLIDE.format('lower="-0.1" upper="0.2"')).joints[0]
    assert limits_of(replace(joint, lower=-np.inf)).tolist() == [-1e9, 0.2]
    assert limits_of(replace(joint, upper=np.inf)).tolist() == [-0.1, 1e9]
    assert np.diff(limits_of(replace(joint, lower=0.2))) == pytest.approx([2e-6])
