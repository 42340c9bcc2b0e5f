"""Examples of arms, legs, friction and soft fingers: they print what closed forms say."""

import math
import re

import numpy as np
import pytest
from examples_rig import EXAMPLES, is_picture, numbers
from page_blocks import blocks
from scipy.optimize import brentq

from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_kinematics import chain_from_urdf
from softshell_sim.urdf.tree import bounds, link_poses


@pytest.mark.long
def test_stability(run, tmp_path):
    """Feet are symmetric about the trunk: the margin is the nearer side; on three feet the trunk
    is as far from the diagonal as it was moved away from it."""
    output = run('35_stability.py')
    robot = load_robot('quadruped')
    chain = chain_from_urdf(robot.urdf_text, 'base_link', 'front_left_foot')
    x, y = chain.forward([robot.poses['stand'][name] for name in chain.variables])[:2, 3]
    four, three = numbers(output, r'four feet (\S+) m, moved back without front_left (\S+) m')
    assert four == pytest.approx(min(x, y), abs=1e-4)
    assert three == pytest.approx(0.03 * (x + y) / math.hypot(x, y), abs=1e-4)
    (ahead,) = numbers(output, r'ahead (\S+) m, until \w+, \w+_shank is at its end')
    assert 0.1 < ahead < x
    assert is_picture(tmp_path / 'out' / 'stability.png')


@pytest.mark.long
def test_shared_motor(run):
    """One fold for all legs, found with the rest from a guess; the legs' own angles differ."""
    output = run('36_shared_motor.py')
    assert "19 variables, of which all legs have ['fold']" in output
    assert numbers(output, r'all reached: True, feet off by at most (\S+) m')[0] < 1e-8
    folds = [numbers(output, rf'foot_{k}: fold (\S+), lower')[0] for k in (0, 3)]
    assert folds[0] == folds[1]


@pytest.mark.long
def test_skate(run):
    """Along the skates it slides as by a tenth of the friction, otherwise not at all."""
    output = run('37_skate.py')
    slope, seconds = math.radians(20.0), 0.5
    fall = 9.81 * (math.sin(slope) - 0.06 * math.cos(slope))
    along, without = numbers(output, r'skates along the slope: (\S+) m; without: (\S+) m')
    assert along == pytest.approx(0.5 * fall * seconds**2, rel=0.005)
    across = numbers(output, r'skates across the slope: (\S+) m; without: (\S+) m')
    assert max(without, *across) < 1e-3


@pytest.mark.long
def test_calibration(run, tmp_path):
    """The proportion that fits the record, by the tip of a chain under a force across it: each
    joint turns by its lever times the force over its stiffness."""
    output = run('38_calibration.py')
    (stiffness,) = numbers(output, r'joint stiffness (\S+) ±')
    force, bent = np.array([0.024, 0.050, 0.073]), np.array([0.004, 0.008, 0.012])
    levers = 0.1 - 0.01 * (np.arange(10) + 0.5)  # of ten joints [m]
    assert stiffness == pytest.approx((force @ bent) / (bent @ bent) * (levers @ levers), rel=1e-3)
    for one, given in zip(force, bent, strict=True):
        (found,) = numbers(output, rf'{one:.3f} N: recorded \S+ mm, of the model (\S+) mm')
        assert found == pytest.approx(1e3 * one * (levers @ levers) / stiffness, rel=0.02)
        assert found == pytest.approx(1e3 * given, rel=0.05)
    assert is_picture(tmp_path / 'out' / 'stiffness.png')


@pytest.mark.long
def test_fastest(run, tmp_path):
    """The elbow is at a limit all the time: it speeds up, keeps its speed, and brakes."""
    output = run('39_fastest.py')
    assert 'all of it in reach: True' in output
    ends = []
    for ahead in (0.40, 0.24):  # of the tip, which is pitched by 0.4
        x, z = ahead - 0.08 * math.cos(0.4), 0.24 - 0.18 + 0.08 * math.sin(0.4)
        ends.append(math.acos((x * x + z * z - 0.2**2 - 0.16**2) / (2.0 * 0.2 * 0.16)))
    way, speed = ends[1] - ends[0], 0.95 * 6.178
    (least,) = numbers(output, r'^fastest: (\S+) s, elbow at its limit$')
    assert least == pytest.approx(way / speed + speed / 40.0, rel=2e-3)
    assert numbers(output, r'^quintic: (\S+) s')[0] > 1.3 * least
    assert is_picture(tmp_path / 'out' / 'fastest.png')


