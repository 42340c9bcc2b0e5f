"""Motions that keep to limits of speed and acceleration: slowed down, or timed by a law."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import brentq

from softshell_actions.curves.time_law import LAWS, progress
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.trajectories.joint_limits import JointLimits, peak
from softshell_actions.trajectories.motion import Motion
from softshell_actions.trajectories.timing import shortest, slowed, stretched
from softshell_description.load import load_robot
from softshell_kinematics.errors import OutOfRangeError, SoftshellError, UnknownNameError


def limits_of(speed, acceleration):
    names = tuple(f'joint_{k}' for k in range(len(speed)))
    units = ('rad',) * len(speed)
    return JointLimits(names, units, np.array(speed, float), np.array(acceleration, float))


def any_motion(rng, joints, points=30):
    """A motion with uneven times and velocities that have nothing to do with its positions."""
    times = np.cumsum(rng.uniform(0.01, 0.1, points))
    names = tuple(f'joint_{k}' for k in range(joints))
    return Motion(names, times - times[0], *rng.normal(size=(2, points, joints)))


def largest(motion, limits, samples=200_001):
    """Largest speed and acceleration over their limits, of what a bridge makes of a motion."""
    path = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    times = np.linspace(0.0, motion.duration, samples)
    speed = np.abs(path(times, 1)) / limits.speed
    return float(speed.max()), float((np.abs(path(times, 2)) / limits.acceleration).max())


@pytest.mark.parametrize('seed', range(5))
def test_peak_is_the_largest_value_between_points_too(seed):
    """Dense sampling finds no more, and almost as much; the peak is where and what it says."""
    rng = np.random.default_rng(seed)
    motion = any_motion(rng, 4)
    path = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    for speed, acceleration, order in ((1.0, np.inf, 1), (np.inf, 1.0, 2)):
        limits = limits_of([speed] * 4, [acceleration] * 4)
        found = peak(motion, limits)
        sampled = largest(motion, limits)[order - 1]
        assert sampled <= found.value * (1.0 + 1e-9)
        assert sampled > 0.99 * found.value
        assert found.quantity == ('speed', 'acceleration')[order - 1]
        column = motion.joints.index(found.joint)
        # Acceleration jumps at points: it is the one on either side.
        sides = np.abs([path(found.time + side, order)[column] for side in (-1e-9, 1e-9)])
        assert sides.max() == pytest.approx(found.value, rel=1e-5)


@pytest.mark.parametrize('seed', range(5))
def test_a_stretched_motion_keeps_to_its_limits_and_not_more(seed):
    """Never above a limit by 1e-9 of it, and at one of them somewhere."""
    rng = np.random.default_rng(seed)
    motion = any_motion(rng, 5)
    limits = limits_of(rng.uniform(0.5, 2.0, 5), rng.uniform(1.0, 100.0, 5))
    found = stretched(motion, limits)
    assert found.factor > 1.0
    assert found.motion.duration == pytest.approx(found.factor * motion.duration, rel=1e-12)
    reached = largest(found.motion, limits)
    assert max(reached) <= 1.0 + 1e-9
    assert max(reached) > 0.999
    assert np.array_equal(found.motion.positions, motion.positions)


def test_a_motion_within_its_limits_is_left_alone():
    """The factor is 1, and the motion the same."""
    motion = any_motion(np.random.default_rng(1), 2)
    found = stretched(motion, limits_of([1e6, 1e6], [1e9, 1e9]))
    assert found.factor == 1.0
    assert found.motion is motion
    assert found.peak.slowdown < 1.0


def test_what_asks_for_more_time_is_told_in_words():
    """Joint, quantity, value, moment and limit of a smoothstep that is twice too fast."""
    times = np.array([0.0, 2.0])
    motion = Motion(('joint_0',), times, np.array([[0.0], [4.0]]), np.zeros((2, 1)))
    found = stretched(motion, limits_of([1.5], [np.inf]))
    # A smoothstep is fastest half-way: 1.5 times as fast as on average.
    assert found.factor == pytest.approx(2.0, rel=1e-12)
    text = 'joint_0: speed is 3 rad/s at 1 s; expected at most 1.5 rad/s'
    assert str(found.peak) == text
    hard = stretched(motion, limits_of([np.inf], [1.5]))
    # It begins and ends with six times the way over the squared time.
    assert hard.factor == pytest.approx(2.0, rel=1e-12)
    assert (
        str(hard.peak) == 'joint_0: acceleration is 6 rad/s² at 0 s; expected at most 1.5 rad/s²'
    )


def test_limits_are_found_by_name():
    """A motion of some joints, in another order, is held to their own limits."""
    motion = Motion(('joint_2', 'joint_0'), np.array([0.0, 1.0]), np.eye(2), np.zeros((2, 2)))
    found = peak(motion, limits_of([3.0, 1.0, 0.5], [np.inf] * 3))
    assert (found.joint, found.limit, found.value) == ('joint_2', 0.5, pytest.approx(1.5))
    with pytest.raises(UnknownNameError, match="unknown joint 'joint_2'; known: joint_0, joint_1"):
        peak(motion, limits_of([1.0, 1.0], [1.0, 1.0]))


def test_laws_go_from_rest_to_rest():
    """From exactly 0 to exactly 1 without going back, with velocity 0 at both ends; the quintic
    with acceleration 0 as well."""
    for law, polynomial in LAWS.items():
        parts = progress(law, 1001)
        assert (parts[0], parts[-1]) == (0.0, 1.0)
        assert np.diff(parts).min() > 0.0
        orders = (1, 2) if law == 'quintic' else (1,)
        ends = [polynomial.deriv(k)(np.array([0.0, 1.0])) for k in orders]
        assert np.abs(ends).max() < 1e-12


@pytest.mark.parametrize(('speed', 'acceleration'), [(1.0, 100.0), (100.0, 2.0), (0.7, 1.9)])
@pytest.mark.parametrize(
    ('law', 'fastest', 'hardest'), [('cubic', 1.5, 6.0), ('quintic', 1.875, 10 / np.sqrt(3))]
)
def test_a_straight_line_takes_as_long_as_its_law_has_it(
    law, fastest, hardest, speed, acceleration
):
    """T is the larger of s' D / v and √(s'' D / a), with the law's largest s' and s''."""
    way = np.linspace(0.0, 3.0, 7)[:, None]
    found = shortest(way, limits_of([speed], [acceleration]), law, points=4001)
    expected = max(fastest * 3.0 / speed, np.sqrt(hardest * 3.0 / acceleration))
    assert found.motion.duration == pytest.approx(expected, rel=1e-6)
    assert found.peak.value == pytest.approx(found.peak.limit, rel=1e-9)


