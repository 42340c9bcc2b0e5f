"""What the joints of a walking robot exert, against Pinocchio and statics."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.trajectories.load import GRAVITY, BasePath, derivative, shared
from softshell_actions.trajectories.masses import bodies_of, load_of
from softshell_description.load import load_robot
from softshell_description.robots import share_directory

JAWED = """
extends: shell_fingers
description: Shell with a jaw on a finger
urdf: jawed.urdf.xacro
groups: {jaws: {gains: {kp: 1, kd: 0.1}, goal_tolerance: 0.1, joints: {bite: ax12a}}}
poses:
  zero: {joints: {bite: 0}}
  ball: {joints: {bite: 0}}
  idle: {joints: {bite: 0}}
  stand: {joints: {bite: 0}}
"""
JAW = """
<robot name="softshell" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="{shared}" />
  <link name="jaw"><inertial><mass value="0.4"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="bite" type="revolute"><parent link="{parent}"/><child link="jaw"/>
    <origin xyz="{place}"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1.471" velocity="6.178"/></joint>
</robot>
"""
POINTS, PERIOD = 1001, 1e-3
TIMES = np.arange(POINTS) * PERIOD


def waving(robot, generator):
    """Joint paths and rates that stay within the limits, and a base that moves and turns."""
    joints, rates, accelerations = {}, {}, {}
    for joint in robot.joints:
        middle, reach = (joint.lower + joint.upper) / 2, (joint.upper - joint.lower) / 4
        rate, phase = generator.uniform(2.0, 5.0), generator.uniform(0.0, 6.0)
        joints[joint.name] = middle + reach * np.sin(rate * TIMES + phase)
        rates[joint.name] = reach * rate * np.cos(rate * TIMES + phase)
        accelerations[joint.name] = -reach * rate**2 * np.sin(rate * TIMES + phase)
    turns = Rotation.from_rotvec(np.outer(np.sin(3.0 * TIMES), [0.3, -0.2, 0.5]))
    origins = np.outer(np.cos(4.0 * TIMES), [0.05, -0.1, 0.02]) + [1.0, 2.0, 0.2]
    return joints, rates, accelerations, BasePath(origins, turns.as_matrix())


def geared(robot, multiplier, offset):
    """A robot whose joints that mimic others do so with these numbers."""
    numbers = {'multiplier': multiplier, 'offset': offset}
    urdf_joints = (
        replace(joint, mimic=joint.mimic and replace(joint.mimic, **numbers))
        for joint in robot.urdf.joints
    )
    mimics = tuple(replace(mimic, **numbers) for mimic in robot.mimics)
    return replace(robot, mimics=mimics, urdf=replace(robot.urdf, joints=tuple(urdf_joints)))


@pytest.mark.parametrize(
    ('name', 'multiplier', 'offset'),
    [('shell', 1.0, 0.0), ('shell', -0.5, 0.2), ('quadruped', 1.0, 0.0)],
)
def test_joints_exert_what_pinocchio_finds(name, multiplier, offset):
    """Its recursive Newton-Euler algorithm, with the feet in the air and the base moving."""
    pinocchio = pytest.importorskip('pinocchio')
    robot = geared(load_robot(name), multiplier, offset)
    joints, rates, accelerations, base = waving(robot, np.random.default_rng(4))
    standing = np.zeros((POINTS, len(robot.legs.chains)))
    torques = load_of(robot).burden(PERIOD, joints, base, np.ones(POINTS))
    torques = torques.carried(standing, np.ones(POINTS))

    model = pinocchio.buildModelFromXML(robot.urdf_text, pinocchio.JointModelFreeFlyer())
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    data = model.createData()
    sources = {mimic.name: mimic.source for mimic in robot.mimics}
    root = robot.urdf.bodies[robot.base.link][1]
    assert root == pytest.approx(np.eye(4)), 'the base link is the root of both'
    turns = base.rotations
    rate, bend = (derivative(turns, PERIOD, order) for order in (1, 2))
    speed, gain = (derivative(base.origins, PERIOD, order) for order in (1, 2))
    for at in range(100, POINTS - 100, 80):
        turn = turns[at]
        q, v, a = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        q[:3], q[3:7] = base.origins[at], Rotation.from_matrix(turn).as_quat()
        skew = turn.T @ rate[at]
        spin = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        turning = (turn.T @ bend[at]) - skew @ skew
        v[:3], v[3:6] = turn.T @ speed[at], spin
        a[:3] = turn.T @ gain[at] - np.cross(spin, v[:3])
        a[3:6] = [turning[2, 1], turning[0, 2], turning[1, 0]]
        places = {}
        for joint in model.names[2:]:
            source = sources.get(joint, joint)
            share, begin = (1.0, 0.0) if source == joint else (multiplier, offset)
            found = model.joints[model.getJointId(joint)]
            assert found.nq == 1
            q[found.idx_q] = share * joints[source][at] + begin
            v[found.idx_v], a[found.idx_v] = (
                share * rates[source][at],
                share * accelerations[source][at],
            )
            places[joint] = found.idx_v
        wanted = pinocchio.rnea(model, data, q, v, a)
        for joint, place in places.items():
            assert torques[joint][at] == pytest.approx(wanted[place], abs=2e-5), joint


def test_the_weight_is_all_there():
    """The masses of the bodies sum up to that of the URDF."""
    robot = load_robot('shell')
    assert sum(body.mass for body in bodies_of(robot)) == pytest.approx(robot.urdf.mass)


def test_what_a_motor_moves_beyond_a_soft_finger_is_held_as_it_hangs(tmp_path):
    """A jaw of 0.4 kg on a fingertip: the legs' torques are those of one fixed to the belly."""
    shared = share_directory() / 'urdf' / 'shell' / 'shell_fingers.urdf.xacro'
    chain = load_robot('shell_fingers').soft['finger_0'].chain
    turned, origins, _ = chain.frames(chain.neutral)
    end = chain.joints[-1].begin + [0.0, 0.0, chain.joints[-1].length]
    hanging = turned[-1] @ (end + [0.02, 0.0, 0.0]) + origins[-1]
    torques = {}
    for kind, parent, place in (
        ('jaw', 'finger_0_tip_0', '0.02 0 0'),
        ('block', 'finger_0_mount', ' '.join(map(str, hanging))),
    ):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / 'robot.yaml').write_text(JAWED)
        (folder / 'jawed.urdf.xacro').write_text(
            JAW.format(shared=shared, parent=parent, place=place)
        )
        robot = load_robot(folder)
        assert sum(body.mass for body in bodies_of(robot)) == pytest.approx(robot.urdf.mass)
        stand = dict(zip(robot.joint_names, robot.pose('stand'), strict=True))
        joints = {name: np.full(POINTS, angle) for name, angle in stand.items()}
        base = BasePath(np.zeros((POINTS, 3)), np.broadcast_to(np.eye(3), (POINTS, 3, 3)))
        burden = load_of(robot).burden(PERIOD, joints, base, np.ones(POINTS))
        torques[kind] = burden.carried(np.ones((POINTS, 6)), np.ones(POINTS))
    assert abs(torques['jaw']['lower_0_knee'][0]) > 0.05
    for name, found in torques['jaw'].items():
        assert found[0] == pytest.approx(torques['block'][name][0], abs=1e-9)


