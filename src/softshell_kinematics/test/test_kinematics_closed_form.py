"""Arms with solutions in closed form: found, exact, and the nearest of all there are."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_kinematics import (
    DhRow,
    IkOptions,
    Limbs,
    Screw,
    chain_from_dh,
    chain_from_screws,
    solve_ik,
)
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg, ur5
from softshell_kinematics.kernels.closed_form import NO_FORM, PARALLEL, WRIST
from softshell_kinematics.kernels.roots import trigonometric_roots
from softshell_kinematics.kernels.work import ROOTS, VECTORS
from softshell_kinematics.model.closed_forms import find_form

HALF = np.pi / 2


def kr6():
    """KUKA's KR 6, by DH rows: an offset at the shoulder, and at the elbow."""
    rows = [
        (-HALF, 0.4, 0.025, 170, 170), (0.0, 0.0, 0.455, 190, 45), (HALF, 0.0, 0.035, 120, 156),
        (-HALF, -0.42, 0.0, 185, 185), (HALF, 0.0, 0.0, 120, 120), (np.pi, -0.08, 0.0, 350, 350),
    ]  # fmt: skip
    degree = np.pi / 180.0
    return chain_from_dh(
        'kr6',
        [
            DhRow(alpha, d, 0.0, r, f'joint{i}', lower=-low * degree, upper=high * degree)
            for i, (alpha, d, r, low, high) in enumerate(rows)
        ],
    )


def found_roots(f):
    """What the kernel finds."""
    work = np.zeros((VECTORS, 13))
    count = call_roots(f, work)
    return work[ROOTS, :count].tolist()


@numba.njit
def call_roots(f, work):
    return trigonometric_roots(f, work)


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


def made(name, axes, points, generator, backwards=False):
    """An arm of screws with a tip anywhere; taken from its other end if wanted."""
    tip = np.eye(4)
    tip[:3, 3] = points[-1] + generator.uniform(-0.2, 0.2, 3)
    if backwards:
        # Seen from the tip, which becomes the base, in the opposite order.
        axes, points = axes[::-1], [point - tip[:3, 3] for point in points[::-1]]
        tip[:3, 3] *= -1.0
    limits = generator.uniform(2.0, 3.1, len(axes))
    screws = [
        Screw(f'joint{i}', axis, np.cross(point, axis), lower=-limit, upper=limit)
        for i, (axis, point, limit) in enumerate(zip(axes, points, limits, strict=True))
    ]
    return chain_from_screws(name, screws, tip)


def wrist(seed, backwards=False, meeting=False):
    """Any three axes, and three more that meet in a point; the first two meet too if wanted."""
    generator = np.random.default_rng(seed)
    axes = [unit(generator.normal(size=3)) for _ in range(6)]
    points = np.cumsum(generator.uniform(-0.3, 0.3, (4, 3)), axis=0)
    first = points[1] if meeting else points[0]
    centre = points[3]
    along = generator.uniform(-0.2, 0.2, 3)
    places = [
        first, points[1], points[2],
        *(centre + s * axis for s, axis in zip(along, axes[3:], strict=True)),
    ]  # fmt: skip
    return made(f'wrist {seed}', axes, places, generator, backwards)


def parallels(seed, backwards=False):
    """Three parallel axes, one of them the other way round, and two that meet after them."""
    generator = np.random.default_rng(seed)
    h = unit(generator.normal(size=3))
    axes = [unit(generator.normal(size=3)), h, -h, h]
    axes += [unit(generator.normal(size=3)) for _ in range(2)]
    points = list(np.cumsum(generator.uniform(-0.3, 0.3, (5, 3)), axis=0))
    points.append(points[-1] + 0.1 * axes[-1])
    return made(f'parallels {seed}', axes, points, generator, backwards)


ARMS = [
    (puma, WRIST), (ur5, PARALLEL), (arm7, WRIST),
    *((lambda s=s, b=b: wrist(s, b), WRIST) for s in range(4) for b in (False, True)),
    *((lambda s=s: wrist(s, meeting=True), WRIST) for s in range(4, 6)),
    *((lambda s=s, b=b: parallels(s, b), PARALLEL) for s in range(3) for b in (False, True)),
]  # fmt: skip


@pytest.mark.parametrize(('make', 'family'), ARMS)
def test_every_pose_that_is_reached_is_solved_without_a_seed(make, family):
    """By forward kinematics, within limits, and hardly ever by more than the closed form."""
    chain = make()
    assert find_form(chain._numbers, chain._codes).family == family
    goals = goals_of(chain, chain.random(500, np.random.default_rng(1)), 'all')
    result = solve_ik(chain, goals)
    assert result.all_converged
    assert np.all((result.q >= chain.lower) & (result.q <= chain.upper))
    assert np.abs(goals_of(chain, result.q, 'all')[:, :3] - goals[:, :3]).max() < 1e-8
    assert np.median(result.iterations) <= 1


@pytest.mark.parametrize('make', [puma, ur5, lambda: wrist(0), lambda: parallels(0, True)])
def test_the_solution_is_the_nearest_of_all_to_the_middle(make):
    """No search from 200 other places finds one that is nearer."""
    chain = make()
    generator = np.random.default_rng(2)
    for goal in goals_of(chain, chain.random(20, generator), 'all'):
        nearest = np.linalg.norm(solve_ik(chain, goal).q - chain.middle())
        seeds = chain.random(200, generator)
        others = solve_ik(chain, np.tile(goal, (200, 1)), seeds, IkOptions(restarts=0))
        distances = np.linalg.norm(others.q - chain.middle(), axis=1)[others.converged]
        assert len(distances)
        assert nearest <= distances.min() + 1e-5


