"""Trajectories: continuity, speed limits and honest reports of jumps."""

import numpy as np
import pytest

from softshell_kinematics import DhRow, IkOptions, ParallelMechanism, chain_from_dh, solve_ik
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg

WARM = IkOptions(tolerance=1e-9, restarts=0, warm_start=True)


def smooth(chain, points, seed):
    """A smooth path of q within limits: (points, n)."""
    generator = np.random.default_rng(seed)
    t = np.linspace(0.0, 2.0 * np.pi, points)[:, None]
    low = np.maximum(chain.lower, -3.0)
    high = np.minimum(chain.upper, 3.0)
    phases = generator.uniform(0.0, 2.0 * np.pi, (2, len(chain)))
    centre = generator.uniform(-0.6, 0.6, len(chain))
    wave = centre + 0.25 * np.sin(t + phases[0]) + 0.1 * np.sin(2.0 * t + phases[1])
    return 0.5 * (low + high) + 0.5 * (high - low) * wave


def regular_paths(chain, locked, constrained, count):
    """Smooth paths that keep away from singular poses: there branches meet, and none is left."""
    rows = slice(0, 6) if constrained == 'all' else slice(0, 3)
    columns = [i for i, name in enumerate(chain.variables) if name not in locked]
    found = []
    for seed in range(10_000):
        q = smooth(chain, 400, seed)
        q[:, [i for i in range(len(chain)) if i not in columns]] = -1.0
        jacobians = chain.forward_and_jacobian(q)[1][:, rows, :][:, :, columns]
        if np.linalg.svd(jacobians, compute_uv=False)[:, -1].min() > 0.01:
            found.append(q)
        if len(found) == count:
            return found
    raise AssertionError(f'only {len(found)} regular paths of {chain.name}')


@pytest.mark.parametrize(
    ('make', 'locked', 'constrained'),
    [(lower_leg, ['q1'], 'x y z'), (upper_leg, [], 'x z'), (puma, [], 'all')],
)
def test_a_smooth_reachable_path_has_no_branch_jumps(make, locked, constrained):
    """Warm-started at the truth, q is everywhere the path that made the goals."""
    chain = make()
    for q in regular_paths(chain, locked, constrained, 10):
        result = solve_ik(chain, goals_of(chain, q, constrained), q[0], WARM, locked)
        assert result.all_converged
        assert not result.jumps.any()
        np.testing.assert_allclose(result.q, q, atol=1e-5)


def test_a_redundant_arm_moves_smoothly_too():
    """Seven joints, full pose: every step is of the order of the path's own."""
    chain = arm7()
    q = smooth(chain, 500, 3)
    result = solve_ik(chain, goals_of(chain, q, 'all'), q[0], WARM)
    assert result.all_converged
    assert not result.jumps.any()
    assert np.abs(np.diff(result.q, axis=0)).max() < 0.15


def blocked_path():
    """From a bent elbow outwards, then to where only the other shoulder angle leads."""
    rows = [
        DhRow(0, 0, 0, 0.3, 'shoulder', lower=-1.0, upper=1.0),
        DhRow(0, 0, 0, 0.3, 'elbow', lower=-2.5, upper=2.5),
    ]
    chain = chain_from_dh('arm', rows)
    # The elbow-up branch runs into the shoulder's limit; elbow-down does not.
    angles = np.linspace(-0.3, 0.9, 60)
    goals = np.full((60, 6), np.nan)
    goals[:, 0], goals[:, 1] = 0.4 * np.cos(angles), 0.4 * np.sin(angles)
    return chain, goals


def test_where_the_branch_ends_the_path_stops_or_reports_its_jump():
    """By default it stays, at the limit; if allowed it jumps once, and says where."""
    chain, goals = blocked_path()
    stays = solve_ik(chain, goals, [0.5, -1.6], WARM)
    assert not stays.converged[-1]
    assert stays.q[-1, 0] == 1.0
    assert not stays.jumps.any()
    options = IkOptions(warm_start=True, restarts=20, allow_jumps=True)
    jumps = solve_ik(chain, goals, [0.5, -1.6], options)
    assert jumps.all_converged
    assert jumps.jumps.sum() == 1
    where = int(np.argmax(jumps.jumps))
    assert np.abs(jumps.q[where] - jumps.q[where - 1]).max() > 1.0


def test_speed_limits_hold_from_point_to_point():
    """Goals that ask for more speed than the joints have: no step is longer than speed · time."""
    chain = lower_leg()
    (q,) = regular_paths(chain, ['q1'], 'x y z', 1)
    goals = goals_of(chain, q, 'x y z')
    needed = np.abs(np.diff(q, axis=0)).max() / 6.178
    short = IkOptions(warm_start=True, restarts=0, time_step=0.5 * needed)
    result = solve_ik(chain, goals, q[0], short, ['q1'])
    assert np.abs(np.diff(result.q, axis=0)).max() <= 6.178 * short.time_step + 1e-12
    assert not result.all_converged
    enough = IkOptions(warm_start=True, restarts=0, time_step=1.001 * needed)
    assert solve_ik(chain, goals, q[0], enough, ['q1']).all_converged


def test_a_variable_that_is_held_along_a_path_has_one_value():
    """Each point starts at the one before, so later seeds of it could not be kept."""
    leg = lower_leg()
    q = np.tile(leg.middle(), (4, 1))
    q[2:, 0] += 0.1
    goals = goals_of(leg, q, 'x y z')
    mechanism = ParallelMechanism([leg])
    for solve in (
        lambda options: solve_ik(leg, goals, q, options, ['q1']),
        lambda options: mechanism.solve(goals[:, None], q, options, ['q1']),
    ):
        with pytest.raises(SoftshellError, match=r'q1.* is held, and its seeds are .* at point 2'):
            solve(IkOptions(warm_start=True))
        np.testing.assert_array_equal(solve(IkOptions()).q[:, 0], q[:, 0])
