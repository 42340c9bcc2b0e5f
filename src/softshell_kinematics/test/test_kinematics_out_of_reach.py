"""Goals out of reach: the least-squares optimum, against scipy from many starts, in any unit."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from softshell_kinematics import IkOptions, IkStatus, Joint, JointKind, SerialChain, solve_ik
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma
from softshell_kinematics.transforms import pose_from_coordinates, shift

#: By how much a residual may be above the best that scipy finds [m] and [rad].
WORSE = 1e-4
STARTS = 8


def best_of_scipy(chain, goal, generator):
    """The lowest norm of the error that scipy's trust region finds from several starts."""
    whole = np.isfinite(goal[3:]).all()
    wanted = pose_from_coordinates(goal)[:3, :3] if whole else np.eye(3)

    def error(q):
        pose = chain.forward(q)
        turn = Rotation.from_matrix(wanted @ pose[:3, :3].T).as_rotvec()
        return np.concatenate([goal[:3] - pose[:3, 3], turn if whole else []])

    def jacobian(q):
        pose, rows = chain.forward_and_jacobian(q)
        if not whole:
            return -rows[:3]
        turn = Rotation.from_matrix(wanted @ pose[:3, :3].T).as_rotvec()
        angle = np.linalg.norm(turn)
        x, y, z = turn
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        share = 1 / angle**2 - (1 + np.cos(angle)) / (2 * angle * np.sin(angle))
        return -np.vstack([rows[:3], (np.eye(3) + 0.5 * cross + share * cross @ cross) @ rows[3:]])

    bounds = (chain.lower, chain.upper)
    return min(
        np.sqrt(2.0 * least_squares(error, start, jac=jacobian, bounds=bounds, xtol=1e-12).cost)
        for start in chain.random(STARTS, generator)
    )


def far_goals(chain, reaches, whole, count):
    """Goals in all directions, so many reaches away."""
    generator = np.random.default_rng(3)
    ways = generator.normal(size=(count, 3))
    goals = np.full((count, 6), np.nan)
    goals[:, :3] = reaches * chain.reach * ways / np.linalg.norm(ways, axis=1)[:, None]
    if whole:
        goals[:, 3:] = Rotation.random(count, random_state=4).as_euler('ZYX')
    return goals


@pytest.mark.parametrize(
    ('make', 'whole', 'reaches'),
    [
        pytest.param(lower_leg, False, 1.1, marks=pytest.mark.long),
        pytest.param(lower_leg, False, 30.0, marks=pytest.mark.long),
        pytest.param(puma, False, 1.1, marks=pytest.mark.long),
        pytest.param(puma, False, 30.0, marks=pytest.mark.long),
        (puma, True, 1.1),
        pytest.param(arm7, True, 1.1, marks=pytest.mark.long),
        pytest.param(puma, True, 30.0, marks=pytest.mark.long),
        pytest.param(arm7, True, 30.0, marks=pytest.mark.long),
    ],
)
def test_out_of_reach_no_starts_of_scipy_find_better(make, whole, reaches):
    """Near and far: nothing is worse than the best of eight starts of scipy by 0.1 mm."""
    chain, generator = make(), np.random.default_rng(5)
    goals = far_goals(chain, reaches, whole, 15 if whole else 25)
    result = solve_ik(chain, goals)
    best = np.array([best_of_scipy(chain, goal, generator) for goal in goals])
    assert (result.residual - best).max() < WORSE
    assert not result.converged.any()


@pytest.mark.parametrize('make', [lower_leg, puma])
@pytest.mark.parametrize('reaches', [3.0, 1000.0])
def test_out_of_reach_the_search_ends_at_an_optimum(make, reaches):
    """Not for want of iterations."""
    chain = make()
    result = solve_ik(chain, far_goals(chain, reaches, False, 300))
    ended = np.isin(result.status, (IkStatus.LIMIT_BOUND, IkStatus.UNREACHABLE))
    assert ended.mean() > 0.98


def in_other_units(chain, factor):
    """The same chain with all its lengths multiplied."""

    def scaled(pose):
        result = np.array(pose)
        result[:3, 3] *= factor
        return result

    joints = []
    for joint in chain.joints:
        assert joint.coupling is None
        unit = factor if joint.kind is JointKind.PRISMATIC else 1.0
        joints.append(
            Joint(
                joint.name,
                joint.kind,
                scaled(joint.origin),
                joint.axis,
                unit * joint.lower,
                unit * joint.upper,
                unit * joint.velocity,
            )
        )
    return SerialChain(chain.name, tuple(joints), scaled(chain.tool))


