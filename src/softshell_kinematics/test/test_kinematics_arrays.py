"""Arrays of any kind are taken, and those that come back are the caller's own."""

import numpy as np
import pytest

from softshell_kinematics import IkOptions, Limbs, solve_ik
from softshell_kinematics.examples import goals_of, puma
from softshell_kinematics.kernels.batch import solve_batch

CHAIN = puma()
SEED = np.array([0.1, 0.2, -0.3, 0.4, 0.5, -0.6])
GOAL = goals_of(CHAIN, SEED[None] + 0.2, 'all')[0]


def test_arrays_that_may_not_be_written_are_solved_as_others():
    """They are copied: for another kind of array the kernels would be compiled anew."""
    goal, seed, many = GOAL.copy(), SEED.copy(), np.tile(GOAL, (3, 1))
    expected = solve_ik(CHAIN, goal, seed).q
    Limbs([CHAIN]).solve(many[None], seed[None])
    for array in (goal, seed, many):
        array.setflags(write=False)
    kinds = getattr(solve_batch, 'signatures', [])[:]
    assert np.array_equal(solve_ik(CHAIN, goal, seed).q, expected)
    assert np.all(solve_ik(CHAIN, many, seed).q == expected)
    assert np.all(Limbs([CHAIN]).solve(many[None], seed[None]).q[0] == expected)
    assert getattr(solve_batch, 'signatures', []) == kinds


@pytest.mark.parametrize(
    'make',
    [
        list,
        tuple,
        lambda row: row.astype(np.float32),
        lambda row: row.astype('>f8'),
        lambda row: row.astype(object),
        lambda row: np.repeat(row, 2)[::2],
    ],
)
def test_one_goal_may_be_of_any_kind_of_numbers(make):
    """Lists, other precisions and byte orders, views with gaps."""
    result = solve_ik(CHAIN, make(GOAL), make(SEED))
    assert result.converged
    assert np.allclose(result.q, SEED + 0.2, atol=1e-5)


def test_results_are_kept_apart():
    """An answer stays what it was when others are asked for."""
    first = solve_ik(CHAIN, GOAL, SEED)
    kept = first.q.copy()
    for _ in range(3):
        solve_ik(CHAIN, GOAL + 0.01, SEED, IkOptions(restarts=1))
    assert np.array_equal(first.q, kept)
    assert first.status == 0
    assert first.residual < 1e-8
    assert 'q=array' in repr(first)
