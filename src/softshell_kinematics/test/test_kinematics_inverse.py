"""Inverse kinematics: claims about what comes back, checked by forward kinematics and by scipy."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from softshell_kinematics import (
    DhRow,
    IkOptions,
    IkStatus,
    Joint,
    JointKind,
    Limbs,
    SerialChain,
    chain_from_dh,
    geometric_jacobian,
    solve_ik,
)
from softshell_kinematics.errors import (
    OutOfRangeError,
    ProblemsError,
    SoftshellError,
    UnknownNameError,
)
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg
from softshell_kinematics.transforms import shift

FREE = np.nan
COLD = IkOptions(tolerance=1e-9, restarts=100)
#: What a search does from its one seed.
ONCE = IkOptions(tolerance=1e-9, restarts=0)


def position(*xyz):
    """A goal for the position alone."""
    return np.array([*xyz, FREE, FREE, FREE])


def planar(*lengths):
    """Links in the xy plane."""
    rows = [DhRow(0, 0, 0, length, f'q{i}') for i, length in enumerate(lengths)]
    return chain_from_dh('planar', rows)


@pytest.mark.parametrize(
    ('make', 'constrained'),
    [
        (lower_leg, 'x y z'),
        (upper_leg, 'x z'),
        (upper_leg, 'z pitch'),
        (puma, 'all'),
        (puma, 'x y z'),
        (arm7, 'all'),
    ],
)
def test_random_reachable_goals_are_solved_from_a_cold_start(make, constrained):
    """99.9 % of 10 000 goals that some q within limits meets are met within limits, to 1e-9."""
    chain = make()
    q = chain.random(10_000, np.random.default_rng(11))
    goals = goals_of(chain, q, constrained)
    result = solve_ik(chain, goals, options=COLD)
    assert result.converged.mean() >= 0.999
    assert np.all(result.q >= chain.lower - 1e-12)
    assert np.all(result.q <= chain.upper + 1e-12)
    # Reached by forward kinematics, apart from what the solver says of itself.
    solved = result.converged
    reached = chain.forward(result.q[solved])
    wanted = goals[solved]
    for axis in range(3):
        if not np.isnan(wanted[0, axis]):
            np.testing.assert_allclose(reached[:, axis, 3], wanted[:, axis], atol=1e-9)
    if constrained == 'all':
        target = Rotation.from_euler('ZYX', wanted[:, 3:])
        turn = target * Rotation.from_matrix(reached[:, :3, :3]).inv()
        assert turn.magnitude().max() < 2e-9


def test_a_locked_joint_keeps_its_seed_and_the_rest_still_solve():
    """With fold held, 10 000 goals of that fold are reached and fold is bit for bit its seed."""
    chain = lower_leg()
    q = chain.random(10_000, np.random.default_rng(5))
    seed = {'q1': q[:, 0]}
    result = solve_ik(chain, goals_of(chain, q, 'x y z'), seed, COLD, locked=['q1'])
    assert result.converged.mean() >= 0.999
    assert np.array_equal(result.q[:, 0], q[:, 0])


@pytest.mark.parametrize('constrained', ['x y z', 'x y', 'z', 'x z yaw', 'y pitch', 'roll yaw x'])
def test_free_coordinates_leave_the_others_exact(constrained):
    """Any subset: constrained coordinates are met to 1e-9, the error of the rest is NaN."""
    chain = puma()
    q = chain.random(300, np.random.default_rng(2))
    goals = goals_of(chain, q, constrained)
    result = solve_ik(chain, goals, options=IkOptions(tolerance=1e-9, restarts=50))
    assert result.converged.all()
    reached = goals_of(chain, result.q, constrained)
    if constrained == 'roll yaw x':  # a pitch beyond a quarter turn is shown with both turned by π
        turned = np.cos(reached[:, 3] - goals[:, 3]) < 0.0
        assert 0 < turned.sum() < len(turned)
        reached[np.ix_(turned, (3, 5))] += np.pi
    difference = np.angle(np.exp(1j * (reached - goals)))
    assert np.nanmax(np.abs(difference)) < 2e-9
    assert np.array_equal(np.isnan(result.error), np.isnan(goals))


def test_an_unreachable_goal_ends_at_the_optimum_that_scipy_finds():
    """Beyond reach, with and without limits in the way, the cost is scipy's to 1e-9."""
    chain = lower_leg()
    generator = np.random.default_rng(8)
    goals = np.full((15, 6), np.nan)
    goals[:, :3] = generator.uniform(-1.0, 1.0, (15, 3))
    result = solve_ik(chain, goals, options=IkOptions(restarts=100, max_iterations=200))
    assert not result.converged.any()
    assert set(result.status) <= {IkStatus.LIMIT_BOUND, IkStatus.UNREACHABLE}
    for goal, q, residual in zip(goals, result.q, result.residual, strict=True):

        def error(values, goal=goal):
            return chain.forward(values)[:3, 3] - goal[:3]

        starts = [q, *chain.random(3, generator)]
        optima = [
            least_squares(error, start, bounds=(chain.lower, chain.upper), xtol=1e-15,
                          ftol=1e-15, gtol=1e-15)
            for start in np.clip(starts, chain.lower + 1e-9, chain.upper - 1e-9)
        ]  # fmt: skip
        best = min(np.sqrt(2.0 * optimum.cost) for optimum in optima)
        assert residual <= best + 1e-9