@pytest.mark.long
def test_tray(run):
    """Friction holds it as it does a block, but that its legs give way by some centimetres."""
    found = re.findall(r'^(\S+) m/s²: slides (\S+) m', run('41_tray.py'), re.MULTILINE)
    assert [float(acceleration) for acceleration, _ in found] == [2.0, 3.0, 5.0, 6.0]
    for acceleration, slid in [(float(one), float(other)) for one, other in found]:
        block = max(0.5 * (acceleration - 0.4 * 9.81) * 0.5**2, 0.0)
        assert block <= slid < (block + 0.04 if block else 0.005), acceleration


@pytest.mark.long
def test_leg_odometry(run):
    """Off by less than stated; the IMU tells the heading, without one the legs do to a degree."""
    output = run('42_leg_odometry.py')
    walked, turned = numbers(output, r'walked (\S+) m, turned (\S+)°')
    assert walked == pytest.approx(0.4, rel=0.02)
    assert turned == pytest.approx(math.degrees(1.0), abs=1.0)
    for name, most in (('all', 0.1), ('no IMU', 2.0), ('joints alone', 2.0)):
        off, heading, stated, yaw = numbers(
            output, rf'^{name}: off by (\S+) mm and (\S+)°, .* told (\S+) mm and (\S+)°$'
        )
        assert off < 10.0 < stated
        assert heading < min(most, yaw)


@pytest.mark.long
def test_contacts(run):
    """Feet carry the weight, on a hexagon; without one foot the edge is half as far away. On a
    slope the centre of pressure is as far downhill as the centre of mass is high, by its tangent.
    """
    output = run('44_contacts.py')
    robot = load_robot('shell')
    stand = dict(zip(robot.joint_names, robot.pose('stand').tolist(), strict=True))
    joints = JointMap.of(robot).complete(stand)
    poses = link_poses(robot.urdf, joints)
    moment = sum(link.mass * (poses[link.name] @ [*link.com, 1.0]) for link in robot.urdf.links)
    low, _ = bounds(robot.urdf, robot.urdf_text, joints)
    shift = (moment[2] / robot.urdf.mass - low[2]) * math.tan(math.radians(8.0))
    radius = math.hypot(*(poses['foot_0'] - poses['base_link'])[:2, 3])
    (weight,) = numbers(output, r'^weight (\S+) N$')
    assert weight == pytest.approx(9.81 * robot.urdf.mass, abs=1e-3)
    for name, count, ahead, margin in (
        ('level', 6, 0.0, radius * math.cos(math.pi / 6.0)),
        ('lifted', 5, 0.0, radius / 2.0),
        ('slope', 6, shift, None),
    ):
        line = rf'^{name}: (\d) feet carry (\S+) N, centre at (\S+) m, margin (\S+) m$'
        feet, carried, centre, found = numbers(output, line)
        assert feet == count
        assert carried == pytest.approx(weight, rel=1e-4)
        assert centre == pytest.approx(ahead, abs=1e-3)
        if margin is not None:
            assert found == pytest.approx(margin, abs=1e-3)
    assert output.endswith("{'floor': 'NORMAL', 'robot': 'NORMAL', 'box': 'UNSTABLE'}\n")