@pytest.mark.parametrize(
    ('make', 'constrained'),
    [
        (lower_leg, 'x y z'),
        *(pytest.param(make, 'all', marks=pytest.mark.long) for make in (puma, arm7)),
    ],
)
def test_a_robot_in_millimetres_has_the_same_answers(make, constrained):
    """From random seeds: as many converge, in as many iterations, to the same angles."""
    chain = make()
    large = in_other_units(chain, 1000.0)
    generator = np.random.default_rng(6)
    seeds = chain.random(2000, generator)
    goals = goals_of(chain, chain.random(2000, generator), constrained)
    goals[:1000] *= (1.5, 1.5, 1.5, 1.0, 1.0, 1.0)
    enlarged = goals * (1e3, 1e3, 1e3, 1.0, 1.0, 1.0)
    one = solve_ik(chain, goals, seeds)
    # Weights are per unit of length: so is what they make of position and angles together.
    other = solve_ik(large, enlarged, seeds, IkOptions(position_weight=1e-3))
    alike = np.abs(one.q - other.q).max(axis=1) < 1e-4
    assert alike[one.converged].mean() > 0.995
    assert abs(one.converged.mean() - other.converged.mean()) < 0.002
    np.testing.assert_allclose(one.residual, other.residual, atol=2e-4)
    plain = solve_ik(large, enlarged[1000:], seeds[1000:])
    assert plain.converged.mean() > 0.999
    assert plain.iterations.mean() < 1.2 * one.iterations[1000:].mean()


def crane():
    """An arm of three joints on a rail of two metres."""
    y, z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    joints = (
        Joint('rail', JointKind.PRISMATIC, axis=np.array([1.0, 0.0, 0.0]), lower=0.0, upper=2.0),
        Joint('turn', JointKind.REVOLUTE, shift(z=0.2), z, -1.5, 1.5),
        Joint('lift', JointKind.REVOLUTE, shift(z=0.1), y, -1.5, 1.0),
        Joint('bend', JointKind.REVOLUTE, shift(0.4), y, 0.3, 2.0),
    )
    return SerialChain('crane', joints, shift(0.3))


def test_a_rail_in_millimetres_comes_as_near_to_its_posture():
    """Its steps are not cut to 0.5 mm, of which it would need more than are taken."""
    chain, generator = crane(), np.random.default_rng(7)
    large, per_unit = in_other_units(chain, 1000.0), (1000.0, 1.0, 1.0, 1.0)
    q = chain.random(50, generator)
    goals = goals_of(chain, q, 'x y z')
    one = solve_ik(chain, goals, q, posture={'rail': 1.0})
    plain = IkOptions(position_weight=1e-3)
    other = solve_ik(large, 1e3 * goals, q * per_unit, plain, posture={'rail': 1000.0})
    assert one.all_converged
    assert other.all_converged
    assert np.abs(one.q - q)[:, 0].max() > 0.3
    left = 1e3 * np.abs(one.q[:, 0] - 1.0)
    assert (np.abs(other.q[:, 0] - 1e3) < left + 1.0).all()


def test_a_rail_in_millimetres_does_not_jump_from_point_to_point():
    """3 cm are no jump in either unit; half of the rail is one in both."""
    chain = crane()
    large, per_unit = in_other_units(chain, 1000.0), (1000.0, 1.0, 1.0, 1.0)
    t = np.linspace(0.0, 1.0, 50)[:, None]
    q = np.array([0.2, -0.5, -0.8, 0.8]) + t * np.array([1.5, 0.8, 0.4, 0.3])
    goals = goals_of(chain, q, 'x y z')
    for jump in (0.5, 0.01):
        options = IkOptions(warm_start=True, restarts=0, jump=jump)
        small = IkOptions(warm_start=True, restarts=0, jump=jump, position_weight=1e-3)
        one = solve_ik(chain, goals, q[0], options)
        other = solve_ik(large, 1e3 * goals, q[0] * per_unit, small)
        np.testing.assert_array_equal(one.jumps, other.jumps)
        np.testing.assert_allclose(other.q, one.q * per_unit, rtol=1e-3, atol=1e-3)
        assert one.all_converged
        assert not one.jumps.any()