def test_out_of_reach_is_a_straight_arm_that_points_at_the_goal():
    """Closed form: a 3-link arm of 0.6 m and a goal 2 m away leave 1.4 m, all error along x."""
    result = solve_ik(planar(0.3, 0.2, 0.1), position(2.0, 0.0, FREE), [0.4, 0.3, -0.8], ONCE)
    assert result.status == IkStatus.UNREACHABLE
    np.testing.assert_allclose(result.residual, 1.4, atol=1e-12)
    np.testing.assert_allclose(result.error[:2], (1.4, 0.0), atol=1e-7)


def test_a_limit_in_the_way_is_reported_and_not_passed():
    """The elbow may bend to 0.5 only: it ends exactly there, and the status says why."""
    rows = [DhRow(0, 0, 0, 1, 'shoulder'), DhRow(0, 0, 0, 1, 'elbow', lower=0.0, upper=0.5)]
    chain = chain_from_dh('stiff', rows)
    result = solve_ik(chain, position(0.5, 0.5, FREE), [0.0, 0.2], ONCE)
    assert result.status == IkStatus.LIMIT_BOUND
    assert result.q[1] == 0.5
    # Closest is the bent arm pointing at the goal: what is left is the difference of distances.
    reach = np.sqrt(2.0 + 2.0 * np.cos(0.5))
    np.testing.assert_allclose(result.residual, reach - np.sqrt(0.5), atol=1e-9)


def test_a_straight_arm_leaves_its_singular_pose():
    """From q = 0, where no first-order step leads inward, a goal straight inward is reached."""
    for lengths in ((0.3, 0.2), (0.3, 0.2, 0.1)):
        goal = position(0.25, 0.0, FREE)
        result = solve_ik(planar(*lengths), goal, np.zeros(len(lengths)), ONCE)
        assert result.status == IkStatus.CONVERGED


def test_singular_poses_do_not_blow_up():
    """Warm starts at and near singular poses: finite, within limits, no worse than the seed."""
    chain = puma()
    seeds = np.zeros((200, 6))
    seeds += np.random.default_rng(1).normal(0.0, 1e-7, seeds.shape)
    goals = goals_of(chain, seeds, 'all')
    goals[:, :3] += np.random.default_rng(2).normal(0.0, 1e-3, (200, 3))
    before = np.linalg.norm(goals[:, :3] - chain.forward(seeds)[:, :3, 3], axis=1)
    result = solve_ik(chain, goals, seeds, ONCE)
    assert np.isfinite(result.q).all()
    assert np.all(result.residual <= before + 1e-6)


def test_a_half_turn_is_turned():
    """Where the orientation error is π, or within 1e-9 of it, its axis is still found."""
    arm = SerialChain('wrist', tuple(Joint(f'q{i}', JointKind.REVOLUTE, axis=axis)
                                     for i, axis in enumerate(np.eye(3))))  # fmt: skip
    for angle in (np.pi, np.pi - 1e-9, np.pi + 1e-9):
        for goal in ((angle, 0, 0), (0, 0, angle), (angle, 0.3, 0)):
            result = solve_ik(arm, [FREE, FREE, FREE, *goal], np.zeros(3), ONCE)
            assert result.converged.all(), goal


def test_iterations_are_limited():
    """With one iteration allowed, a far goal stops there and says so."""
    goal = goals_of(puma(), np.full(6, 0.5), 'all')
    result = solve_ik(puma(), goal, np.zeros(6), IkOptions(max_iterations=1, restarts=0))
    assert (result.status, result.iterations) == (IkStatus.ITERATION_LIMIT, 1)


def test_weights_choose_between_position_and_rotation():
    """An arm with too few joints: the heavier error ends smaller."""
    chain = planar(0.3, 0.2)
    goal = [0.3, 0.2, FREE, 2.0, FREE, FREE]
    errors = []
    for weight in (0.01, 100.0):
        options = IkOptions(rotation_weight=weight, restarts=0)
        result = solve_ik(chain, goal, [0.3, 0.5], options)
        errors.append((np.linalg.norm(result.error[:2]), abs(result.error[3])))
    assert errors[0][0] < 1e-3 < errors[1][0]
    assert errors[1][1] < 1e-3 < errors[0][1]


