"""Six legs on one motor, redundant arms, the floating base and its stability."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_kinematics import (
    IkOptions,
    IkStatus,
    Limbs,
    ParallelMechanism,
    base_reach,
    solve_ik,
    static_margin,
    support_polygon,
)
from softshell_kinematics.errors import OutOfRangeError, SoftshellError
from softshell_kinematics.examples import arm7, goals_of, lower_leg
from softshell_kinematics.legged.floating_base import base_path, feet_in_base, position_goals
from softshell_kinematics.transforms import inverse, pose_from_coordinates, rotation_about, shift

LEGS = [lower_leg(k) for k in range(6)]
#: What a search does from its one seed.
ONCE = IkOptions(tolerance=1e-9, restarts=0)
WARM = IkOptions(tolerance=1e-9, restarts=0, warm_start=True)


def stances(mechanism, count, seed=0):
    """Configurations of the mechanism well within its limits."""
    generator = np.random.default_rng(seed)
    middle, half = mechanism.middle(), 0.5 * (mechanism.upper - mechanism.lower)
    return middle + generator.uniform(-0.7, 0.7, (count, len(mechanism))) * half


def test_the_fold_motor_is_one_variable_of_six_legs():
    """Six legs of four variables have 19 together: fold once, three of each leg's own."""
    mechanism = ParallelMechanism(LEGS)
    assert len(mechanism) == 19
    assert mechanism.variables[0] == 'q1'


def test_six_feet_are_reached_with_one_fold():
    """98 % of 300 sets of feet that some q meets are met from 0.1 rad off, to 1e-9."""
    mechanism = ParallelMechanism(LEGS)
    q = stances(mechanism, 300)
    goals = position_goals(mechanism.forward(q)[:, :, :3, 3])
    seed = q + np.random.default_rng(1).uniform(-0.1, 0.1, q.shape)
    result = mechanism.solve(goals, np.clip(seed, mechanism.lower, mechanism.upper), ONCE)
    assert result.converged.mean() >= 0.98
    reached = mechanism.forward(result.q[result.converged])[:, :, :3, 3]
    np.testing.assert_allclose(reached, goals[result.converged, :, :3], atol=1e-9)
    assert np.all(result.q >= mechanism.lower)
    assert np.all(result.q <= mechanism.upper)


def test_solving_legs_apart_would_need_six_folds():
    """Apart, each leg picks a fold of its own; together they agree on one and still arrive."""
    mechanism = ParallelMechanism(LEGS)
    (q,) = stances(mechanism, 1, 3)
    goals = position_goals(mechanism.forward(q)[:, :3, 3])
    apart = Limbs(LEGS).solve(goals[:, None, :], options=ONCE)
    folds = [limb.q[0, 0] for limb in apart]
    assert np.ptp(folds) > 0.01
    together = mechanism.solve(goals[None], np.clip(q + 0.1, mechanism.lower, mechanism.upper))
    assert together.all_converged


def test_with_the_fold_locked_the_mechanism_is_its_legs():
    """Nothing shared moves: the same joints as of six separate solutions."""
    mechanism = ParallelMechanism(LEGS)
    q = stances(mechanism, 50, 4)
    goals = position_goals(mechanism.forward(q)[:, :, :3, 3])
    near = np.clip(q + 0.01, mechanism.lower, mechanism.upper)
    near[:, 0] = q[:, 0]
    together = mechanism.solve(goals, near, ONCE, ['q1'])
    seeds = np.stack([mechanism.limb(near, k) for k in range(6)])
    apart = Limbs(LEGS).solve(np.swapaxes(goals, 0, 1), seeds, ONCE, ['q1'])
    for k, limb in enumerate(apart):
        good = together.converged & limb.converged
        assert good.sum() >= 45
        np.testing.assert_allclose(mechanism.limb(together.q, k)[good], limb.q[good], atol=1e-6)


def test_out_of_reach_together_is_the_least_squares_of_all():
    """No lower cost of unreachable feet is found by scipy, from the same start or the answer."""
    least_squares = pytest.importorskip('scipy.optimize').least_squares
    mechanism = ParallelMechanism(LEGS)
    q = stances(mechanism, 5, 6)
    feet = mechanism.forward(q)[:, :, :3, 3] + np.random.default_rng(2).normal(0, 0.1, (5, 6, 3))
    options = IkOptions(max_iterations=500)
    result = mechanism.solve(position_goals(feet), q, options)
    for start, wanted, found, residual in zip(q, feet, result.q, result.residual, strict=True):

        def error(values, wanted=wanted):
            return (mechanism.forward(values)[:, :3, 3] - wanted).ravel()

        for begin in (found, start):
            inner = np.clip(begin, mechanism.lower + 1e-9, mechanism.upper - 1e-9)
            best = least_squares(error, inner, bounds=(mechanism.lower, mechanism.upper))
            assert residual <= np.sqrt(2.0 * best.cost) + 1e-7


