"""Rigid parts on soft ones, branches, and soft legs: any link carries any, on both engines."""

import numpy as np
import pytest
from every_engine import EACH, OTHERS_LONG
from scipy.optimize import minimize
from soft_rigs import ARM, GRAVITY, at_rest, block, energy, poses, robot_in

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.parts import Part
from softshell_continuum.statics import Statics
from softshell_control.estimates.finger_shapes import finger_shapes
from softshell_kinematics.transforms import pose_from_coordinates, shift
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

JAW = (
    block('wrist', 0.05)
    + block('jaw', 0.03, '0 0 0.04')
    + """
<joint name="flange" type="fixed"><parent link="arm_0_4"/><child link="wrist"/>
  <origin xyz="0 0 0.02"/></joint>
<joint name="bite" type="revolute"><parent link="wrist"/><child link="jaw"/>
  <origin xyz="0 0.01 0.01"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="2" velocity="3"/></joint>
"""
)
HYBRID = """
description: A jaw on a soft arm
base: {link: base, fixed: true}
motors: {m: {effort: 2, velocity: 3}}
groups: {jaws: {gains: {kp: 2.0, kd: 0.05}, goal_tolerance: 0.01, joints: {bite: m}}}
poses: {home: {joints: {bite: 0.5}}}
start: home
soft:
  arm: {manipulator: arm.yaml, link: base, pose: [0, 0, 0.5, 0, 1.2, 0.3]}
"""
#: Two twigs on the end of an arm and one on its middle; entries in any order.
TWIGS = (
    '  twig_0: {manipulator: arm.yaml, link: arm_0_4, pose: [0, 0.01, 0.01, -0.7, 0, 0]}',
    '  twig_1: {manipulator: arm.yaml, link: arm_0_4, pose: [0, -0.01, 0.01, 0.7, 0, 0]}',
    '  twig_2: {manipulator: arm.yaml, link: arm_0_1, pose: [0.005, 0, 0.01, 0, 1.57, 0]}',
    '  arm: {manipulator: arm.yaml, link: base, pose: [0, 0, 0.2, 0, 0.4, 0]}',
)
TREE = """
description: A soft tree
base: {link: base, fixed: true}
motors: {}
groups: {}
poses: {home: {}}
start: home
soft:
"""


def _rested(robot, engine, seconds):
    """Positions by name after a while, and the world, which the caller closes."""
    world = World(robot, WorldSettings(engine=engine))
    world.simulate(seconds)
    return dict(zip(world.joint_map.names, world.position.tolist(), strict=True)), world


@pytest.mark.parametrize('engine', EACH)
def test_a_jaw_on_a_soft_arm_hangs_where_statics_say(tmp_path, engine):
    """It counts to the last link as its motor holds it, which bears its weight about its axis."""
    robot = robot_in(tmp_path, HYBRID, '<link name="base"/>' + JAW, arm=ARM)
    assert robot.urdf.mass == pytest.approx(0.05 + 0.05 + 0.03 + 4.5 * 1e-5)
    found, world = _rested(robot, engine, 4.0)
    effort = world.drives.effort[0]
    world.close()
    spec = robot.soft['arm']
    turned = shift(0.0, 0.01, 0.01) @ pose_from_coordinates([0, 0, 0, 0, found['bite'], 0])
    more = [
        Part('wrist', 'arm_0_4', shift(z=0.02), mass=0.05),
        Part('jaw', 'wrist', turned, mass=0.03, centre=np.array([0.0, 0.0, 0.04])),
    ]
    chain = chain_of([*spec.parts, *more])
    _, base = robot.urdf.bodies['arm_base']
    rest = Statics(chain, gravity=(0.0, 0.0, -GRAVITY), base=base).solve()
    assert [found[name] for name in spec.joints] == pytest.approx(rest.positions, abs=1e-3)
    assert np.abs(rest.positions).max() > 0.05
    jaw = poses(robot.urdf, found)['jaw']
    weight = np.array([0.0, 0.0, -0.03 * GRAVITY])
    moment = np.cross(jaw[:3, :3] @ [0.0, 0.0, 0.04], weight) @ jaw[:3, 1]
    assert effort == pytest.approx(-moment, rel=0.01)
    assert abs(moment) > 0.005


@pytest.mark.long
@pytest.mark.parametrize('engine', EACH)
def test_branches_hang_where_their_energy_is_least(tmp_path, engine):
    """In whatever order they are listed; where their ends are is told by measured joints."""
    tree = '<link name="base"/>'
    robot = robot_in(tmp_path / 'tree', TREE + '\n'.join(TWIGS), tree, arm=ARM)
    other = robot_in(tmp_path / 'other', TREE + '\n'.join(TWIGS[::-1]), tree, arm=ARM)
    assert robot.urdf.mass == pytest.approx(4 * (0.05 + 4.5 * 1e-5))
    found, world = _rested(robot, engine, 5.0)
    measured = world.measure(5.0)
    for shape in finger_shapes(robot, world.joint_map.names):
        _, end = shape.backbone(measured)
        assert end == pytest.approx(world.soft.tip(shape.spec.name), abs=1e-6)
    world.close()
    expected = at_rest(robot, {})
    assert max(map(abs, expected.values())) > 0.1
    assert found == pytest.approx(expected, abs=1e-3)
    again, world = _rested(other, engine, 5.0)
    world.close()
    assert again == pytest.approx(found, abs=1e-5)


