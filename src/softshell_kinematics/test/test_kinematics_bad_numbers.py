"""What is no number, or has another shape, is refused with one error that names it."""

import numpy as np
import pytest

from softshell_kinematics import (
    Coupling,
    DhRow,
    IkOptions,
    Joint,
    JointKind,
    Limbs,
    ParallelMechanism,
    Screw,
    SerialChain,
    base_reach,
    chain_from_dh,
    chain_from_screws,
    first_shortfall,
    shortfall_of,
    solve_ik,
)
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.examples import lower_leg, puma
from softshell_kinematics.loops.tips import Tips
from softshell_kinematics.solving.threads import POINTS_FOR_THREAD
from softshell_kinematics.transforms import (
    angles_from_rotation,
    pose_from_coordinates,
    rotation_about,
    rotation_from_angles,
    rotation_from_quaternion,
    shift,
)

NAN = float('nan')
ARM = chain_from_dh('arm', [DhRow(0, 0, 0, each, f'q{i}') for i, each in enumerate((0.4, 0.2))])
BOTH = ParallelMechanism([ARM])
LEGS = Limbs([lower_leg(0), lower_leg(1)])
GOAL = [0.3, 0.2, *[NAN] * 4]
AHEAD = [1.0, 0, 0, 0, 0, 0]
TURN = JointKind.REVOLUTE


def followers(kind, coupling=None):
    """A chain of two joints, of which the second follows the first by its name."""
    first = Joint('a', kind, coupling=coupling)
    return SerialChain('c', [first, Joint('b', TURN, coupling=Coupling('a'))])