def test_dh_arm(run):
    """The wrist is where the plane of the arm says; screws and inverse kinematics agree."""
    output = run('49_dh_arm.py')
    waist, lift, both = 0.3, 0.5, 0.5 - 0.9
    ahead = 0.4318 * math.cos(lift) + 0.0203 * math.cos(both) - 0.4318 * math.sin(both)
    up = 0.4318 * math.sin(lift) + 0.0203 * math.sin(both) + 0.4318 * math.cos(both)
    x = math.cos(waist) * ahead + math.sin(waist) * 0.15005
    y = math.sin(waist) * ahead - math.cos(waist) * 0.15005
    *tip, off = numbers(output, r'tip at \[(\S+) (\S+) (\S+)\] m, by screws (\S+) off')
    assert tip == pytest.approx([x, y, up], abs=1e-5)
    assert off < 1e-12
    three = r'\[ *(\S+) +(\S+) +(\S+) *\]'
    speeds = numbers(output, rf'speed {three} m/s, by differences {three} m/s')
    assert speeds[:3] == pytest.approx(speeds[3:], abs=1e-5)
    assert re.findall(r'^joint_5 at (\S+) rad: rank (\d)$', output, re.MULTILINE) == [
        ('0.8', '6'), ('0.0', '5')
    ]  # fmt: skip
    assert numbers(output, r'inverse: CONVERGED, .* rad, tip (\S+) off')[0] < 1e-8


@pytest.mark.long
def test_tip_by_tendons(run):
    """It bends along an arc to the goal, by the moment of the tendons about each joint."""
    output = run('51_tip_by_tendons.py')
    found = {}
    for name in ('aside', 'taut', 'loaded', 'weak'):
        line = (
            rf'^{name}: \[ *(\S+) +(\S+) +(\S+) *\] N, reached: (?:True|False), .* (\S+) mm off$'
        )
        *found[name], off = numbers(output, line)
        assert (off > 10.0) if name == 'weak' else (off < 1e-3), name
    links = 0.02 * np.array([*np.ones(9), 0.5])  # behind each joint [m]
    turn = brentq(
        lambda turn: links @ np.sin(turn * np.arange(1, 11)) - math.hypot(0.06, 0.04), 0.0, 0.15
    )
    around = 2.0 * np.pi * np.arange(3) / 3.0
    for name in ('aside', 'taut'):
        pull = 0.01 * np.array(found[name]) @ np.column_stack([np.cos(around), np.sin(around)])
        inwards = 0.01 * sum(found[name])  # half of the way between two guides
        moment = np.hypot(*pull) * math.cos(turn / 2.0) + inwards * math.sin(turn / 2.0)
        assert moment == pytest.approx(0.6 * turn, rel=0.01)
        assert math.atan2(pull[1], pull[0]) == pytest.approx(math.atan2(0.04, 0.06), abs=0.02)
    assert sum(found['taut']) > 2.0 * sum(found['aside'])
    assert max(found['weak']) == pytest.approx(2.0, abs=1e-3)
    assert output.count('reached: True') == 3


@pytest.mark.long
def test_soft_legs(run):
    """The table of the page stands as high as statics say, and the ground bears its weight."""
    page = [*blocks('continuum.md', 'yaml'), *blocks('continuum.md', 'xml')]
    for name in ('robot.yaml', 'leg.yaml', 'table.urdf.xacro', 'actions/rise.yaml'):
        assert (EXAMPLES / 'table' / name).read_text(encoding='utf-8') in page, name
    output = run('52_soft_legs.py')
    weight = 9.81 * (0.5 + 4 * (0.026 + 5.5 * 4e-6))
    tops = []
    for name in ('dropped', 'risen'):
        line = rf'^{name}: top at (\S+) m, by statics (\S+) m; (\d) feet carry (\S+) N of (\S+) N$'
        top, rest, feet, carried, told = numbers(output, line)
        assert 0.0 <= rest - top < 1e-3  # MuJoCo's feet sink in by half a millimetre
        assert (feet, told) == (4, pytest.approx(weight, abs=1e-3))
        assert carried == pytest.approx(weight, rel=1e-3)
        tops.append(top)
    assert tops[1] - tops[0] > 0.005


def test_motor_losses(run):
    """What each option does to the joint is what its closed form says."""
    output = run('53_motor_losses.py')
    found = {
        name: (float(measured), float(expected))
        for name, measured, expected in re.findall(
            r'^(\w+): (\S+) \S+, by its closed form (\S+) \S+$', output, re.MULTILINE
        )
    }
    assert [*found] == [
        'viscous_friction', 'rotor_inertia', 'dry_friction', 'back_emf', 'delay', 'backlash',
        'thermal',
    ]  # fmt: skip
    for name, (measured, expected) in found.items():
        assert measured == pytest.approx(expected, rel=5e-3), name
    load = 9.81 * 0.5 * 0.1
    assert found['backlash'][1] == pytest.approx(load / 40.0 + 0.01, abs=1e-4)
    assert found['thermal'][1] == pytest.approx(
        25.0 + 80.0 * load**2 * (1.0 - math.exp(-1.0)), abs=1e-3
    )