LEG = """
name: leg
actuators:
  - length: 0.12
    n_segments: 6
    arrangement: together
    link: {shape: capsule, dimensions: [0.02, 0.008], mass: 0.004}
    joints:
      - {axis: [1, 0, 0], stiffness: 1.0, damping: 0.02}
      - {axis: [0, 1, 0], stiffness: 1.0, damping: 0.02}
tips:
  - {shape: sphere, dimensions: [0.01], mass: 0.002, offset: [0, 0, -0.01, 0, 0, 0]}
"""
TABLE = """
description: A body on four soft legs
placeholders: {k: 4}
base: {link: body}
motors: {}
groups: {legs: {channels: ['pull_{k}']}}
channels: {'pull_{k}': {kind: tension, range: [0.0, 20.0], rate: 40.0, goal_tolerance: 0.3}}
poses: {home: {}}
start: home
soft:
  leg_{k}: {manipulator: leg.yaml, tendons: {'pull_{k}': {radius: 0.006}}}
"""
#: A leg points down and outwards by 0.4 rad from a corner of the body.
LEGS = block('body', 0.5) + ''.join(
    f"""
<link name="hip_{k}"/>
<joint name="hip_{k}_mount" type="fixed"><parent link="body"/><child link="hip_{k}"/>
  <origin rpy="0 0 ${{{k}*pi/2}}"/></joint>
<xacro:soft_manipulator name="leg_{k}" definition="leg.yaml" parent="hip_{k}">
  <origin xyz="0.06 0 0" rpy="0 ${{pi - 0.4}} 0"/></xacro:soft_manipulator>
"""
    for k in range(4)
)


def _tendon(links):
    """Length of the tendon along leg 0 through the middle of each link, on its x side [m]."""
    eyes = [links['leg_0_base'] @ [0.006, 0, 0, 1]]
    eyes += [links[f'leg_0_0_{j}'] @ [0.006, 0, 0.01, 1] for j in range(5)]
    eyes.append(links['leg_0_0_5'] @ [0.006, 0, 0.01, 1])
    return np.linalg.norm(np.diff(eyes, axis=0), axis=1).sum()


def _standing(robot, tension):
    """Height of the body [m] and joints by name where the energy is least: all legs bend alike."""
    names = [part.joint_name.removeprefix('leg_0') for part in robot.soft['leg_0'].moved]

    def stand(q):
        bent = {f'leg_{k}{name}': v for k in range(4) for name, v in zip(names, q, strict=True)}
        potential, links = energy(robot, bent)
        height = 0.01 - links['leg_0_tip_0'][2, 3]  # a ball of 10 mm touches the floor
        weight = robot.urdf.mass * GRAVITY
        return potential + weight * height + 4.0 * tension * _tendon(links), height, bent

    found = minimize(lambda q: stand(q)[0], np.zeros(len(names)), options={'gtol': 1e-6})
    return stand(found.x)[1:]


@pytest.fixture(scope='module')
def table(tmp_path_factory):
    """A body on soft legs; how it stands under two tensions of all tendons [N]."""
    robot = robot_in(tmp_path_factory.mktemp('table'), TABLE, LEGS, leg=LEG)
    return robot, {tension: _standing(robot, tension) for tension in (0.0, 8.0)}


@pytest.mark.parametrize('engine', OTHERS_LONG)
def test_a_body_stands_on_soft_legs(table, engine):
    """On a slick floor where the energy is least, higher when tendons pull the legs inwards.

    The floor bears its weight. MuJoCo's feet sink in by half a millimetre.
    """
    robot, standing = table
    assert robot.urdf.mass == pytest.approx(0.5 + 4 * (0.026 + 5.5 * 4e-6))
    world = World(robot, WorldSettings(engine=engine, friction=0.0))
    heights = []
    for tension, (height, bent) in standing.items():
        world.soft.take(np.full(4, tension))
        world.simulate(3.0)
        found = dict(zip(world.joint_map.names, world.position.tolist(), strict=True))
        assert found == pytest.approx(bent, abs=1e-4)
        heights.append(world.engine.link_pose(world.body, 0)[2, 3])
        assert heights[-1] == pytest.approx(height, abs=6e-4)
        forces = [contact.force for contact in world.engine.contacts(world.body)]
        assert len(forces) == 4
        weight = robot.urdf.mass * GRAVITY
        assert np.sum(forces, axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    world.close()
    assert heights[1] > heights[0] + 0.005
