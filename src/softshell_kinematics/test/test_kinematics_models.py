"""Chains: the same robot by any description, held against matrices multiplied by hand."""

from math import pi

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from softshell_kinematics import (
    Coupling,
    DhRow,
    Joint,
    JointKind,
    Limbs,
    ParallelMechanism,
    Screw,
    SerialChain,
    chain_from_dh,
    chain_from_screws,
    chain_from_urdf,
)
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.examples import ARM7, GANTRY, arm7, lower_leg, puma, upper_leg
from softshell_kinematics.transforms import shift


def turned(axis, angle):
    """A turn about an axis through the origin (4, 4), by scipy."""
    result = np.eye(4)
    result[:3, :3] = Rotation.from_rotvec(
        angle * np.array(axis) / np.linalg.norm(axis)
    ).as_matrix()
    return result


def rot_y(angle):
    return turned((0, 1, 0), angle)


def rot_z(angle):
    return turned((0, 0, 1), angle)


@pytest.fixture(scope='module')
def robot():
    """The robot model of the description."""
    load = pytest.importorskip('softshell_description.load', reason='kinematics alone')
    return load.load_robot()


def lower_by_hand(k, q):
    """The report's product of elementary transforms of a lower leg."""
    factors = [
        shift(z=-0.038), rot_z(k * pi / 3), shift(0.066), rot_z(q[0]), shift(0.120), rot_z(q[1]),
        shift(0.038, 0.025, -0.02375), rot_y(pi / 6), rot_y(q[2]), shift(0.07), rot_y(pi / 3),
        rot_y(q[3]), shift(0.1169),
    ]  # fmt: skip
    return np.linalg.multi_dot(factors)


def upper_by_hand(k, q):
    """The report's product of elementary transforms of an upper leg."""
    factors = [
        shift(z=0.045), rot_z(k * pi / 3), shift(0.08, 0, 0.018), rot_y(-pi / 10), rot_y(q[0]),
        shift(0.085), rot_y(-pi / 2), rot_y(q[1]), shift(0.124),
    ]  # fmt: skip
    return np.linalg.multi_dot(factors)


def test_feet_and_tips_are_where_the_report_puts_them_at_zero():
    """At q = 0, the lower foot and the upper tip of leg 0."""
    foot = lower_leg().forward(np.zeros(4))[:3, 3]
    tip = upper_leg().forward(np.zeros(2))[:3, 3]
    np.testing.assert_allclose(foot, (0.2846, 0.025, -0.2137), atol=5e-5)
    np.testing.assert_allclose(tip, (0.1225, 0.0, 0.2072), atol=5e-5)


@pytest.mark.parametrize('k', range(6))
def test_dh_urdf_and_the_report_agree_on_legs(k, robot):
    """DH rows, URDF and the product of transforms give one position to 1e-12 at random q.

    The last DH frame is turned against the link's; positions are what they share.
    """
    for by_dh, by_hand, tip in (
        (lower_leg(k), lower_by_hand, f'foot_{k}'),
        (upper_leg(k), upper_by_hand, f'tip_{k}'),
    ):
        by_urdf = chain_from_urdf(robot.urdf, 'base_link', tip)
        (by_model,) = [c for c in robot.chains.values() if c.tip_link == tip]
        assert by_urdf.variables == by_model.joint_names
        assert len(by_urdf) == len(by_dh)
        np.testing.assert_allclose(by_urdf.lower, by_dh.lower, atol=1e-3)
        np.testing.assert_allclose(by_urdf.upper, by_dh.upper, atol=1e-3)
        q = by_dh.random(50, np.random.default_rng(k))
        expected = np.stack([by_hand(k, values) for values in q])
        np.testing.assert_allclose(by_urdf.forward(q), expected, atol=1e-12)
        np.testing.assert_allclose(by_dh.forward(q)[:, :3, 3], expected[:, :3, 3], atol=1e-12)


