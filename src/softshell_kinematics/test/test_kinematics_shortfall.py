"""Why a goal was missed: by how much, truly, and which joint's limit stands in the way."""

import numpy as np
import pytest

from softshell_kinematics import (
    DhRow,
    IkOptions,
    IkStatus,
    Limbs,
    chain_from_dh,
    first_shortfall,
    shortfall_of,
    solve_ik,
)
from softshell_kinematics.examples import goals_of, lower_leg, puma
from softshell_kinematics.solving.shortfall import amount, goal_error

NAN = float('nan')
FREE = (NAN, NAN, NAN)


def arm(**elbow):
    """Two links in the xy plane."""
    rows = [DhRow(0, 0, 0, 0.3, 'shoulder', velocity=2.0), DhRow(0, 0, 0, 0.2, 'elbow', **elbow)]
    return chain_from_dh('arm', rows)


def why(chain, goals, seed=None, options=None, locked=()):
    """Solve, and say why not."""
    return shortfall_of(
        chain, goals, solve_ik(chain, goals, seed, options, locked), options, locked
    )


@pytest.mark.parametrize(
    ('distance', 'said'),
    [
        (3e-8, 'by 30 nm:'),
        (4.56e-5, 'by 45.6 µm:'),
        (1.2345e-3, 'by 1.23 mm:'),
        (0.0499999, 'by 50 mm:'),
        (1234.5, 'by 1230 m:'),
    ],
)
def test_the_distance_is_told_with_digits_whatever_its_size(distance, said):
    """Closed form: a straight arm of 0.5 m misses a goal in line by what is beyond 0.5 m."""
    found = why(arm(), [[0.2, 0.1, NAN, *FREE], [0.5 + distance, 0.0, NAN, *FREE]])
    assert found.status is IkStatus.UNREACHABLE
    assert found.distance == pytest.approx(distance, rel=1e-6)
    assert str(found).startswith(f'arm misses point 2 of 2 {said} it is out of reach')
    assert found.angle is None


def test_no_amount_is_told_as_zero():
    """Any distance and angle above 0 shows three true digits."""
    for size in 10.0 ** np.arange(-12, 4, 0.37):
        for text, factors in (
            (amount(size, None), {'m': 1.0, 'mm': 1e-3, 'µm': 1e-6, 'nm': 1e-9}),
            (amount(None, np.radians(size)).replace('°', ' °'), {'°': 1.0}),
        ):
            number, unit = text.split()
            assert float(number) * factors[unit] == pytest.approx(size, rel=5.1e-3)
            assert 'e' not in number


def test_a_limit_in_the_way_is_named_with_how_much_farther_it_would_have_to_be():
    """The elbow bends to 0.5 only; the law of cosines says where the goal would need it."""
    chain = arm(lower=0.0, upper=0.5)
    found = why(chain, [0.3, 0.2, NAN, *FREE])
    square = 0.3**2 + 0.2**2
    needed = np.arccos((square - 0.3**2 - 0.2**2) / (2.0 * 0.3 * 0.2))
    (held,) = found.held
    assert (held.variable, held.side, held.limit) == ('elbow', 'upper', 0.5)
    assert held.farther == pytest.approx(needed - 0.5, abs=1e-6)
    reach = np.sqrt(0.3**2 + 0.2**2 + 2.0 * 0.3 * 0.2 * np.cos(0.5))
    assert found.distance == pytest.approx(reach - np.sqrt(square), abs=1e-9)
    assert str(found) == (
        f'arm misses point 1 of 1 by {1e3 * found.distance:.0f} mm: elbow is at its upper limit '
        'of 0.5 rad and would have to go 1.07 rad farther'
    )


def test_several_limits_and_an_angle_are_all_told():
    """A full pose that needs two joints beyond their limits by what it was made with."""
    chain = puma()
    q = np.zeros(6)
    q[0], q[4] = chain.upper[0] + 0.05, chain.lower[4] - 0.03
    goal, once = goals_of(chain, q, 'all'), IkOptions(restarts=0)
    found = why(chain, goal, np.clip(q, chain.lower, chain.upper), once)
    assert [(held.variable, held.side) for held in found.held] == [
        ('waist', 'upper'),
        ('bend', 'lower'),
    ]
    np.testing.assert_allclose([held.farther for held in found.held], [0.05, 0.03], atol=1e-6)
    assert found.distance > 0.0
    assert found.angle > 0.0
    assert ' mm and ' in str(found)
    assert '°: ' in str(found)


def test_a_limit_beyond_which_the_goal_is_out_of_reach_too_says_what_stays_missing():
    """Farther than the straight arm: without the limit the rest is a difference of lengths."""
    found = why(arm(lower=0.2, upper=0.5), [0.7, 0.0, NAN, *FREE])
    assert found.held[0].farther is None
    assert str(found).endswith(
        'elbow is at its lower limit of 0.2 rad; without that it would still miss by 200 mm'
    )


def test_what_else_ends_a_search_is_told():
    """Iterations, speeds, joints that may not move; and nothing where all is reached."""
    chain = arm(velocity=2.0)
    goal = [0.1, 0.3, NAN, *FREE]
    text = str(why(chain, goal, [0.0, 0.1], IkOptions(max_iterations=1, restarts=0)))
    assert text.endswith('the iteration limit came first')
    path = [[0.45, 0.1, NAN, *FREE], goal]
    slow = IkOptions(warm_start=True, time_step=0.01)
    assert str(why(chain, path, options=slow)).endswith(
        'shoulder and elbow cannot move there in the time'
    )
    text = str(why(chain, goal, [0.0, 0.1], locked=['elbow']))
    assert text.endswith('it is out of reach, and no limit stands in the way; elbow may not move')
    assert why(chain, goal) is None


def test_the_first_limb_that_misses_is_told():
    """In the order of the limbs, each with its first point."""
    legs = Limbs([lower_leg(k) for k in range(3)])
    goals = np.stack(
        [goals_of(leg, np.tile([-1.0, 0.1, 0.2, 0.3], (5, 1)), 'x y z') for leg in legs.chains]
    )
    assert first_shortfall(legs, goals, legs.solve(goals)) is None
    goals[1, 3:, 2] -= 1.0
    goals[2, 0, 2] -= 1.0
    found = first_shortfall(legs, goals, legs.solve(goals))
    assert (found.chain, found.point, found.points) == ('leg 1', 3, 5)


def test_the_error_of_a_goal_is_the_solvers():
    """Free coordinates, angles over the half turn and whole rotations, to 1e-12."""
    chain = puma()
    generator = np.random.default_rng(0)
    goals = np.concatenate(
        [generator.uniform(-1, 1, (50, 3)), generator.uniform(-4, 4, (50, 3))], 1
    )
    goals[25:, 4:] = NAN
    goals[:10, 1] = NAN
    result = solve_ik(chain, goals, options=IkOptions(restarts=0, max_iterations=3))
    for goal, q, error in zip(goals, result.q, result.error, strict=True):
        np.testing.assert_allclose(goal_error(goal, chain.forward(q)), error, atol=1e-12)
