"""Poses, reach and inertia of the tree of links, against closed forms and against PyBullet."""

import numpy as np
import pytest

from softshell_control.joint_map import JointMap
from softshell_description.expand import resolve_meshes
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.tree import bounds, joint_inertia, link_poses, mass_matrix


def positions_of(robot, pose):
    """Position of each movable joint by name in a named pose."""
    joint_map = JointMap.of(robot)
    positions = np.zeros(len(joint_map.names))
    joint_map.positions(robot.pose(pose), positions)
    return dict(zip(joint_map.names, positions.tolist(), strict=True))


@pytest.fixture
def bullet():
    """PyBullet, and a client of it."""
    from softshell_sim.pybullet.quietly import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    yield pybullet, client
    pybullet.disconnect(client)


@pytest.mark.needs('pybullet')
@pytest.mark.parametrize('pose', ['zero', 'stand', 'ball'])
def test_poses_and_inertia_are_those_of_pybullet(robot, pose, bullet, tmp_path):
    """Where links are, and the inertia that each joint feels, agree with PyBullet's."""
    pybullet, client = bullet
    text = resolve_meshes(flatten(robot.urdf_text).text, robot.urdf_folder)
    (tmp_path / 'robot.urdf').write_text(text)
    body = pybullet.loadURDF(
        str(tmp_path / 'robot.urdf'),
        flags=pybullet.URDF_USE_INERTIA_FROM_FILE,
        physicsClientId=client,
    )
    positions = positions_of(robot, pose)
    poses = link_poses(robot.urdf, positions)
    info = pybullet.getDynamicsInfo(body, -1, physicsClientId=client)
    pybullet.resetBasePositionAndOrientation(body, info[3], info[4], physicsClientId=client)
    count = pybullet.getNumJoints(body, physicsClientId=client)
    names = []
    for index in range(count):
        info = pybullet.getJointInfo(body, index, physicsClientId=client)
        names.append(info[1].decode())
        pybullet.resetJointState(body, index, positions[names[-1]], physicsClientId=client)
    for index in range(count):
        state = pybullet.getLinkState(
            body, index, computeForwardKinematics=1, physicsClientId=client
        )
        link = pybullet.getJointInfo(body, index, physicsClientId=client)[12].decode()
        assert poses[link][:3, 3] == pytest.approx(state[4], abs=1e-6)
    matrix = np.array(
        pybullet.calculateMassMatrix(
            body, [positions[name] for name in names], physicsClientId=client
        )
    )
    expected = 1.0 / np.diag(np.linalg.inv(matrix))[-count:]
    found = joint_inertia(robot.urdf, positions, fixed=False)
    assert [found[name] for name in names] == pytest.approx(expected, rel=1e-6)


def test_inertia_of_a_swing_and_a_slide(arm):
    """Fixed at its root: swing and slide have their mass matrix in closed form, level or not."""
    matrix = mass_matrix(arm.urdf, {'swing': -0.7, 'reach': 0.05})
    swing = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * (0.2 + 0.05 + 0.05) ** 2
    assert matrix[6:, 6:] == pytest.approx(np.array([[swing, 0.0], [0.0, 0.2]]))
    found = joint_inertia(arm.urdf, {'swing': -0.7, 'reach': 0.05}, fixed=True)
    assert found == pytest.approx({'swing': swing, 'reach': 0.2})


def test_mass_matrix_of_a_single_body(cube):
    """Free, without joints: m and I on the diagonal."""
    assert mass_matrix(cube.urdf, {}) == pytest.approx(np.diag([1.5] * 3 + [0.01] * 3))


def test_bounds_contain_the_ball_round_each_shape(arm, cube):
    """That round the corners of a box and the ends of a capsule, where the joints have it."""
    low, high = bounds(cube.urdf, cube.urdf_text, {})
    assert high == pytest.approx(np.full(3, 0.1 * np.sqrt(3)))
    assert low == pytest.approx(-high)
    low, high = bounds(arm.urdf, arm.urdf_text, {'swing': 0.0, 'reach': 0.1})
    assert high[1] == pytest.approx(0.2 + 0.1 + 0.03)
    assert low[2] == pytest.approx(0.0)
    text = (
        '<robot name="pill"><link name="pill"><visual><origin xyz="1 2 3"/><geometry>'
        '<capsule radius="0.1" length="0.6"/></geometry></visual></link></robot>'
    )
    low, high = bounds(parse_urdf(text), text, {})
    assert high == pytest.approx([1.4, 2.4, 3.4])
    assert low == pytest.approx([0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    'head', [' \n<?xml version="1.0"?><robot', '<robot xmlns="http://drake.mit.edu"']
)
def test_a_text_that_can_be_read_has_bounds_and_can_be_flattened(cube, head):
    """Also with blanks before its declaration, or in a default namespace."""
    text = cube.urdf_text.strip().replace('<robot', head, 1)
    flat = flatten(text)
    assert flat.frames['lid'][0] == 'cube'
    bare = bounds(cube.urdf, cube.urdf_text, {})
    assert np.array_equal(bounds(parse_urdf(text), text, {}), bare)