def test_a_posture_moves_the_elbow_and_not_the_hand():
    """Seven joints, full pose: nearer to the posture, the hand where it was to 1e-9."""
    chain = arm7()
    q = 0.6 * chain.random(50, np.random.default_rng(3)) + 0.4 * chain.middle()
    goals = goals_of(chain, q, 'all')
    posture = chain.middle()
    plain = solve_ik(chain, goals, q, ONCE)
    posed = solve_ik(chain, goals, q, ONCE, posture=posture)
    assert posed.all_converged
    np.testing.assert_allclose(chain.forward(posed.q), chain.forward(q), atol=3e-9)
    before = np.linalg.norm(plain.q - posture, axis=1)
    after = np.linalg.norm(posed.q - posture, axis=1)
    assert np.all(after <= before + 1e-9)
    assert after.mean() < 0.9 * before.mean()
    # Optimal: what still pulls towards the posture would move the hand, or a limit holds it.
    for values in posed.q:
        if np.all((values > chain.lower) & (values < chain.upper)):
            jacobian = chain.forward_and_jacobian(values)[1]
            free = np.linalg.svd(jacobian)[2][6]
            assert abs(free @ (posture - values)) < 2e-3


STANCE = [np.array([-1.0, 0.0, 0.1, -0.2])] * 6


def test_feet_stay_while_the_base_moves():
    """Base along x, z, yaw and roll: foot positions in the ground frame do not change by 1e-9."""
    start = pose_from_coordinates([0.1, -0.2, 0.22, 0.3, 0.0, 0.0])
    feet = np.array([(start @ leg.forward(q))[:3, 3] for leg, q in zip(LEGS, STANCE, strict=True)])
    path = np.full((30, 6), np.nan)
    path[:, 0] = np.linspace(0.1, 0.13, 30)
    path[:, 2] = np.linspace(0.22, 0.2, 30)
    path[:, 3] = np.linspace(0.3, 0.4, 30)
    path[:, 5] = np.linspace(0.0, 0.05, 30)
    T_ground_base = base_path(path, start)
    np.testing.assert_allclose(T_ground_base[:, 1, 3], -0.2)
    goals = position_goals(feet_in_base(T_ground_base, feet))
    limbs = Limbs(LEGS)
    result = limbs.solve(goals, limbs.seeds(STANCE), WARM, ['q1'])
    assert result.all_converged
    for leg, limb, foot in zip(LEGS, result, feet, strict=True):
        reached = (T_ground_base @ leg.forward(limb.q))[:, :3, 3]
        np.testing.assert_allclose(reached, np.broadcast_to(foot, (30, 3)), atol=2e-9)


def test_feet_in_base_is_the_inverse_pose_times_the_foot():
    """Exactly T_base⁻¹ · foot, point by point."""
    pose = pose_from_coordinates(np.random.default_rng(0).normal(size=(4, 6)))
    feet = np.random.default_rng(1).normal(size=(3, 3))
    expected = np.stack([[(inverse(p) @ [*f, 1.0])[:3] for p in pose] for f in feet])
    np.testing.assert_allclose(feet_in_base(pose, feet), expected, atol=1e-14)


@pytest.mark.parametrize('direction', [(1, 0, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 1, 0)])
def test_the_base_reaches_as_far_as_it_says_and_no_farther(direction):
    """Just before the reach all legs hold their feet, just behind one cannot."""
    limbs = Limbs(LEGS)
    start = shift(z=0.22)
    reach = base_reach(limbs, STANCE, start, direction, 1.0, ['q1'])
    assert 0.005 < reach.distance < 1.0
    assert reach.limb is not None
    feet = np.array([(start @ leg.forward(q))[:3, 3] for leg, q in zip(LEGS, STANCE, strict=True)])
    for distance, holds in ((reach.distance, True), (reach.distance + 0.002, False)):
        path = np.linspace(0.0, distance, 50)[:, None] * np.array(direction, dtype=float)
        path[:, 2] += 0.22
        goals = position_goals(feet_in_base(base_path(path, start), feet))
        options = IkOptions(tolerance=1e-7, warm_start=True)
        result = limbs.solve(goals, limbs.seeds(STANCE), options, ['q1'])
        assert result.all_converged == holds


