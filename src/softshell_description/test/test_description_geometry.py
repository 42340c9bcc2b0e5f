"""The robot's chains against its report."""

import dataclasses

import numpy as np
import pytest

LEGS = range(6)
LOWER = [
    (0, -0.038, 'azimuth', 0.066),
    (0, 0, 'q1', 0.120),
    (-np.pi / 2, -0.02375, 'q2', 0.038),
    (0, 0.025, 0.0, 0),
    (0, 0, 'q3', 0.07),
    (0, 0, 'q4', 0.1169),
]
UPPER = [
    (0, 0.045, 'azimuth', 0),
    (-np.pi / 2, 0.018, 0.0, 0.080),
    (0, 0, 'q5', 0.085),
    (0, 0, 'q6', 0.124),
]
OFFSETS = {'q3': np.pi / 6, 'q4': np.pi / 3, 'q5': -np.pi / 10, 'q6': -np.pi / 2}


def turned(k, point):
    c, s = np.cos(k * np.pi / 3), np.sin(k * np.pi / 3)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]])


def denavit_hartenberg(rows, angles):
    pose = np.eye(4)
    for alpha, d, theta, r in rows:
        t = angles[theta] + OFFSETS.get(theta, 0.0) if isinstance(theta, str) else theta
        ct, st, ca, sa = np.cos(t), np.sin(t), np.cos(alpha), np.sin(alpha)
        pose = pose @ np.array(
            [
                [ct, -st * ca, st * sa, r * ct],
                [st, ct * ca, -ct * sa, r * st],
                [0, sa, ca, d],
                [0, 0, 0, 1],
            ]
        )
    return pose


@pytest.mark.parametrize('k', LEGS)
def test_foot_and_tip_at_zero_are_where_the_report_has_them(k, robot, link_poses):
    """At q = 0 every foot and tip is at the point of docs/shell.md, turned by k·60°."""
    poses = link_poses(robot.poses['zero'])
    foot = turned(k, (0.2846, 0.025, -0.2137))
    tip = turned(k, (0.1225, 0.0, 0.2072))
    assert np.allclose(poses[f'foot_{k}'][:3, 3], foot, atol=6e-5)
    assert np.allclose(poses[f'tip_{k}'][:3, 3], tip, atol=6e-5)


@pytest.mark.parametrize('k', LEGS)
def test_shin_points_straight_down_at_zero(k, robot, link_poses):
    """At q = 0 the shin's x axis is -z."""
    shin = link_poses(robot.poses['zero'])[f'lower_{k}_shin']
    assert np.allclose(shin[:3, 0], (0, 0, -1), atol=1e-12)


def test_urdf_and_denavit_hartenberg_rows_agree(robot, link_poses):
    """On 50 random configurations all feet and tips agree to 1e-12, and their x axes too."""
    random = np.random.default_rng(7)
    for _ in range(50):
        vector = random.uniform(robot.lower_limits, robot.upper_limits)
        q = dict(zip(robot.joint_names, vector, strict=True))
        poses = link_poses(q)
        for k in LEGS:
            leg = {'azimuth': k * np.pi / 3, 'q1': q['fold']}
            leg |= {'q2': q[f'lower_{k}_yaw'], 'q3': q[f'lower_{k}_pitch']}
            leg |= {'q4': q[f'lower_{k}_knee'], 'q5': q[f'upper_{k}_shoulder']}
            leg |= {'q6': q[f'upper_{k}_elbow']}
            for rows, link in ((LOWER, f'foot_{k}'), (UPPER, f'tip_{k}')):
                expected = denavit_hartenberg(rows, leg)
                # The last DH frame has x along the limb as the URDF has; y and z differ by the
                # quarter turn that makes z the joint's axis.
                assert np.allclose(poses[link][:3, 3], expected[:3, 3], rtol=0, atol=1e-12)
                assert np.allclose(poses[link][:3, 0], expected[:3, 0], rtol=0, atol=1e-12)
                assert np.allclose(poses[link][:3, 1], expected[:3, 2], rtol=0, atol=1e-12)


def test_limits_efforts_and_speeds_are_the_report_s(robot):
    """Each independent joint has the range, effort and speed of the table in docs/shell.md."""
    quarter = np.pi / 2
    for joint in robot.joints:
        name = joint.name
        lower, upper = (-2.0, 0.0) if name == 'fold' else (-quarter, quarter)
        strong = name.endswith(('pitch', 'knee'))
        assert (joint.lower, joint.upper) == pytest.approx((lower, upper), abs=1e-12), name
        assert joint.effort == (1.765 if strong else 1.471), name
        assert joint.motor == ('ax18a' if strong else 'ax12a'), name
        assert joint.velocity == 6.178, name


def test_one_fold_joint_drives_six(robot, link_poses):
    """Folding turns all six carriers by the same angle, each about its own axis, as the gear."""
    still = link_poses(robot.poses['zero'])
    folded = link_poses({**robot.poses['zero'], 'fold': -0.7})
    links = ['central_gear', *(f'lower_{k}_carrier' for k in LEGS)]
    for link in links:
        turn = still[link][:3, :3].T @ folded[link][:3, :3]
        assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(-0.7, abs=1e-12)
        assert np.allclose(still[link][:3, 3], folded[link][:3, 3], atol=1e-15)
    assert [dataclasses.astuple(mimic) for mimic in robot.mimics] == [
        (f'lower_{k}_fold', 'fold', 1.0, 0.0) for k in LEGS
    ]
    for name, source, *_ in map(dataclasses.astuple, robot.mimics):
        follower, leader = robot.urdf.joint(name), robot.urdf.joint(source)
        assert (follower.lower, follower.upper) == (leader.lower, leader.upper)