@pytest.mark.parametrize(
    ('use', 'said'),
    [
        (lambda: Limbs([ARM]).solve([[1, 2], [3]]), r'goals: \[\[1, 2\], \[3\]\] is no array of'),
        (lambda: Limbs([ARM]).solve([[GOAL]], 'x'), "seeds: 'x' is no array of numbers; expected"),
        (lambda: BOTH.solve('x'), "goals: 'x' is no array of numbers"),
        (lambda: BOTH.forward('x'), "q: 'x' is no array of numbers"),
        (lambda: BOTH.solve([[GOAL]], ['a', 'b']), r"seed: \['a', 'b'\] is no array of numbers"),
        (lambda: BOTH.solve([[GOAL]], {'q1': 'a'}), "seed: q1: 'a' is no array of numbers"),
        (lambda: BOTH.solve([[GOAL]], locked='q1'), "locked is 'q1'; expected names in a list"),
        (lambda: BOTH.solve([[GOAL]], locked=[1]), 'locked variable is 1; expected a name'),
        (lambda: BOTH.forward([[10**400, 0]]), 'q: .* is no array of numbers'),
        (lambda: ARM.forward([10**400, 0]), "chain 'arm': q: .* is no array of numbers"),
        (lambda: Limbs([ARM]).solve([[GOAL]], locked=np.array([[0, 256]])),
         'locked has the number 256; expected 0 and 1, or names'),
        (lambda: Limbs([ARM]).solve([[GOAL]], locked=np.array([[-1, 0]])),
         'locked has the number -1; expected 0 and 1'),
        (lambda: Limbs([ARM]).solve([[GOAL]], locked=np.array([[1]])),
         r'locked has shape \(1, 1\); expected \(1, 2\)'),
        (lambda: ARM.forward('x'), "chain 'arm': q: 'x' is no array of numbers"),
        (lambda: ARM.forward([[0.0], [0.0, 0.0]]), "chain 'arm': q: .* is no array of numbers"),
        (lambda: SerialChain('c', ARM.joints, 'x'), "chain 'c': tool: 'x' is no array of numbers"),
        (lambda: Joint('j', JointKind.REVOLUTE, axis='z'), "'j': axis: 'z' is no array of number"),
        (lambda: rotation_about([0, 0, 1], 'a'), "angle: 'a' is no array of numbers"),
        (lambda: chain_from_screws('c', [Screw('a', (0, 0, 1), (1, 0))], np.eye(4)),
         r"screw 'a': v has shape \(2,\); expected \(3,\)"),
        (lambda: chain_from_screws('c', [Screw('a', 1.0, (1, 0, 0))], np.eye(4)),
         r"screw 'a': omega has shape \(\); expected \(3,\)"),
        (lambda: base_reach(LEGS, [np.zeros((3, 4))] * 2, np.eye(4), AHEAD, 1.0),
         'stance has 3 points; expected one'),
        (lambda: base_reach(LEGS, [np.zeros(4)] * 2, np.eye(4), 'x', 1.0),
         "direction: 'x' is no array of numbers"),
        (lambda: first_shortfall(Limbs([ARM]), 'x', Limbs([ARM]).solve([[GOAL]])), "goals: 'x'"),
        (lambda: Tips([], ['q0']), 'Tips of no chain; expected one or more'),
        (lambda: base_reach(LEGS, [np.zeros(4)] * 2, np.eye(4), AHEAD, 'x'),
         'over a distance of x; expected 6 finite numbers'),
        (lambda: pose_from_coordinates(np.zeros(7)),
         r'coordinates has shape \(7,\); expected \(\.\.\., 6\)'),
        (lambda: pose_from_coordinates(np.zeros((2, 3))), r'coordinates has shape \(2, 3\)'),
        (lambda: rotation_from_angles(np.zeros(4)),
         r'angles has shape \(4,\); expected \(\.\.\., 3\)'),
        (lambda: rotation_from_angles([0, 0]), r'angles has shape \(2,\)'),
        (lambda: rotation_from_angles(0.0), r'angles has shape \(\)'),
        (lambda: rotation_from_quaternion(np.ones(7)),
         r'quaternion has shape \(7,\); expected \(\.\.\., 4\)'),
        (lambda: rotation_from_quaternion([0, 0, 1]), r'quaternion has shape \(3,\)'),
        (lambda: rotation_about([0, 0, 0], 0.1), r'axis is \[.*\]; expected 3 numbers, not all 0'),
        (lambda: rotation_about([0, 1], 0.1), r'axis is \[.*\]; expected 3 numbers, not all 0'),
        (lambda: Joint('j', 'prismatic'),
         "joint 'j': kind is 'prismatic'; expected one of REVOLUTE, PRISMATIC, FIXED"),
        (lambda: Joint('j', 3), "joint 'j': kind is 3; expected one of"),
        (lambda: chain_from_dh('c', [DhRow(0, 0, 0, 1, 'j', 'x')]), "joint 'j': kind is 'x'"),
        (lambda: Coupling('v', kind='x'), "coupling to 'v': kind is 'x'"),
        (lambda: Joint('j', TURN, lower=None), "'j': lower limit is None; expected a number"),
        (lambda: Joint('j', TURN, lower=10**400), r"'j': lower limit is 10+\.\.\.0+; expected a"),
        (lambda: solve_ik(ARM, np.zeros(6), locked=5), 'locked is 5; expected names in a list'),
        (lambda: Joint('j', TURN, upper='1'), "'j': upper limit is '1'; expected a number"),
        (lambda: Joint('j', TURN, velocity=None), "'j': velocity is None; expected a number"),
        (lambda: Joint('j', TURN, coupling=Coupling('v', '2')), "'j': multiplier is '2'; expect"),
        (lambda: Joint('j', TURN, coupling=Coupling('v', 2, None)), "'j': offset is None; expect"),
        (lambda: followers(JointKind.FIXED),
         "chain 'c': 'b' follows 'a', which is fixed; expected an independent joint"),
        (lambda: followers(TURN, Coupling('v')),
         "chain 'c': 'b' follows 'a', which follows another itself; expected an independent"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_by_name(use, said):
    """Of goals, seeds, joints, screws, stances and directions, with the value or its shape."""
    with pytest.raises(SoftshellError, match=said):
        use()


def test_a_stance_may_have_one_point():
    """In an array of one row the base gets as far as in a row alone."""
    row = np.array([0.0, 0.1, 0.1, -0.2])
    found = [base_reach(LEGS, [each] * 2, np.eye(4), AHEAD, 0.01) for each in (row, row[None])]
    assert found[0].distance == found[1].distance
    assert found[0].q.tobytes() == found[1].q.tobytes()


def test_a_whole_number_of_threads_may_be_a_float():
    """2.0 threads share a problem that is large enough, and solve it as 2 do."""
    chain = puma()
    q = chain.random(3 * POINTS_FOR_THREAD, np.random.default_rng(0))
    goals = chain.forward(q)
    found = [solve_ik(chain, goals, options=IkOptions(threads=each)).q for each in (2, 2.0)]
    assert found[0].tobytes() == found[1].tobytes()


def test_a_far_goal_is_explained_too():
    """A rail of 100 m makes goals up to 10 000 times that allowed, which its arm alone has not."""
    rail = Joint('rail', JointKind.PRISMATIC, axis=np.array([1.0, 0, 0]), lower=0.0, upper=100.0)
    chain = SerialChain('crane', [rail, Joint('turn', JointKind.REVOLUTE)], shift(1.0))
    goal = [3e4, 0.0, *[NAN] * 4]
    found = shortfall_of(chain, goal, solve_ik(chain, goal))
    assert found.distance == pytest.approx(3e4 - 101.0)
    assert 'rail is at its upper limit of 100 m' in str(found)


def test_an_axis_may_have_any_length():
    """The rotation is that about its unit vector, and to the last bit where it is one already."""
    for axis in ((1, 1, 0), (0, 0, 1e-9), (3e8, 0, -1)):
        unit = np.array(axis) / np.linalg.norm(axis)
        rotation = rotation_about(axis, 0.7)
        np.testing.assert_allclose(rotation, rotation_about(unit, 0.7), atol=1e-15)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(rotation @ unit, unit, atol=1e-15)
    nearly = np.array([0.0, 0.6, 0.8 + 1e-14])
    k = np.array([[0, -nearly[2], 0.6], [nearly[2], 0, 0], [-0.6, 0, 0]])
    expected = np.eye(3) + np.sin(0.7) * k + (1.0 - np.cos(0.7)) * (k @ k)
    np.testing.assert_array_equal(rotation_about(nearly, 0.7), expected)


def test_nothing_is_locked_by_none():
    """As by no names at all, in every call."""
    goals, stance = np.array([[GOAL]]), [np.array([0.0, 0.1, 0.1, -0.2])] * 2
    for answer in (
        lambda locked: solve_ik(ARM, GOAL, locked=locked).q,
        lambda locked: solve_ik(ARM, np.array(GOAL), locked=locked).q,
        lambda locked: Limbs([ARM]).solve(goals, locked=locked).q,
        lambda locked: BOTH.solve(goals, locked=locked).q,
        lambda locked: base_reach(LEGS, stance, np.eye(4), AHEAD, 0.01, locked).q,
    ):
        assert answer(None).tobytes() == answer(()).tobytes()


def test_a_rotation_has_a_finite_axis():
    with pytest.raises(SoftshellError, match=r'axis\[1\] is nan; expected a finite number'):
        rotation_about((0, NAN, 1), 0.1)


@pytest.mark.parametrize('short', [0.0, 1e-12, 4.9e-12, 1e-10, 1e-9, 1e-7])
def test_angles_near_the_lock_are_those_of_the_rotation(short):
    """Yaw and roll are each lost there, their combination is not: also at 1.57079632679 rad."""
    random = np.random.default_rng(3)
    for yaw, roll, sign in zip(*random.uniform(-3.0, 3.0, (2, 50)), [-1, 1] * 25, strict=True):
        rotation = rotation_from_angles([yaw, sign * (np.pi / 2 - short), roll])
        again = rotation_from_angles(angles_from_rotation(rotation))
        assert np.abs(again - rotation).max() < 2e-12
