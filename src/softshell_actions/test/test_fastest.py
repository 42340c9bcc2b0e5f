"""The fastest motion along a path."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, CubicSpline
from scipy.optimize import linprog
from scipy.spatial import cKDTree

from softshell_actions.trajectories.fastest import fastest
from softshell_actions.trajectories.joint_limits import JointLimits
from softshell_actions.trajectories.timing import shortest
from softshell_kinematics.errors import SoftshellError


def limits_of(speed, acceleration):
    names = tuple(f'joint_{k}' for k in range(len(speed)))
    units = ('rad',) * len(speed)
    return JointLimits(names, units, np.array(speed, float), np.array(acceleration, float))


def any_path(seed, joints, samples=8):
    rng = np.random.default_rng(seed)
    limits = limits_of(rng.uniform(0.5, 3.0, joints), rng.uniform(1.0, 10.0, joints))
    return rng.normal(size=(samples, joints)), limits


@pytest.mark.parametrize(
    ('way', 'speed', 'acceleration'),
    [(1.0, 1.0, 4.0), (1.0, 0.5, 4.0), (3.0, 1.0, 1.0), (2.0, 10.0, 3.0), (1.0, 2.0, 4.0)],
)
def test_a_straight_line_is_run_by_a_trapezoid(way, speed, acceleration):
    """T = D/v + v/a, or 2 √(D/a) where the speed is not reached; at points, and at every time."""
    found = fastest([[0.0], [way]], limits_of([speed], [acceleration]), points=2001)
    reached = min(speed, np.sqrt(way * acceleration))
    expected = way / reached + reached / acceleration
    assert found.motion.duration == pytest.approx(expected, rel=1e-5)
    motion = found.motion
    times = np.linspace(0.0, motion.duration, 999)
    ramp = np.minimum(times, motion.duration - times)
    profile = np.minimum(acceleration * ramp, reached)
    curve = CubicHermiteSpline(motion.times, motion.positions[:, 0], motion.velocities[:, 0])
    assert curve(times, 1) == pytest.approx(profile, abs=2e-3 * reached)


def test_the_slowest_joint_of_a_straight_line_decides():
    """Along a line in three joints, the largest of D/v and of D/a bind."""
    ways, speeds, accelerations = np.array([1.0, 2.0, 0.5]), [1.0, 1.0, 2.0], [2.0, 8.0, 0.8]
    found = fastest(np.outer([0.0, 1.0], ways), limits_of(speeds, accelerations))
    speed, acceleration = np.min(speeds / ways), np.min(accelerations / ways)
    expected = 1.0 / speed + speed / acceleration
    assert found.motion.duration == pytest.approx(expected, rel=1e-4)


def test_a_path_there_and_back_passes_its_far_end_without_a_stop():
    """A joint that goes to 1 and back along a parabola brakes and comes back at one acceleration:
    √(1/a) to speed up, 2 √(1/a) round the end, √(1/a) to stop."""
    parameters = np.linspace(-1.0, 1.0, 9)
    found = fastest((1.0 - parameters**2)[:, None], limits_of([100.0], [4.0]), points=4001)
    # Half the way up is speeding up, half is braking.
    assert found.motion.duration == pytest.approx(4.0 * np.sqrt(1.0 / 4.0), rel=1e-3)


def test_a_circle_is_run_by_one_joint_after_the_other():
    """Within 45° of φ = 0 the joint at cos φ brakes at its limit a, so the squared rate is
    2 a / (1 + cos φ): the rate at each quarter is √a, and a quarter takes 4 sin 22.5° / √a."""
    angles = np.linspace(0.0, 20.0 * np.pi, 2001)
    way = np.column_stack([np.cos(angles), np.sin(angles)])
    found = fastest(way, limits_of([np.inf] * 2, [9.0, 9.0]), angles, points=16001)
    # Away from the ends, where it speeds up and brakes.
    quarters = slice(2000, 14001, 400)
    rates = np.linalg.norm(found.motion.velocities[quarters], axis=1)
    assert rates == pytest.approx(np.full(31, 3.0), rel=2e-3)
    durations = np.diff(found.motion.times[quarters])
    assert durations == pytest.approx(np.full(30, 4.0 * np.sin(np.pi / 8) / 3.0), rel=2e-3)


@pytest.mark.parametrize(('joints', 'seed'), [(1, 0), (2, 1), (3, 2), (6, 3), (6, 4), (18, 5)])
def test_limits_are_kept_at_every_time_and_reached(joints, seed):
    """Dense sampling finds no speed or acceleration above its limit by 1e-9 of it, 99.9 % of one
    are reached, and at half of all times at least 97 % of one."""
    path, limits = any_path(seed, joints)
    motion = fastest(path, limits).motion
    curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    times = np.linspace(0.0, motion.duration, 100_001)
    parts = np.hstack(
        [np.abs(curve(times, 1)) / limits.speed, np.abs(curve(times, 2)) / limits.acceleration]
    ).max(axis=1)
    assert parts.max() <= 1.0 + 1e-9
    assert parts.max() > 0.999
    assert np.median(parts) > 0.97


@pytest.mark.parametrize('seed', range(4))
def test_motion_runs_along_the_path_from_rest_to_rest(seed):
    """Its points are on the spline in the path's order, its velocities along the tangents."""
    path, limits = any_path(seed, 3)
    motion = fastest(path, limits).motion
    spline = CubicSpline(np.linspace(0.0, 1.0, len(path)), path)
    places = np.linspace(0.0, 1.0, 200_001)
    distances, nearest = cKDTree(spline(places)).query(motion.positions)
    assert distances.max() < 1e-4
    assert np.diff(nearest).min() > 0
    assert not motion.velocities[[0, -1]].any()
    assert np.diff(motion.times).min() > 0.0
    tangents = spline(places[nearest], 1)
    across = np.linalg.norm(motion.velocities, axis=1) * np.linalg.norm(tangents, axis=1)
    along = np.sum(motion.velocities * tangents, axis=1)
    assert along == pytest.approx(across, rel=1e-4, abs=1e-4)


