"""Arms with solutions in closed form: found, exact, and the nearest of all there are."""

import numpy as np
import pytest

from softshell_kinematics import (
    IkOptions,
    Limbs,
    Screw,
    chain_from_screws,
    solve_ik,
)
from softshell_kinematics.closed_forms import find_form
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg, ur5
from softshell_kinematics.kernels.closed_form import NO_FORM, PARALLEL, WRIST

HALF = np.pi / 2


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
    """A closed form is for who knows nothing: near a solution, that one is the answer."""
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