def test_the_margin_of_a_regular_hexagon_is_its_apothem():
    """Closed form: radius r, margin r cos 30° at the centre, falling by what the mass moves."""
    feet = rotation_about((0, 0, 1), np.arange(6) * np.pi / 3) @ [0.2, 0.0, 0.0]
    apothem = 0.2 * np.cos(np.pi / 6)
    np.testing.assert_allclose(static_margin((0, 0), feet), apothem)
    np.testing.assert_allclose(static_margin((0, 0.05, 0.1), feet), apothem - 0.05)
    np.testing.assert_allclose(static_margin((0, apothem + 0.03), feet), -0.03)
    # A tripod: the inscribed circle of the triangle.
    np.testing.assert_allclose(static_margin((0, 0), feet[::2]), 0.1)


def test_a_foot_inside_the_others_is_no_corner():
    """The hull has the outer feet alone, counter-clockwise; two feet span nothing."""
    feet = [(0, 0), (1, 0), (1, 1), (0, 1), (0.4, 0.5), (0.5, 0)]
    corners = support_polygon(feet)
    assert {tuple(corner) for corner in corners} == {(0, 0), (1, 0), (1, 1), (0, 1)}
    x, y = corners.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == 1.0
    assert static_margin((0.5, 0.1), [(0, 0), (1, 0)]) == pytest.approx(-0.1)
    with pytest.raises(SoftshellError, match='no foot is in stance'):
        static_margin((0, 0), np.empty((0, 2)))


def test_the_status_of_a_mechanism_names_the_limit():
    """A fold goal beyond its limit: LIMIT_BOUND with fold exactly on it."""
    mechanism = ParallelMechanism(LEGS)
    beyond = [leg.forward([0.4, 0.0, 0.0, 0.0])[:3, 3] for leg in LEGS]
    locked = [name for name in mechanism.variables if name != 'q1']
    result = mechanism.solve(position_goals(beyond)[None], mechanism.middle(), locked=locked)
    assert result.status[0] == IkStatus.LIMIT_BOUND
    assert result.q[0, 0] == 0.0


def test_six_feet_near_the_seed_are_always_reached():
    """From 0.1 rad off, all of 2000 reachable sets of feet, with the restarts of the default."""
    mechanism = ParallelMechanism(LEGS)
    generator = np.random.default_rng(8)
    q = generator.uniform(mechanism.lower, mechanism.upper, (2000, len(mechanism)))
    goals = position_goals(mechanism.forward(q)[:, :, :3, 3])
    seeds = q + generator.uniform(-0.1, 0.1, q.shape)
    result = mechanism.solve(goals, np.clip(seeds, mechanism.lower, mechanism.upper))
    assert result.all_converged
    assert (np.abs(result.q - seeds).max(axis=1) > 0.5).mean() < 0.01


@pytest.mark.parametrize('warm_start', [False, True])
def test_slices_of_a_mechanism_are_the_whole_bit_for_bit(warm_start):
    """Wherever the points are cut, a path goes on as if it had not been."""
    mechanism = ParallelMechanism(LEGS)
    q = stances(mechanism, 40, 9)
    goals = position_goals(mechanism.forward(q)[:, :, :3, 3])
    options = IkOptions(warm_start=warm_start, time_step=0.5)
    whole = mechanism.solve(goals, q[:1], options)
    search = mechanism.begin(goals, q[:1], options)
    while not search.done:
        search.go_on(7)
    for name in ('q', 'status', 'residual', 'error', 'iterations'):
        np.testing.assert_array_equal(getattr(whole, name), getattr(search.result(), name))


def test_a_shared_joint_held_outside_its_limits_is_refused():
    """It can neither stay there nor move."""
    mechanism = ParallelMechanism(LEGS)
    goals = np.zeros((1, 6, 6))
    with pytest.raises(
        OutOfRangeError, match=r'q1 is held, and its seed is 0\.3; expected -2 to 0'
    ):
        mechanism.solve(goals, {'q1': 0.3}, locked=['q1'])


def test_the_base_of_legs_with_different_bases_is_refused():
    """One pose of the base would place only some of them."""
    legs = [LEGS[0], replace(LEGS[1], base='other')]
    text = "chain 'leg 1' begins at 'other', chain 'leg 0' at 'base'; expected chains from one"
    with pytest.raises(SoftshellError, match=text):
        base_reach(Limbs(legs), STANCE[:2], shift(z=0.22), [0, 0, 1, 0, 0, 0], 1.0)


def test_variables_of_another_shape_are_refused():
    """Too many would be cut, a single number would not be a list; and there are two limbs."""
    mechanism = ParallelMechanism(LEGS[:2])
    for shape in ((len(mechanism) + 1,), (), (3, 1)):
        with pytest.raises(SoftshellError, match=rf'shape .*; expected \(..., {len(mechanism)}\)'):
            mechanism.forward(np.zeros(shape))
    with pytest.raises(SoftshellError, match='limb is 2; expected the number of a chain, 0 to 1'):
        mechanism.limb(np.zeros(len(mechanism)), 2)
