"""A user's first script: a URDF by path or text, goals in every form, one answer of one goal."""

import numpy as np
import pytest

from softshell_kinematics import (
    IkOptions,
    IkStatus,
    Joint,
    JointKind,
    Limbs,
    NonFiniteError,
    OutOfRangeError,
    ParallelMechanism,
    SerialChain,
    SoftshellError,
    chain_from_urdf,
    chains_to_leaves,
    pose_from_coordinates,
    quaternion_from_rotation,
    read_urdf,
    shortfall_of,
    solve_ik,
)
from softshell_kinematics.examples import ARM7, arm7
from softshell_kinematics.solving.shortfall import goal_error
from softshell_kinematics.transforms import rotation_about, shift

NAN = float('nan')


def pose_at(arm):
    """A pose that the arm reaches."""
    return arm.forward(0.8 * arm.middle() + 0.1)


def test_a_robot_is_read_by_path_or_text(tmp_path):
    """Both are the same; what is neither is one error that says what is expected."""
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM7)
    for source in (ARM7, path, str(path), read_urdf(ARM7)):
        assert chain_from_urdf(source, 'base', 'hand').variables == arm7().variables
        assert list(chains_to_leaves(source)) == ['hand']
    with pytest.raises(SoftshellError, match=r"'no\.urdf' cannot be read: No such file .* XML"):
        chain_from_urdf('no.urdf', 'base', 'hand')
    with pytest.raises(SoftshellError, match='is a xacro; expected a URDF, as `xacro'):
        chain_from_urdf(tmp_path / 'arm.urdf.xacro', 'base', 'hand')
    path.write_bytes(b'\xff\x00\xfe')
    with pytest.raises(SoftshellError, match='it is not UTF-8 text'):
        chain_from_urdf(path, 'base', 'hand')
    path.write_bytes(b'\xff\xfe\x00')  # half a character after a byte order mark
    with pytest.raises(SoftshellError, match='it is not UTF-16 text'):
        chain_from_urdf(path, 'base', 'hand')
    path.write_text(ARM7.replace('"hand"', '"händ"'), encoding='latin-1')
    with pytest.raises(SoftshellError, match='it is not UTF-8 text'):
        read_urdf(path)


def test_one_goal_has_one_answer_in_every_form():
    """A pose, a position with a quaternion and six coordinates: the same, and of shape (n,)."""
    arm = arm7()
    pose = pose_at(arm)
    quaternion = quaternion_from_rotation(pose[:3, :3])
    for goal in (pose, pose.tolist(), (pose[:3, 3], quaternion), (list(pose[:3, 3]), -quaternion)):
        result = solve_ik(arm, goal)
        assert result.q.shape == (7,)
        assert result.converged
        assert result.all_converged
        assert IkStatus(result.status) is IkStatus.CONVERGED
        assert result.error.shape == (6,)
        np.testing.assert_allclose(arm.forward(result.q), pose, atol=3e-8)
    alone = solve_ik(arm, [*pose[:3, 3], *[np.nan] * 3])
    np.testing.assert_allclose(arm.forward(alone.q)[:3, 3], pose[:3, 3], atol=3e-8)


def test_many_goals_have_an_axis_of_points_in_every_form():
    """Also where there is one of them."""
    arm = arm7()
    poses = arm.forward(arm.random(5, np.random.default_rng(0)))
    quaternions = quaternion_from_rotation(poses[:, :3, :3])
    for goals in (poses, (poses[:, :3, 3], quaternions)):
        result = solve_ik(arm, goals)
        assert result.q.shape == (5, 7)
        np.testing.assert_allclose(arm.forward(result.q), poses, atol=3e-8)
    assert solve_ik(arm, poses[:1]).q.shape == (1, 7)


