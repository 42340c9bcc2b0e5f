"""Numbers that are too large, NaN or infinite are refused by name; all others are solved."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from softshell_kinematics import (
    Coupling,
    DhRow,
    IkOptions,
    IkStatus,
    Joint,
    JointKind,
    Limbs,
    ParallelMechanism,
    Screw,
    SerialChain,
    base_reach,
    chain_from_dh,
    chain_from_screws,
    geometric_jacobian,
    solve_ik,
    static_margin,
)
from softshell_kinematics.errors import (
    NonFiniteError,
    OutOfRangeError,
    ProblemsError,
    SoftshellError,
    UnknownNameError,
)
from softshell_kinematics.examples import goals_of, lower_leg, puma
from softshell_kinematics.legged.floating_base import base_path, feet_in_base, position_goals
from softshell_kinematics.limits import LARGEST_ANGLE, REACHES
from softshell_kinematics.transforms import (
    coordinates_from_pose,
    pose_from_coordinates,
    rotation_about,
    rotation_from_quaternion,
    shift,
)

NAN, INF = float('nan'), float('inf')
FREE = (NAN, NAN, NAN)
LEGS = [lower_leg(k) for k in range(2)]
FAR_OFFSET = Coupling('v', 1.0, 2e4)
STANCE = [np.array([-1.0, 0.0, 0.1, -0.2])] * 2


def planar(*lengths):
    """Links in the xy plane."""
    return chain_from_dh('arm', [DhRow(0, 0, 0, each, f'q{i}') for i, each in enumerate(lengths)])


ARM = planar(0.4, 0.2)


def posed(value):
    """A pose whose x is a value."""
    pose = np.eye(4)
    pose[0, 3] = value
    return pose


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('coordinate', range(6))
def test_a_goal_is_solved_up_to_the_limit_and_refused_beyond_it(coordinate, sign):
    """10 000 reaches or radians exactly are solved; the next number, 1e100 and inf are refused."""
    name = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')[coordinate]
    assert ARM.reach == pytest.approx(0.6, rel=1e-15)
    largest, said = 1e4, '-10000 to 10000 rad, or NaN if it is free'
    if coordinate < 3:
        largest = 1e4 * ARM.reach
        said = '-6000 to 6000 m, 10000 times the reach of 0.6 m, or NaN if it is free'
    goal = np.array([0.1, 0.2, 0.0, *FREE])
    goal[coordinate] = sign * largest
    assert np.isfinite(solve_ik(ARM, goal).residual).all()
    for value in (np.nextafter(largest, INF), 1e100, 1.7e308):
        goal[coordinate] = sign * value
        with pytest.raises(OutOfRangeError) as caught:
            solve_ik(ARM, [[0.1, 0.2, 0.0, *FREE], goal])
        assert f"goal 1 of 'arm': {name} is {sign * value}; expected {said}" in str(caught.value)
        with pytest.raises(OutOfRangeError, match=f"goals of 'arm': {name} is"):
            ParallelMechanism([ARM]).solve(goal[None, None])
    goal[coordinate] = sign * INF
    with pytest.raises(NonFiniteError, match=f"goal 0 of 'arm': {name} is -?inf"):
        solve_ik(ARM, goal)


@pytest.mark.parametrize(
    ('joints', 'reach'),
    [
        ([Joint('s', JointKind.PRISMATIC, lower=-0.2, upper=3.0)], 3.0),
        ([Joint('s', JointKind.PRISMATIC, shift(0.5))], 1.5),
        ([Joint('s', JointKind.PRISMATIC, lower=-7.0)], 7.0),
        ([Joint('s', JointKind.PRISMATIC, coupling=Coupling('v', 2.0, 0.5), upper=4.0)], 4.0),
        ([Joint('s', JointKind.REVOLUTE, shift(0.3, 0.4))], 0.5),
        ([Joint('s', JointKind.REVOLUTE)], 0.0),
    ],
    ids=['slide', 'slide without limits', 'one limit', 'coupled slide', 'turn', 'no length'],
)
def test_the_reach_is_the_length_of_all_parts_and_the_travel_of_slides(joints, reach):
    """Also where a slide has no limits, or nothing has a length: then 1 mm counts for goals."""
    chain = SerialChain('chain', joints)
    assert chain.reach == pytest.approx(reach, abs=1e-15)
    largest = REACHES * max(reach, 1e-3)
    goal = [0.0, 0.999999 * largest, 0.0, *FREE]
    assert solve_ik(chain, goal).residual == pytest.approx(goal[1], rel=1e-3)
    with pytest.raises(OutOfRangeError, match='y is'):
        solve_ik(chain, [0.0, 1.000001 * largest, 0.0, *FREE])


@pytest.mark.parametrize('distance', [3.0, 100.0, 9990.0])
@pytest.mark.parametrize('make', [lower_leg, puma, lambda: planar(0.3, 0.2, 0.1)])
def test_far_goals_end_at_the_least_squares_optimum(make, distance):
    """Up to the limit the answer is an optimum, which scipy started there cannot better."""
    chain = make()
    ways = np.random.default_rng(3).normal(size=(12, 3))
    goals = np.full((12, 6), np.nan)
    goals[:, :3] = distance * chain.reach * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    result = solve_ik(chain, goals)
    assert set(result.status) <= {IkStatus.LIMIT_BOUND, IkStatus.UNREACHABLE}
    for goal, q, residual in zip(goals, result.q, result.residual, strict=True):

        def error(values, goal=goal):
            return chain.forward(values)[:3, 3] - goal[:3]

        inner = np.clip(q, chain.lower + 1e-9, chain.upper - 1e-9)
        best = least_squares(error, inner, bounds=(chain.lower, chain.upper), x_scale='jac')
        assert residual <= np.sqrt(2.0 * best.cost) + 1e-9 * chain.reach


def test_a_search_of_a_far_goal_ends_within_its_iterations():
    """No way of looking for a descent goes on past its iterations by more than a few.

    They count from the seed, and once more from where both of position and angles cannot be met.
    """
    goals = np.full((300, 6), np.nan)
    goals[:, :3] = np.random.default_rng(0).normal(0.0, 1e3, (300, 3))
    goals[:, 3:] = np.random.default_rng(1).normal(0.0, 1e3, (300, 3))
    result = solve_ik(puma(), goals, options=IkOptions(restarts=0, max_iterations=40))
    assert result.iterations.max() <= 2 * 40 + 10


@pytest.mark.parametrize('value', [NAN, INF, -INF, 1e308, 10000.1])
def test_a_joint_position_that_is_none_or_too_large_has_no_pose(value):
    """Forward kinematics and Jacobians refuse it by name, point by point."""
    q = np.zeros((3, 2))
    q[2, 1] = value
    for use in (ARM.forward, ARM.forward_and_jacobian, lambda q: geometric_jacobian(ARM, q)):
        with pytest.raises(SoftshellError, match=r"point 2 of 'arm': q1 is .*10000 rad"):
            use(q)


@pytest.mark.parametrize('value', [NAN, INF, 1e5])
def test_a_seed_or_posture_that_is_none_or_too_large_is_refused(value):
    """By array or by name, for chains and mechanisms; a lock does not excuse it."""
    goal = [0.3, 0.2, NAN, *FREE]
    limbs, mechanism = Limbs([ARM]), ParallelMechanism([ARM])
    for solve in (
        lambda: solve_ik(ARM, goal, [0.0, value]),
        lambda: solve_ik(ARM, goal, {'q1': value}, locked=['q1']),
        lambda: limbs.solve([[goal]], np.array([[[0.0, value]]])),
        lambda: limbs.solve([[goal]], [[0.0, value]]),
        lambda: mechanism.solve([[goal]], [0.0, value]),
        lambda: mechanism.solve([[goal]], {'q1': value}),
        lambda: solve_ik(ARM, goal, posture=[0.0, value]),
        lambda: solve_ik(ARM, goal, posture={'q1': value}),
        lambda: limbs.solve([[goal]], postures=np.array([[0.0, value]])),
    ):
        with pytest.raises(OutOfRangeError, match=rf'q1 is {value}; expected -10000 to 10000 rad'):
            solve()


def test_a_seed_or_posture_by_name_leaves_the_others_to_the_solver():
    """What is not named starts at the middle of its range, or does not matter; names are known."""
    chain = puma()
    goal = goals_of(chain, np.full(6, 0.3), 'x y z')
    middle = chain.middle()
    middle[2] = 0.5
    named, full = solve_ik(chain, goal, {'elbow': 0.5}), solve_ik(chain, goal, middle)
    assert named.q.tobytes() == full.q.tobytes()
    both = Limbs([ARM, chain]).seeds([{'q0': [0.1, 0.2, 0.3]}, {}])
    np.testing.assert_array_equal(both[0, :, :2], [[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]])
    np.testing.assert_array_equal(both[1], np.tile(chain.middle(), (3, 1)))
    posed_ = solve_ik(chain, goal, {'elbow': 0.5}, posture={'flange': 1.0})
    assert posed_.q[5] == pytest.approx(1.0, abs=1e-3)
    for call in (lambda: solve_ik(chain, goal, {'knee': 0.0}),
                 lambda: solve_ik(chain, goal, posture={'knee': 0.0})):  # fmt: skip
        with pytest.raises(UnknownNameError, match="'knee'; known: bend, elbow"):
            call()


def test_what_has_no_limits_stays_where_numbers_are_good():
    """A joint of unlimited turns ends within ±10 000 rad, so its sine still has its digits."""
    table = SerialChain('table', [Joint('t', JointKind.REVOLUTE)], shift(1.0))
    yaw = np.linspace(0.0, LARGEST_ANGLE, 4001)
    goals = np.full((4001, 6), np.nan)
    goals[:, 3] = yaw
    result = solve_ik(table, goals, 0.0, IkOptions(warm_start=True))
    assert result.all_converged
    np.testing.assert_allclose(result.q[:, 0], yaw, atol=1e-7)
    back = solve_ik(table, goals[-1], [-LARGEST_ANGLE])
    assert abs(back.q[0]) <= LARGEST_ANGLE


@pytest.mark.parametrize('kind', [JointKind.REVOLUTE, JointKind.PRISMATIC])
def test_an_answer_is_never_a_number_that_would_be_refused(kind):
    """A joint geared down so far that its variable would have to pass the limit stops there."""
    chain = SerialChain('geared', [Joint('j', kind, coupling=Coupling('v', 1e-6))], shift(1.0))
    largest = chain.ranges.largest[0]
    assert largest == (LARGEST_ANGLE if kind is JointKind.REVOLUTE else REACHES * chain.reach)
    z_or_yaw = 3 if kind is JointKind.REVOLUTE else 2
    goal = np.full(6, NAN)
    goal[z_or_yaw] = 0.5
    result = solve_ik(chain, goal)
    assert result.status == IkStatus.LIMIT_BOUND
    assert abs(result.q[0]) == largest
    chain.forward(result.q)


def test_a_joint_geared_up_is_refused_where_it_would_lose_its_digits():
    """What counts is how far the joint goes, not the number that is given."""
    fast = Joint('j', JointKind.REVOLUTE, coupling=Coupling('v', 1e6, 100.0))
    chain = SerialChain('fast', [fast], shift(1.0))
    assert chain.ranges.largest[0] == pytest.approx((LARGEST_ANGLE - 100.0) / 1e6, rel=1e-12)
    chain.forward([0.0099])
    for value in (0.00991, -0.00991, 1.0):
        with pytest.raises(OutOfRangeError, match=r'v is .*; expected -0\.0099 to 0\.0099 rad'):
            chain.forward([value])


@pytest.mark.parametrize(
    ('make', 'said'),
    [
        (lambda: Joint('j', JointKind.REVOLUTE, lower=NAN), 'a limit is nan'),
        (lambda: Joint('j', JointKind.REVOLUTE, velocity=NAN), 'velocity is nan'),
        (lambda: Joint('j', JointKind.REVOLUTE, coupling=Coupling('v', NAN)), 'multiplier is nan'),
        (lambda: Joint('j', JointKind.REVOLUTE, coupling=Coupling('v', 1, INF)), 'offset is inf'),
        (lambda: Joint('j', JointKind.REVOLUTE, posed(NAN)), r"origin\[0, 3\] is nan"),
        (lambda: Joint('j', JointKind.REVOLUTE, axis=(0, NAN, 1)), 'axis is'),
        (lambda: SerialChain('c', ARM.joints, posed(NAN)), r"'c': tool\[0, 3\] is nan"),
        (lambda: SerialChain('c', ARM.joints, 2.0 * np.eye(4)), "'c': tool is not rigid"),
        (lambda: SerialChain('c', ARM.joints, shift(1e10)), "'c': reach is 1000000000"),
        (lambda: SerialChain('c', ARM.joints, shift(1e200)), "'c': reach is inf"),
        (lambda: chain_from_dh('c', [DhRow(NAN, 0, 0, 1, 'a')]), "'c': row 0: alpha is nan"),
        (lambda: chain_from_dh('c', [DhRow(0, 0, 0, 1), DhRow(0, INF, 0, 1, 'a')]), 'row 1: d is'),
        (lambda: chain_from_dh('c', [DhRow(0, 0, 0, 1, 'a')], base=posed(INF)), r"base\[0, 3\]"),
        (lambda: chain_from_dh('c', [DhRow(0, 0, 0, 1, 'a')], tool=posed(NAN)), r"tool\[0, 3\]"),
        (lambda: chain_from_screws('c', [Screw('s', (0, 0, NAN), (0, 0, 0))], np.eye(4)),
         r"screw 's': omega\[2\] is nan"),
        (lambda: chain_from_screws('c', [Screw('s', (0, 0, 1), (0, INF, 0))], np.eye(4)),
         r"screw 's': v\[1\] is inf"),
        (lambda: chain_from_screws('c', [Screw('s', (0, 0, 1), (0, 0, 0))], posed(NAN)),
         r"'c': home\[0, 3\] is nan"),
        (lambda: SerialChain('c', [Joint('j', JointKind.REVOLUTE, lower=2e4, upper=3e4)]),
         "limit of 'j' is 20000.0; expected one within ±10000 rad"),
        (lambda: SerialChain('c', [Joint('j', JointKind.REVOLUTE, coupling=FAR_OFFSET)]),
         "offset of 'j' is 20000.0"),
    ],
)  # fmt: skip
def test_a_chain_is_not_made_of_what_is_no_number(make, said):
    """Joints, DH rows, screws, bases, homes and tools: refused by name where they are given."""
    with pytest.raises(SoftshellError, match=said):
        make()


@pytest.mark.parametrize(
    ('use', 'said'),
    [
        (lambda: rotation_from_quaternion([NAN, 0, 0, 1]), 'quaternion is'),
        (lambda: rotation_from_quaternion([0, 0, 0, 0]), r'quaternion is \[0.0, 0.0, 0.0, 0.0\]'),
        (lambda: coordinates_from_pose(posed(NAN)), r'pose\[0, 3\] is nan'),
        (lambda: pose_from_coordinates([0, 0, 0, 1e19, 0, 0]), r'angle\[0\] is 1e\+19'),
        (lambda: rotation_about([0, 0, 1], 1e19), r'angle is 1e\+19; expected -10000 to'),
        (lambda: chain_from_dh('c', [DhRow(0, 1, 1e19, 1, 'a')]), r'row 0: theta is 1e\+19'),
        (lambda: solve_ik(ARM, [0.3, 0.2, NAN, *FREE], locked='q1'), "locked is 'q1'"),
        (lambda: solve_ik(ARM, [0.3, 0.2, NAN, *FREE], options=20), 'options are 20; exp'),
        (lambda: coordinates_from_pose(2.0 * np.eye(4)), 'pose is not rigid'),
        (lambda: coordinates_from_pose(np.eye(3)), r'pose has shape \(3, 3\); expected \(..., 4'),
        (lambda: pose_from_coordinates([0, 0, NAN, 0, 0, 0]), r'coordinate\[2\] is nan'),
        (lambda: position_goals([0, NAN, 0]), r'position\[1\] is nan'),
        (lambda: feet_in_base(np.eye(4)[None], [[0, 0, NAN]]), r'feet\[0, 2\] is nan'),
        (lambda: base_path([[NAN] * 6], posed(NAN)), r'start of the base\[0, 3\] is nan'),
        (lambda: base_path([[INF] + [NAN] * 5], np.eye(4)), 'point 0 of the base path: x is inf'),
        (lambda: base_path([[NAN, NAN, NAN, 1e9, NAN, NAN]], np.eye(4)), 'yaw is 1000000000.0'),
        (lambda: base_path([[1e9] + [NAN] * 5], np.eye(4), 0.3), 'base path: x is 1000000000.0'),
        (lambda: base_path([[NAN] * 6], posed(1e9), 0.3), 'start of the base: x is 1000000000.0'),
        (lambda: static_margin((NAN, 0), np.eye(3)), r'centre of mass\[0\] is nan'),
        (lambda: base_reach(Limbs(LEGS), STANCE, np.eye(4), [1, 0, 0, 0, 0, 0], INF),
         'distance of inf'),
        (lambda: base_reach(Limbs(LEGS), STANCE, np.eye(4), [1, 0, 0, 0, 0, 0], 1e9), 'x is 1000'),
        (lambda: base_reach(Limbs(LEGS), STANCE, posed(NAN), [1, 0, 0, 0, 0, 0], 1.0), 'is nan'),
        (lambda: base_reach(Limbs(LEGS), STANCE[:1], np.eye(4), [1, 0, 0, 0, 0, 0], 1.0),
         'stance of 1 chains; expected 2'),
        (lambda: Limbs(LEGS).seeds(STANCE[:1]), 'seeds of 1 chains; expected 2'),
    ],
)  # fmt: skip
def test_nan_is_free_in_goals_and_paths_and_nowhere_else(use, said):
    """NaN in poses, quaternions, feet and centres of mass is refused, not taken as free."""
    with pytest.raises(SoftshellError, match=said):
        use()


@pytest.mark.parametrize(
    'name',
    ['tolerance', 'max_iterations', 'restarts', 'position_weight', 'rotation_weight', 'jump',
     'time_step', 'threads'],
)  # fmt: skip
@pytest.mark.parametrize('value', [NAN, -INF, -1])
def test_an_option_that_is_no_number_is_refused(name, value):
    """By its name, with its range."""
    with pytest.raises(ProblemsError, match=f'{name} is {value}; expected'):
        IkOptions(**{name: value})
    if name != 'jump':
        with pytest.raises(ProblemsError, match=f'{name} is inf; expected'):
            IkOptions(**{name: INF})


@pytest.mark.parametrize(
    ('lower', 'upper', 'low', 'high'),
    [
        (-1e6, 1e6, -np.pi, np.pi),
        (-5000.0, 9000.0, 2000.0 - np.pi, 2000.0 + np.pi),
        (-4.0 * np.pi, 4.0 * np.pi, -4.0 * np.pi, 4.0 * np.pi),
        (1.0, np.inf, 1.0, 1.0 + 2.0 * np.pi),
    ],
)
def test_seeds_of_a_joint_of_many_turns_are_within_one(lower, upper, low, high):
    """Turns far out are the same as near ones, with fewer digits; a slide has its whole range."""
    chain = SerialChain('screw', [Joint('t', JointKind.REVOLUTE, lower=lower, upper=upper)])
    np.testing.assert_allclose(np.ravel(chain.ranges.spread), (low, high))
    q = chain.random(1000, np.random.default_rng(0))
    assert low <= q.min() < q.max() <= high
    slide = SerialChain('slide', [Joint('s', JointKind.PRISMATIC, lower=-50.0, upper=90.0)])
    np.testing.assert_allclose(np.ravel(slide.ranges.spread), (-50.0, 90.0))