def test_shapes(run):
    """Each body is where its surface, its layer, its slope or its damper lets it come to."""
    output = run('56_shapes.py')
    pull = math.sin(0.3) - 0.05 * math.cos(0.3)
    assert numbers(output, r'^sledge: slid (\S+) m') == pytest.approx(
        [0.5 * 9.81 * pull * 1.0**2], rel=0.01
    )
    assert numbers(output, r'^brake: slid (\S+) m') == [0.0]
    assert numbers(output, r'rises by (\S+) m') == pytest.approx([0.8**2 * 0.5], rel=0.06)
    assert numbers(output, r'^tyre: sinks in by (\S+) mm') == pytest.approx(
        [1e3 * 0.2 * 9.81 / (2.0 * 200.0)], rel=0.01
    )
    assert numbers(output, r'^sausage: floats (\S+) mm') == pytest.approx([4.0], abs=0.05)
    assert numbers(output, r'^can: floats (\S+) mm') == pytest.approx([0.0], abs=0.05)
    heights = 0.5 * np.loadtxt(EXAMPLES / 'hill.csv', delimiter=',')
    steep = math.atan(math.hypot(heights[0, 1], heights[1, 0]) / 2.0)
    assert numbers(output, r'^parcel: lies at (\S+) rad') == pytest.approx([steep], abs=1e-3)
    impulse = 0.4 * 10.0 * 0.05  # [N m s], which the damper takes
    assert numbers(output, r'^door: open by (\S+) rad') == pytest.approx([impulse / 0.2], rel=0.01)


@pytest.mark.long
def test_trunk(run):
    """It is where statics say; its twist is that of the tendons' moment, less what friction takes;
    a motor that carries is off by no more than half of its play, and warms up."""
    output = run('57_trunk.py')
    for tension in (0, 8):
        tilt, heat, turned, rest, off = numbers(
            output,
            rf'^{tension} N: tilt (\S+) rad off, at (\S+) °C, twisted by (\S+) rad, '
            r'by statics (\S+) rad, tip (\S+) mm off',
        )
        assert tilt <= 0.5 * 0.004
        assert 22.0 < heat < 23.0
        assert turned == pytest.approx(rest, abs=1e-3)
        assert off < 0.05

    def moment(turned):
        """Of both tendons about the trunk between two discs, without friction."""
        wound = (0.2 * 15.708 - turned) / 4.0
        thread = math.hypot(0.05, 2.0 * 0.014 * math.sin(0.5 * wound))
        return 2.0 * 8.0 * 0.014**2 * math.sin(wound) / thread

    most = brentq(lambda turned: moment(turned) - 0.5 * turned / 10, 0.0, 1.0)
    assert 0.85 * most < -turned < most


def test_gripper(run, tmp_path):
    """Every joint turns by what its tendon pulls beyond its friction, by its lever about the
    strip that it turns about."""
    output = run('58_gripper.py')
    for tension in (1.0, 2.0, 3.0):

        def left(turn, tension=tension):
            lever = (0.005 + 0.005) * math.cos(0.5 * turn) + 0.01 * math.sin(0.5 * turn)
            return tension * lever - 0.005 - 0.05 * turn

        (found,) = numbers(output, rf'^{tension} N: each joint at (\S+) rad')
        assert -found == pytest.approx(brentq(left, 0.0, 1.0), abs=2e-3)
    assert abs(numbers(output, r'^0.4 N: each joint at (\S+) rad')[0]) < 2e-3  # friction holds it
    limits = re.findall(
        r'effort="(.+?)" velocity="(.+?)"', (tmp_path / 'out' / 'gripper.urdf').read_text()
    )
    assert limits == [('0.1', '5.0')] * 9
