"""Jacobians against finite differences, and against Pinocchio."""

import numpy as np
import pytest

from softshell_kinematics import (
    analytic_jacobian,
    chain_from_urdf,
    geometric_jacobian,
)
from softshell_kinematics.examples import ARM7, GANTRY, arm7, lower_leg, puma, upper_leg
from softshell_kinematics.transforms import coordinates_from_pose, log_so3

CHAINS = [lower_leg, upper_leg, puma, arm7, lambda: chain_from_urdf(GANTRY, 'tool', 'marker')]
STEP = 1e-6


@pytest.mark.parametrize('make', CHAINS)
def test_the_geometric_jacobian_is_the_derivative_of_the_pose(make):
    """Central differences of position and of log(R⁺ R⁻ᵀ), in the base's and the tip's axes."""
    chain = make()
    q = chain.random(20, np.random.default_rng(1))
    pose = chain.forward(q)
    for i in range(len(chain)):
        shift = STEP * np.eye(len(chain))[i]
        ahead, behind = chain.forward(q + shift), chain.forward(q - shift)
        linear = (ahead - behind)[:, :3, 3] / (2.0 * STEP)
        turn = ahead[:, :3, :3] @ np.swapaxes(behind[:, :3, :3], 1, 2)
        angular = log_so3(turn) / (2.0 * STEP)
        expected = np.concatenate([linear, angular], axis=1)
        np.testing.assert_allclose(geometric_jacobian(chain, q)[:, :, i], expected, atol=1e-8)
        body = np.einsum('pji,pkj->pki', pose[:, :3, :3], expected.reshape(-1, 2, 3))
        np.testing.assert_allclose(
            geometric_jacobian(chain, q, 'tip')[:, :, i], body.reshape(-1, 6), atol=1e-8
        )


@pytest.mark.parametrize('make', CHAINS)
def test_the_analytic_jacobian_is_the_derivative_of_the_coordinates(make):
    """Central differences of x, y, z, yaw, pitch, roll, wrapped, away from pitch ±π/2."""
    chain = make()
    q = chain.random(60, np.random.default_rng(2))
    q = q[np.abs(coordinates_from_pose(chain.forward(q))[:, 4]) < 1.3]
    assert len(q) > 10
    jacobian = analytic_jacobian(chain, q)
    for i in range(len(chain)):
        shift = STEP * np.eye(len(chain))[i]
        change = coordinates_from_pose(chain.forward(q + shift)) - coordinates_from_pose(
            chain.forward(q - shift)
        )
        change[:, 3:] = np.angle(np.exp(1j * change[:, 3:]))
        np.testing.assert_allclose(jacobian[:, :, i], change / (2.0 * STEP), atol=1e-7)


def pinocchio_values(pinocchio, text, tip, positions):
    """Pose and Jacobians (LOCAL_WORLD_ALIGNED and LOCAL) of a link, by joint, from Pinocchio."""
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    q = pinocchio.neutral(model)
    columns = {}
    for name, value in positions.items():
        joint = model.joints[model.getJointId(name)]
        columns[name] = joint.idx_v
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        else:
            q[joint.idx_q] = value
    frame = model.getFrameId(tip)
    pinocchio.framesForwardKinematics(model, data, q)
    jacobians = [
        pinocchio.computeFrameJacobian(model, data, q, frame, reference).copy()
        for reference in (pinocchio.LOCAL_WORLD_ALIGNED, pinocchio.LOCAL)
    ]
    return data.oMf[frame].homogeneous.copy(), jacobians, columns


@pytest.mark.parametrize(
    ('source', 'base', 'tip'),
    [
        ('softshell', 'base_link', 'foot_2'),
        ('softshell', 'base_link', 'tip_5'),
        (ARM7, 'base', 'hand'),
        (GANTRY, 'floor', 'tool'),
        (GANTRY, 'floor', 'marker'),
    ],
    ids=['lower leg', 'upper leg', 'arm of seven', 'gantry', 'gantry, mimicked slide'],
)
def test_pinocchio_agrees(source, base, tip):
    """Poses and Jacobians agree to 1e-12; columns of mimicking joints add to their leader's."""
    pinocchio = pytest.importorskip('pinocchio', reason='needs pin, see requirements/test.txt')
    text = source
    if source == 'softshell':
        load = pytest.importorskip('softshell_description.load', reason='kinematics alone')
        text = load.load_robot().urdf_text
    chain = chain_from_urdf(text, base, tip)
    for q in chain.random(10, np.random.default_rng(7)):
        variables = dict(zip(chain.variables, q, strict=True))
        moving = [joint for joint in chain.joints if joint.variable is not None]
        positions = {j.name: j.multiplier * variables[j.variable] + j.offset for j in moving}
        pose, references, columns = pinocchio_values(pinocchio, text, tip, positions)
        np.testing.assert_allclose(chain.forward(q), pose, atol=1e-12)
        for reference, frame in zip(references, ('base', 'tip'), strict=True):
            expected = np.zeros((6, len(chain)))
            for joint in moving:
                column = reference[:, columns[joint.name]]
                expected[:, chain.index(joint.variable)] += joint.multiplier * column
            np.testing.assert_allclose(geometric_jacobian(chain, q, frame), expected, atol=1e-12)