def test_a_circle_takes_as_long_as_its_closed_form():
    """Two joints on a circle at the cubic law: the largest of √(r² + c⁴) over a half turn,
    found by another solver, decides the time."""
    angles = np.linspace(0.0, np.pi, 400)
    way = np.column_stack([np.cos(angles), np.sin(angles)])
    found = shortest(way, limits_of([np.inf] * 2, [1.0, np.inf]), 'cubic', points=8001)

    def acceleration(part, derivative=0):
        s, rate = LAWS['cubic'](part), LAWS['cubic'].deriv()(part)
        slope = LAWS['cubic'].deriv(2)(part)
        return -np.pi * np.sin(np.pi * s) * slope - np.pi**2 * np.cos(np.pi * s) * rate**2

    def change(part):
        return (acceleration(part + 1e-6) - acceleration(part - 1e-6)) / 2e-6

    parts = np.linspace(1e-3, 1 - 1e-3, 400)
    values = np.array([change(part) for part in parts])
    turns = np.flatnonzero(values[:-1] * values[1:] < 0)
    tops = [brentq(change, parts[k], parts[k + 1]) for k in turns.tolist()]
    largest_of_all = max(abs(acceleration(part)) for part in tops)
    assert found.motion.duration == pytest.approx(np.sqrt(largest_of_all), rel=1e-5)
    assert found.peak.joint == 'joint_0'


def test_a_planned_motion_is_held_to_its_limits():
    """An arm that reaches out 1.3 rad in 0.5 s does it at up to 1.5 times the mean speed: 1.95
    times too fast for 2 rad/s, by the joint that is told."""
    robot = load_robot('arm')
    (part,) = Rehearsal(robot, 'home').perform('reach', {'duration': 0.5})
    names = tuple(joint.name for joint in robot.joints)
    units = tuple(joint.unit for joint in robot.joints)
    limits = JointLimits(names, units, np.full(3, 2.0), np.full(3, np.inf))
    found = stretched(part.motion, limits)
    assert found.factor == pytest.approx(1.5 * 1.3 / 0.5 / 2.0, rel=2e-3)
    assert found.peak.joint in ('shoulder', 'elbow')
    assert peak(found.motion, limits).value == pytest.approx(2.0, rel=1e-9)


def test_slowing_down_keeps_the_way():
    """At corresponding times positions are the same to 1e-12."""
    motion = any_motion(np.random.default_rng(2), 3)
    slow = slowed(motion, 2.5)
    times = np.linspace(0.0, motion.duration, 500)
    first = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)(times)
    second = CubicHermiteSpline(slow.times, slow.positions, slow.velocities)(2.5 * times)
    assert np.abs(first - second).max() < 1e-12


@pytest.mark.parametrize(
    ('call', 'problem'),
    [
        (lambda: shortest([[0.0]], limits_of([1], [1])), r'path has shape \(1, 1\); expected .*2'),
        (lambda: shortest([[0.0], [np.nan]], limits_of([1], [1])), r'path\[1, 0\] is nan; expect'),
        (lambda: shortest([[1.0], [1.0]], limits_of([1], [1])), 'no joint that has a limit moves'),
        (
            lambda: shortest([[0.0], [1.0]], limits_of([1], [1]), parameters=[1.0, 1.0]),
            'parameters of the path: 1 follows 1; expected a larger one',
        ),
        (
            lambda: shortest([[0.0], [1.0]], limits_of([1], [1]), parameters=[1.0]),
            r'path has 2 samples and parameters of shape \(1,\); expected one for each',
        ),
        (
            lambda: limits_of([1, 1], [1]),
            r'limits of acceleration have shape \(1,\); expected \(2',
        ),
        (
            lambda: JointLimits(('a',), (), np.ones(1), np.ones(1)),
            'limits have 0 units; expected 1',
        ),
    ],
)
def test_what_cannot_be_timed_is_refused(call, problem):
    """The error names the thing, the value and what was expected."""
    with pytest.raises(SoftshellError, match=problem):
        call()


@pytest.mark.parametrize('value', [0.0, -1.0, np.nan])
def test_limits_are_positive_numbers(value):
    """The error names the joint, the quantity and the value."""
    with pytest.raises(
        OutOfRangeError, match=f'joint_1: limit of speed is {value}; expected a po'
    ):
        limits_of([1.0, value], [1.0, 1.0])