def test_prismatic_joints_solve_as_well():
    """A gantry of slide and turntable reaches what its forward kinematics gives."""
    joints = (
        Joint('slide', JointKind.PRISMATIC, lower=-1.0, upper=1.0),
        Joint('turn', JointKind.REVOLUTE, shift(0.2)),
    )
    chain = SerialChain('gantry', joints, shift(0.3))
    q = chain.random(100, np.random.default_rng(0))
    assert solve_ik(chain, goals_of(chain, q, 'x y z'), [0.0, 0.1], ONCE).converged.all()


def test_the_same_question_has_the_same_answer():
    """Bit for bit, re-seeding and threads included."""
    chains = [lower_leg(k) for k in range(6)]
    q = np.stack([chain.random(100, np.random.default_rng(4)) for chain in chains])
    goals = np.stack([goals_of(c, v, 'x y z') for c, v in zip(chains, q, strict=True)])
    limbs = Limbs(chains)
    first, second = (limbs.solve(goals, options=COLD) for _ in range(2))
    alone = [solve_ik(c, g, options=COLD) for c, g in zip(chains, goals, strict=True)]
    for one, other, single in zip(first, second, alone, strict=True):
        assert one.q.tobytes() == other.q.tobytes() == single.q.tobytes()


def test_bad_input_is_named():
    """Wrong shapes, infinite and all-free goals, unknown joints and options out of range."""
    chain = upper_leg()
    with pytest.raises(SoftshellError, match=r'goals have shape \(1, 3\); expected \(6,\) or'):
        solve_ik(chain, np.zeros((1, 3)))
    with pytest.raises(SoftshellError, match=r"goal 1 of 'arm 0': z is inf"):
        solve_ik(chain, [position(0, 0, 0), position(0, 0, np.inf)])
    with pytest.raises(SoftshellError, match='all coordinates are free'):
        solve_ik(chain, np.full(6, np.nan))
    with pytest.raises(UnknownNameError, match="unknown variable 'q1'; known: q5_of_0"):
        solve_ik(chain, position(0, 0, 0), locked=['q1'])
    with pytest.raises(ProblemsError, match='tolerance is -1'):
        IkOptions(tolerance=-1)


@pytest.mark.parametrize(
    ('options', 'problem'),
    [
        ({'restarts': 1.5}, 'restarts is 1.5; expected a whole number'),
        ({'max_iterations': 2.5}, 'max_iterations is 2.5; expected a whole number'),
        ({'threads': True}, 'threads is True; expected a whole number'),
        ({'tolerance': 'small'}, "tolerance is 'small'; expected a number"),
        ({'tolerance': None}, 'tolerance is None; expected a number'),
        ({'restarts': None}, 'restarts is None; expected a whole number'),
        ({'warm_start': None}, 'warm_start is None; expected True or False'),
        ({'jump': np.nan}, 'jump is nan; expected 1e-09 to inf'),
        ({'warm_start': 1}, 'warm_start is 1; expected True or False'),
    ],
)
def test_an_option_of_the_wrong_kind_is_named(options, problem):
    """No number is cut to what fits, and no text compared with a number."""
    with pytest.raises(ProblemsError) as caught:
        IkOptions(**options)
    assert caught.value.problems == (problem,)
    assert IkOptions(restarts=np.int64(3), max_iterations=7.0).settings[3] == 7


@pytest.mark.parametrize('elbow', [-2.4, 2.357])
def test_a_joint_that_is_held_has_a_place_within_its_limits(elbow):
    """It is neither moved, for it is held, nor left where it cannot be."""
    chain = puma()
    goal = goals_of(chain, chain.middle(), 'x y z')
    text = rf"elbow of 'puma' is held, and its seed is {elbow}; expected -2.35619 to 2.35619 rad"
    with pytest.raises(OutOfRangeError, match=text):
        solve_ik(chain, goal, {'elbow': elbow}, locked=['elbow'])
    end = chain.upper[2]
    assert solve_ik(chain, goal, {'elbow': end}, locked=['elbow']).q[2] == end


def test_a_jacobian_in_a_frame_that_there_is_not_is_refused():
    """A chain has a base and a tip; 'world' is neither."""
    with pytest.raises(SoftshellError, match="frame is 'world'; expected 'base' or 'tip'"):
        geometric_jacobian(puma(), np.zeros(6), frame='world')