def by_linear_programme(path, limits, points):
    """Time of the fastest motion by another method: squared rates as large as possible, under
    limits of acceleration on both ends of each step, by scipy's linear programming."""
    places = np.linspace(0.0, 1.0, points)
    spline = CubicSpline(np.linspace(0.0, 1.0, len(path)), path)
    tangents, bends, step = spline(places, 1), spline(places, 2), places[1]
    rows, bounds = [], []
    for k in range(points - 1):
        for end in (k, k + 1):
            row = np.zeros((path.shape[1], points))
            row[:, k] -= tangents[end] / (2 * step)
            row[:, k + 1] += tangents[end] / (2 * step)
            row[:, end] += bends[end]
            rows += [row, -row]
            bounds += [limits.acceleration] * 2
    most = ((limits.speed / np.abs(tangents)) ** 2).min(axis=1)
    most[[0, -1]] = 0.0
    found = linprog(
        -np.ones(points),
        np.vstack(rows),
        np.concatenate(bounds),
        bounds=np.column_stack([np.zeros(points), most]),
    )
    rates = np.sqrt(found.x)
    return float(np.sum(2 * step / (rates[:-1] + rates[1:])))


@pytest.mark.parametrize(('joints', 'seed'), [(2, 0), (3, 1), (6, 2), (6, 3)])
def test_no_motion_is_faster(joints, seed):
    """Linear programming over all squared rates at 401 points finds the same time to 1 %."""
    path, limits = any_path(seed, joints)
    exact = by_linear_programme(path, limits, 401)
    assert fastest(path, limits).motion.duration == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize('seed', range(3))
def test_points_are_added_where_the_path_needs_them(seed):
    """From 41 points, on a path through 15 samples, it comes within 3 % of the time from 4001; one
    joint whose limits are far apart reverses in a thousandth of a step, and is still kept."""
    path, limits = any_path(seed, 3, samples=15)
    fine = fastest(path, limits, points=4001).motion.duration
    assert fastest(path, limits, points=41).motion.duration == pytest.approx(fine, rel=0.03)
    there = (1.0 - np.linspace(-1.0, 1.0, 9) ** 2)[:, None]
    found = fastest(there, limits_of([0.1], [100.0]), points=101)
    # 1 rad there and 1 rad back at 0.1 rad/s; four times v/a is taken to speed up or to brake, in
    # which it gets half as far.
    assert found.motion.duration == pytest.approx(20.0 + 2 * 0.1 / 100.0, rel=5e-3)


@pytest.mark.parametrize('law', ['cubic', 'quintic'])
def test_it_is_faster_than_any_law_of_a_given_shape(law):
    """Also than the shortest motion by that law along the same path."""
    for seed in range(5):
        path, limits = any_path(seed, 4)
        given = shortest(path, limits, law).motion.duration
        assert fastest(path, limits).motion.duration < given


def test_a_path_that_rests_at_its_own_ends_is_run_as_fast():
    """The time of a line does not depend on how its parameter begins and ends."""
    parts = np.linspace(0.0, 1.0, 41)
    eased = 3 * parts**2 - 2 * parts**3
    found = fastest(eased[:, None], limits_of([1.0], [4.0]))
    assert found.motion.duration == pytest.approx(1.25, rel=1e-3)


def test_joints_without_limits_do_not_count():
    """One of two joints has no limit: the time is that of the other."""
    path = np.column_stack([np.linspace(0.0, 1.0, 9), np.linspace(0.0, 5.0, 9) ** 2])
    found = fastest(path, limits_of([1.0, np.inf], [4.0, np.inf]))
    assert found.motion.duration == pytest.approx(1.25, rel=1e-4)
    assert found.peak.joint == 'joint_0'
    still = np.column_stack([np.zeros(9), np.linspace(0.0, 1.0, 9)])
    with pytest.raises(SoftshellError, match='no joint that has a limit moves along it'):
        fastest(still, limits_of([1.0, np.inf], [4.0, np.inf]))