def test_what_one_goal_misses_is_told():
    """The shortfall of an answer without an axis of points."""
    arm = arm7()
    pose = pose_from_coordinates([3.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    text = str(shortfall_of(arm, pose, solve_ik(arm, pose)))
    assert text.startswith('hand misses point 1 of 1 by ')


@pytest.mark.parametrize(
    ('goal', 'error', 'text'),
    [
        (
            np.full((4, 4), np.nan),
            NonFiniteError,
            r'goal\[0, 0\] is nan; expected a finite number',
        ),
        (2.0 * np.eye(4), SoftshellError, 'goal is not rigid; expected a rotation'),
        (np.diag([1.0, 1.0, -1.0, 1.0]), SoftshellError, 'goal is not rigid'),
        (np.stack([np.eye(4), np.ones((4, 4))]), SoftshellError, 'goal 1 is not rigid'),
        (([0, 0, np.nan], [0, 0, 0, 1]), NonFiniteError, 'position of the goal'),
        (
            ([0, 0, 0], [0, 0, np.nan, 1]),
            NonFiniteError,
            r'quaternion of the goal\[2\] is nan; expected a finite number',
        ),
        (([[0, 0, 0]], [[0, 0, np.inf, 1]]), NonFiniteError, 'quaternion of the goal'),
        (([0, 0, 0], [0, 0, 0, 0]), SoftshellError, 'quaternion is .* not all 0'),
        (([0, 0, 0], [0, 0, 1]), SoftshellError, r'goals have shape \(2, 3\); expected \(6,\)'),
        ([1, 2, 3], SoftshellError, r'goals have shape \(3,\); expected \(6,\) or \(points, 6\)'),
        ([10**400] * 6, SoftshellError, 'goals are list; expected'),
        ('here', SoftshellError, 'goals are str; expected'),
        (None, SoftshellError, 'goals have shape|goals are NoneType'),
    ],
)
def test_a_goal_of_no_form_is_one_error(goal, error, text):
    """It names what was given, and all forms there are."""
    with pytest.raises(error, match=text):
        solve_ik(arm7(), goal)


@pytest.mark.parametrize('pitch', [2.0, -2.5, 3.0, 2.0 * np.pi - 2.0, -90.0])
@pytest.mark.parametrize('free', [(3,), (5,), (3, 5)], ids=['yaw', 'roll', 'both'])
def test_a_pitch_beyond_a_quarter_turn_is_met_where_another_angle_is_free(pitch, free):
    """What yaw leaves is R's last row, what roll leaves its first column; in every call."""
    arm = arm7()
    goal = np.array([NAN, NAN, NAN, 0.4, pitch, -0.3])
    goal[list(free)] = NAN
    given = goal.copy()
    wanted = pose_from_coordinates([0.0, 0.0, 0.0, *np.nan_to_num(goal[3:])])[:3, :3]
    limbs, mechanism = Limbs([arm]), ParallelMechanism([arm])
    for q in (
        solve_ik(arm, goal).q,
        solve_ik(arm, [goal, goal], arm.middle(), IkOptions(warm_start=True)).q[1],
        limbs.solve(goal[None, None])[0].q[0],
        mechanism.solve(goal[None, None]).q[0],
    ):
        pose = arm.forward(q)
        rotation = pose[:3, :3]
        if free == (3,):
            np.testing.assert_allclose(rotation[2], wanted[2], atol=1e-7)
        elif free == (5,):
            np.testing.assert_allclose(rotation[:, 0], wanted[:, 0], atol=1e-7)
        assert rotation[2, 0] == pytest.approx(wanted[2, 0], abs=1e-7)
        np.testing.assert_allclose(np.nan_to_num(goal_error(goal, pose)), 0.0, atol=1e-7)
    np.testing.assert_array_equal(goal, given)


def flap():
    """One joint about y, which never has a pitch within a quarter turn."""
    joint = Joint('flap', JointKind.REVOLUTE, axis=(0.0, 1.0, 0.0), lower=2.0, upper=3.0)
    return SerialChain('flap', (joint,), shift(0.2))


@pytest.mark.parametrize(
    ('make', 'yaw', 'roll'),
    [(flap, 0.0, 0.0), (flap, np.pi, -np.pi), (arm7, 0.4, -0.3), (arm7, 3.0, 2.5)],
)
def test_a_free_pitch_may_be_beyond_a_quarter_turn(make, yaw, roll):
    """Then yaw and roll of the rotation are those of the goal turned by π; in every call."""
    chain = make()
    goal = np.array([NAN, NAN, NAN, yaw, NAN, roll])
    limbs, mechanism = Limbs([chain]), ParallelMechanism([chain])
    for q in (
        solve_ik(chain, goal).q,
        solve_ik(chain, [goal, goal], chain.middle(), IkOptions(warm_start=True)).q[1],
        limbs.solve(goal[None, None])[0].q[0],
        mechanism.solve(goal[None, None]).q[0],
    ):
        pose = chain.forward(q)
        before, after = rotation_about((0, 0, 1), -yaw), rotation_about((1, 0, 0), -roll)
        about_y = before @ pose[:3, :3] @ after
        np.testing.assert_allclose(about_y[1], (0.0, 1.0, 0.0), atol=1e-7)
        np.testing.assert_allclose(np.nan_to_num(goal_error(goal, pose)), 0.0, atol=1e-7)
    result = solve_ik(chain, goal)
    assert result.converged
    assert shortfall_of(chain, goal, result) is None


def test_a_pitch_that_is_too_large_is_refused_whatever_is_free():
    """It is not brought within what is allowed first."""
    for pitch, kind in ((1e5, OutOfRangeError), (np.inf, NonFiniteError)):
        with pytest.raises(kind, match="goal 0 of 'hand': pitch is"):
            solve_ik(arm7(), np.array([NAN, NAN, NAN, NAN, pitch, NAN]))
    goal = np.array([NAN, NAN, NAN, 20000.0, 2.0, NAN])
    for goals in (goal, [goal]):
        with pytest.raises(OutOfRangeError, match="goal 0 of 'hand': yaw is 20000"):
            solve_ik(arm7(), goals)