def screw_chain(chain):
    """The same chain by a product of exponentials, from its frames at zero."""
    home, screws, frame = np.eye(4), [], np.eye(4)
    for joint in chain.joints:
        frame = frame @ joint.origin
        axis, point = frame[:3, :3] @ joint.axis, frame[:3, 3]
        if joint.kind is JointKind.REVOLUTE:
            screws.append(Screw(joint.name, axis, np.cross(point, axis), joint.lower, joint.upper))
        else:
            screws.append(Screw(joint.name, np.zeros(3), axis, joint.lower, joint.upper))
    home = frame @ chain.tool
    return chain_from_screws(chain.name, screws, home), screws, home


@pytest.mark.parametrize('make', [lower_leg, upper_leg, puma])
def test_screws_agree_with_dh(make):
    """The product of exponentials, also by scipy's matrix exponential, agrees to 1e-12."""
    chain = make()
    by_screws, screws, home = screw_chain(chain)
    q = chain.random(20, np.random.default_rng(3))
    np.testing.assert_allclose(by_screws.forward(q), chain.forward(q), atol=1e-12)
    twists = np.zeros((len(screws), 4, 4))
    for twist, screw in zip(twists, screws, strict=True):
        w = screw.omega
        twist[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
        twist[:3, 3] = screw.v
    for values in q:
        exponentials = [expm(twist * value) for twist, value in zip(twists, values, strict=True)]
        expected = np.linalg.multi_dot([*exponentials, home])
        np.testing.assert_allclose(chain.forward(values), expected, atol=1e-12)


def gantry_pose(link, rail, lift, turn, bend):
    """Pose of a link of GANTRY in `floor`, by scipy's rotations."""

    def place(xyz, rpy):
        result = np.eye(4)
        result[:3, :3] = Rotation.from_euler('xyz', rpy).as_matrix()
        result[:3, 3] = xyz
        return result

    bridge = place((0.1, 0.2, 0.9), (0.3, -0.2, 0.5)) @ shift(0.6 * rail, 0, 0.8 * rail)
    if link == 'marker':
        counter = bridge @ place((0, -0.3, 0), (0, 0, 1)) @ shift(z=-lift)
        return counter @ place((0.01, 0.02, 0.03), (0.1, 0.2, 0.3))
    carriage = bridge @ place((0, 0.3, 0), (-1.1, 0.4, 0.2)) @ shift(y=-lift)
    table = carriage @ place((0.05, 0, -0.1), (0.2, 0.1, -0.4)) @ turned((1, 2, -2), turn)
    wrist = table @ place((0.2, 0.1, 0.05), (1.5, 0, 0.7)) @ turned((0, 0, -1), bend)
    return wrist @ place((0.15, 0, 0.02), (0, 0.9, 0)) @ turned((0, 1, 0), -0.5 * bend + 0.25)


def test_a_chain_leads_from_any_link_to_any_other():
    """From a tool up to the common ancestor and down another branch: T⁻¹ · T."""
    chain = chain_from_urdf(GANTRY, 'tool', 'marker')
    assert chain.variables == ('bend', 'turn', 'lift')
    for bend, turn, lift in chain.random(20, np.random.default_rng(0)):
        expected = np.linalg.inv(gantry_pose('tool', 0.1, lift, turn, bend)) @ gantry_pose(
            'marker', 0.1, lift, turn, bend
        )
        np.testing.assert_allclose(chain.forward([bend, turn, lift]), expected, atol=1e-12)


def test_a_coupled_joint_has_the_limits_of_both():
    """A mimicking joint narrows its leader's range: [-0.4, 0.2] mirrored meets [-0.2, 0.4]."""
    chain = chain_from_urdf(GANTRY, 'floor', 'marker')
    assert chain.variables == ('rail', 'lift')
    np.testing.assert_allclose(chain.lower, (-0.5, -0.2))
    np.testing.assert_allclose(chain.upper, (0.7, 0.4))
    tool = chain_from_urdf(GANTRY, 'floor', 'tool')
    assert tool.variables == ('rail', 'lift', 'turn', 'bend')
    assert np.isinf(tool.upper[2])


def test_joints_that_share_a_variable_move_together():
    """Two joints on one variable: the pose is that of both at their own positions."""
    links = [
        Joint('a', JointKind.REVOLUTE, coupling=Coupling('v', 2.0, 0.1)),
        Joint('b', JointKind.REVOLUTE, shift(1.0), coupling=Coupling('v', -1.0)),
    ]
    chain = SerialChain('fan', tuple(links), shift(0.5))
    expected = rot_z(2.0 * 0.3 + 0.1) @ shift(1.0) @ rot_z(-0.3) @ shift(0.5)
    np.testing.assert_allclose(chain.forward([0.3]), expected, atol=1e-14)


def test_a_kind_may_be_its_number():
    """As a file has it: a joint, a row and a coupling are those of the kind itself."""
    for kind in (1, np.int64(1)):
        chain = SerialChain('c', [Joint('f', 2, shift(0.1)), Joint('s', kind)])
        assert chain.variables == ('s',)
        np.testing.assert_array_equal(chain.forward([0.3])[:3, 3], (0.1, 0.0, 0.3))
        row = chain_from_dh('c', [DhRow(0, 0.1, 0, 0, 's', kind)])
        np.testing.assert_allclose(row.forward([0.3])[:3, 3], (0.0, 0.0, 0.4))
        coupling = Coupling('s', 2.0, kind=kind)
        assert coupling.kind is JointKind.PRISMATIC
        turn = SerialChain('c', [Joint('t', JointKind.REVOLUTE, coupling=coupling)])
        assert turn.ranges.units == ('m',)


def test_joints_and_chains_may_come_one_by_one():
    """From a generator, which can be gone through once."""
    leg = lower_leg()
    chain = SerialChain(leg.name, (joint for joint in leg.joints), leg.tool)
    q = leg.middle() + 0.1
    assert chain.joints == leg.joints
    np.testing.assert_array_equal(chain.forward(q), leg.forward(q))
    goal = np.full((1, 1, 6), 0.1)
    for make in (Limbs, ParallelMechanism):
        found = make(each for each in [leg])
        assert found.chains == (leg,)
        np.testing.assert_array_equal(found.solve(goal).q, make([leg]).solve(goal).q)
    with pytest.raises(SoftshellError, match='Limbs of no chain'):
        Limbs(iter(()))


def test_a_joint_is_equal_to_itself_alone():
    """Its arrays could not be compared."""
    joints = [Joint('j', JointKind.REVOLUTE), Joint('j', JointKind.REVOLUTE)]
    screws = [Screw('s', np.array([0, 0, 1]), np.zeros(3)) for _ in range(2)]
    for one, other in (joints, screws):
        assert one != other
        assert len({one, other}) == 2


def test_a_chain_cannot_be_changed():
    """Arrays of a chain are read-only."""
    for values in (puma().lower, puma().tool, puma().joints[0].origin):
        with pytest.raises(ValueError, match='read-only'):
            values.flat[0] = 1.0


def test_mistakes_are_named():
    """An unknown link, a helical screw, a wrong q and a chain that does not move say so."""
    with pytest.raises(UnknownNameError, match=r"unknown link 'nose'.*hand"):
        chain_from_urdf(ARM7, 'base', 'nose')
    with pytest.raises(SoftshellError, match='no joint moves'):
        chain_from_urdf(ARM7, 'l7', 'hand')
    with pytest.raises(SoftshellError, match=r'pitch 0\.1'):
        chain_from_screws('s', [Screw('bolt', (0, 0, 1), (0, 0, 0.1))], np.eye(4))
    with pytest.raises(SoftshellError, match=r'shape \(3,\); expected \(\.\.\., 7\)'):
        arm7().forward(np.zeros(3))
