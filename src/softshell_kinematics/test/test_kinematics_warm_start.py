"""A seed near the solution: restarts must cost neither the branch nor an answer."""

import numpy as np
import pytest

from softshell_kinematics import IkOptions, Joint, JointKind, SerialChain, solve_ik
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg
from softshell_kinematics.transforms import shift

OFF = 0.1  # rad


def snake():
    """Twenty-four joints, by turns about x and y."""
    axes = (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    joints = [
        Joint(f'j{i}', JointKind.REVOLUTE, shift(z=0.1), axes[i % 2], -1.5, 1.5) for i in range(24)
    ]
    return SerialChain('snake', tuple(joints))


@pytest.mark.parametrize(
    ('make', 'constrained', 'count'),
    [
        (lower_leg, 'x y z', 100_000),
        (upper_leg, 'x z', 20_000),
        (puma, 'all', 20_000),
        (arm7, 'all', 20_000),
        (snake, 'all', 1000),
    ],
)
def test_restarts_change_nothing_that_the_seed_leads_to(make, constrained, count):
    """From 0.1 rad off, restarts fail less often, and send no joint farther, than without them."""
    chain = make()
    generator = np.random.default_rng(9)
    truth = chain.random(count, generator)
    seeds = truth + generator.uniform(-OFF, OFF, truth.shape)
    seeds = np.clip(seeds, chain.lower, chain.upper)
    goals = goals_of(chain, truth, constrained)
    alone = solve_ik(chain, goals, seeds, IkOptions(restarts=0))
    more = solve_ik(chain, goals, seeds, IkOptions(restarts=20))

    def jumped(result):
        return np.abs(result.q - seeds).max(axis=1) > 0.5

    assert not (alone.converged & ~more.converged).any()
    assert (~more.converged).mean() < 1e-3
    kept = alone.converged & (alone.iterations == more.iterations)
    assert kept.mean() > 0.99
    alike = np.abs(alone.q[kept] - more.q[kept]).max(axis=1) < 1e-6
    assert alike.mean() > 0.9995
    # Those that the seed alone does not lead to its goal have to go elsewhere.
    assert (jumped(more) & alone.converged).mean() <= jumped(alone).mean() + 2e-4