@pytest.mark.parametrize('make', [puma, ur5, arm7])
def test_singular_poses_are_solved(make):
    """Stretched, folded, axes in line: all combinations of zero and right angles."""
    chain = make()
    q = np.random.default_rng(3).choice([-HALF, 0.0, HALF], (300, len(chain)))
    q = np.clip(q, chain.lower, chain.upper)
    result = solve_ik(chain, goals_of(chain, q, 'all'))
    assert result.all_converged


def test_a_seed_that_is_known_keeps_its_branch():
    """The closed form is for goals without a seed: from near a solution, that one is found."""
    chain, generator = ur5(), np.random.default_rng(4)
    q = chain.random(500, generator)
    seeds = np.clip(q + generator.uniform(-0.02, 0.02, q.shape), chain.lower, chain.upper)
    result = solve_ik(chain, goals_of(chain, q, 'all'), seeds)
    assert result.all_converged
    assert np.mean(np.abs(result.q - q).max(axis=1) < 0.3) > 0.99


def test_what_is_locked_stays_and_out_of_reach_is_the_optimum():
    """Where a closed form does not hold, everything is as for other chains."""
    chain = puma()
    q = chain.random(50, np.random.default_rng(5))
    goals = goals_of(chain, q, 'all')
    held = solve_ik(chain, goals, q, locked=['elbow'])
    assert np.array_equal(held.q[:, 2], q[:, 2])
    far = goals.copy()
    far[:, :3] *= 10.0
    with_form = solve_ik(chain, far)
    assert not with_form.converged.any()
    from_there = solve_ik(chain, far, with_form.q)
    assert np.all(with_form.residual <= from_there.residual * (1.0 + 1e-6))


@pytest.mark.parametrize('make', [lower_leg, upper_leg])
def test_other_chains_have_none(make):
    """Legs of two and four joints."""
    chain = make()
    assert find_form(chain._numbers, chain._codes).family == NO_FORM


def test_limbs_with_and_without_a_closed_form_are_solved_together():
    """Each by its own numbers, in whatever order."""
    chains = [lower_leg(), puma(), ur5(), arm7(), lower_leg(1)]
    generator = np.random.default_rng(6)
    goals = np.stack(
        [
            goals_of(chain, chain.random(20, generator), 'all' if len(chain) > 4 else 'x y z')
            for chain in chains
        ]
    )
    together = Limbs(chains).solve(goals)
    for chain, wanted, found in zip(chains, goals, together, strict=True):
        alone = solve_ik(chain, wanted)
        assert np.array_equal(alone.q, found.q)
        assert found.all_converged


@pytest.mark.parametrize('make', [puma, ur5, arm7, kr6, lambda: wrist(1), lambda: parallels(2)])
def test_joints_at_their_limits_are_solutions(make):
    """What rounding puts a little beyond a limit stands there."""
    chain, generator = make(), np.random.default_rng(7)
    q = chain.random(400, generator)
    ends = np.where(generator.random(q.shape) < 0.5, chain.lower, chain.upper)
    q = np.where(generator.random(q.shape) < 0.6, ends, q)
    result = solve_ik(chain, goals_of(chain, q, 'all'))
    assert result.all_converged
    assert np.all((result.q >= chain.lower) & (result.q <= chain.upper))


def test_solutions_that_are_close_together_are_all_found():
    """Two pairs of third angles 0.0047 rad apart, which a search by samples steps over."""
    chain = kr6()
    goal = goals_of(chain, np.array([[-0.943, -1.707, 0.316, 0.445, 0.272, 2.632]]), 'all')[0]
    result = solve_ik(chain, goal)
    assert result.converged
    assert result.iterations <= 1


@given(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6))
@settings(max_examples=300)
def test_roots_of_a_trigonometric_polynomial(coefficients):
    """Numpy's roots of the same polynomial of fourth degree that are on the unit circle."""
    f = tuple(coefficients)
    if max(abs(f[3] - f[5]), abs(f[4])) < 1e-3:
        return
    q, p, k = complex(f[3] - f[5], -f[4]) / 2, complex(f[1], -f[2]), f[0] + (f[3] + f[5]) / 2
    z = np.roots([q, p, 2 * k, p.conjugate(), q.conjugate()])
    off = np.abs(np.abs(z) - 1.0)
    if np.any((off > 1e-9) & (off < 1e-2)):
        return
    expected, found = z[off < 1e-3], np.exp(1j * np.array(found_roots(f)))
    assert len(found) == len(expected)
    if len(found):
        apart = np.abs(found[:, None] - expected)
        assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-5


def test_without_restarts_a_closed_form_is_used_all_the_same():
    """Where nothing is known: it is no further seed."""
    chain = puma()
    goals = goals_of(chain, chain.random(300, np.random.default_rng(8)), 'all')
    assert solve_ik(chain, goals, options=IkOptions(restarts=0)).all_converged


def test_out_of_reach_the_own_branch_stays():
    """Of equal optima the one that the seed leads to, whatever rounding makes of the goal."""
    chain, generator = puma(), np.random.default_rng(9)
    goals = goals_of(chain, chain.random(60, generator), 'all')
    goals[:, :3] *= 2.0
    goals = goals[~solve_ik(chain, goals).converged]
    assert len(goals) > 40
    first = solve_ik(chain, goals)
    again = solve_ik(chain, goals * (1.0 + 1e-15))
    assert np.abs(again.q - first.q).max() < 1e-3
    seeds = np.clip(
        first.q + generator.uniform(-0.01, 0.01, first.q.shape), chain.lower, chain.upper
    )
    assert np.abs(solve_ik(chain, goals, seeds).q - first.q).max() < 0.1