def test_feet_share_what_moves_the_robot():
    """Forces sum up to the wrench; three feet carry what statics says; a foot in the air, none."""
    generator = np.random.default_rng(2)
    feet = generator.uniform(-0.3, 0.3, (50, 6, 3))
    wrench = generator.uniform(-1.0, 1.0, (50, 6))
    wrench[:, 2] += 40.0
    wrench[:, 3:] = np.cross(feet.mean(axis=1), wrench[:, :3])
    forces = shared(wrench, feet, np.ones((50, 6)))
    pressing = (forces[..., 2] > 0.0).all(axis=1)
    assert pressing.sum() > 10
    assert forces.sum(axis=1)[pressing] == pytest.approx(wrench[pressing, :3], abs=1e-6)
    moments = np.cross(feet, forces).sum(axis=1)
    assert moments[pressing] == pytest.approx(wrench[pressing, 3:], abs=1e-6)

    level = np.array([[0.3, 0.0, 0.0], [-0.1, 0.25, 0.0], [-0.2, -0.2, 0.0], [0.0, 0.3, 0.0]])
    weight = np.array([[0.0, 0.0, 30.0, 0.3, 0.6, 0.0]])  # at x -0.02, y 0.01
    standing = np.array([[1.0, 1.0, 1.0, 0.0]])
    found = shared(weight, level[None], standing)[0]
    rows = np.vstack([np.ones(3), level[:3, 1], -level[:3, 0]])
    assert found[:3, 2] == pytest.approx(np.linalg.solve(rows, [30.0, 0.3, 0.6]))
    assert found[3] == pytest.approx(0.0)
    assert found[:, :2] == pytest.approx(0.0, abs=1e-6)


def test_derivatives_are_those_of_the_spline():
    """Exact for cubics."""
    times = np.arange(12) * 0.1
    assert derivative(times**3, 0.1) == pytest.approx(3.0 * times**2, abs=1e-10)
    assert derivative(times**3, 0.1, 2) == pytest.approx(6.0 * times, abs=1e-9)


def test_derivatives_of_the_longest_motion_take_little_memory():
    """That of 120 s has 6001 points; a matrix for them would have 288 MB."""
    values = np.zeros((6001, 18))
    tracemalloc.start()
    derivative(values, 0.02)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * values.nbytes


def test_a_robot_without_legs_or_weight_has_no_load():
    """Neither an arm nor a robot whose links have no mass."""
    assert load_of(load_robot('arm')) is None
    shell = load_robot('shell')
    links = tuple(replace(link, mass=0.0) for link in shell.urdf.links)
    assert load_of(replace(shell, urdf=replace(shell.urdf, links=links))) is None
