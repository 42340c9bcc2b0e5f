"""Odometry of legs against walks whose truth is known, and against what robots do to it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from walking_feet import SECONDS, Walk

from softshell_control.estimates.leg_odometry import LegOdometry
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError


@pytest.fixture(scope='module', params=['shell', 'quadruped'])
def walk(request):
    """A cycle of a gait."""
    return Walk(request.param)


@pytest.fixture(scope='module')
def shell():
    return Walk('shell')


def follow(walk, change=lambda sample, measured: None, **parts):
    """The estimate after every sample: positions, rotations, velocities, and who estimated."""
    odometry = LegOdometry(walk.robot)
    positions, turns, velocities = [], [], []
    for sample in range(len(walk.positions)):
        measured = walk.measured(sample, **parts)
        change(sample, measured)
        base = odometry.update(measured, SECONDS if sample else 0.0)
        positions.append(base.position.copy())
        turns.append(Rotation.from_quat(base.orientation))
        velocities.append(base.linear_velocity.copy())
    return np.array(positions), turns, np.array(velocities), odometry


def error(walk, positions):
    """(samples, 3) [m] against the truth, from the second sample on, when the feet are known."""
    return positions[1:] - walk.positions[1:]


@pytest.mark.parametrize('contacts', [True, False])
@pytest.mark.parametrize('imu', [True, False])
def test_the_base_is_where_rolling_feet_put_it(walk, imu, contacts):
    """Over a whole cycle, with feet in the air, to 1e-6 m and rad, by any of the sensors."""
    positions, turns, _, _ = follow(walk, imu=imu, contacts=contacts)
    assert not walk.touching.all(axis=1).all()
    assert np.linalg.norm(walk.positions[-1, :2]) > 0.04
    assert np.abs(error(walk, positions)).max() < 1e-6
    off = [(turn * truth.inv()).magnitude() for turn, truth in zip(turns, walk.turns, strict=True)]
    assert max(off) < 1e-6


def test_the_velocity_is_that_of_the_base(shell):
    """Smoothed over 20 ms it lags a little: within 3 mm/s of the twist's 34 mm/s."""
    _, turns, velocities, _ = follow(shell)
    ways = np.diff(shell.positions, axis=0)[20:] / SECONDS
    found = [turn.apply(v) for turn, v in zip(turns[21:], velocities[21:], strict=True)]
    assert np.abs(np.array(found) - ways)[:, :2].max() < 3e-3


def test_a_foot_that_slips_is_left_aside():
    """One of six feet moves 0.1 m/s over the ground: at most 1 % of its way gets into the base."""
    walk = Walk('shell', samples=30, slip=(0.1, 0.0, 0.0))
    positions, _, _, odometry = follow(walk)
    slipped = 0.1 * SECONDS * walk.touching[:, -1].sum()
    assert slipped > 0.02
    assert np.abs(error(walk, positions)).max() < 0.01 * slipped
    assert odometry.weights[-1] < 0.01
    assert odometry.weights[[0, 1, 3, 4]].min() > 0.5


@pytest.mark.parametrize('imu', [True, False])
def test_joints_that_are_not_measured_cost_their_foot(shell, imu):
    """Of each sample 3 % of the joints are lost, marked or NaN: 2 mm and 0.01 rad at most."""
    generator = np.random.default_rng(5)

    def lose(sample, measured):
        lost = generator.random(len(measured.position)) < 0.03
        measured.position[lost] = np.nan
        measured.valid[lost & (generator.random(len(lost)) < 0.5)] = False

    positions, turns, velocities, _ = follow(shell, lose, imu=imu)
    assert np.isfinite(velocities).all()
    assert np.abs(error(shell, positions)).max() < 2e-3
    assert (turns[-1] * shell.turns[-1].inv()).magnitude() < 0.01


@pytest.mark.parametrize(('gap', 'most'), [(4, 1e-5), (15, 1e-4)])
def test_a_gap_of_all_joints_is_bridged(shell, gap, most):
    """After 40 or 150 ms without any joint the base is where it would be: its feet stood on."""

    def lose(sample, measured):
        measured.valid[:] = not 3 <= sample < 3 + gap

    positions, _, velocities, _ = follow(shell, lose)
    assert velocities[5].tolist() == [0.0, 0.0, 0.0]
    assert positions[5].tolist() == positions[2].tolist()
    # The velocity in the gap is not known, so neither how the spheres rolled: by their chord.
    assert np.abs(error(shell, positions)[3 + gap :]).max() < most


@pytest.mark.parametrize('wrong', [[np.nan] * 4, [0.0] * 4, [0.0, 0.0, 0.0, 2.0]])
def test_an_orientation_that_is_none_is_ignored(shell, wrong):
    """Every third quaternion is NaN, 0 or too long: the legs tell the turn meanwhile."""

    def spoil(sample, measured):
        if sample % 3 == 2:
            measured.imu.orientation[:] = wrong

    positions, turns, _, _ = follow(shell, spoil)
    assert np.abs(error(shell, positions)).max() < 1e-6
    off = [
        (turn * truth.inv()).magnitude() for turn, truth in zip(turns, shell.turns, strict=True)
    ]
    assert max(off) < 1e-6


def test_a_robot_on_its_back_turns_and_does_not_travel(shell):
    """Whatever its legs do; how far it may have rolled is stated, but for the last 0.055 rad."""

    def throw(sample, measured):
        roll = Rotation.from_euler('x', 1.5 + 0.005 * sample)
        measured.imu.orientation[:] = roll.as_quat()

    positions, turns, velocities, odometry = follow(shell, throw)
    assert np.ptp(positions, axis=0).tolist() == [0.0, 0.0, 0.0]
    assert not velocities.any()
    assert turns[-1].magnitude() == pytest.approx(1.5 + 0.895)
    assert 0.2 * (0.895 - 0.055) <= odometry.base.pose_deviation[0] - 0.003 <= 0.2 * 0.895


def test_the_stated_error_grows_with_the_way_and_not_with_time(shell):
    """After a walk as far as the relation says; then no further while the robot trembles."""
    *_, odometry = follow(shell)
    walked = odometry.base.pose_deviation.copy()
    way = np.linalg.norm(np.diff(shell.positions[:, :2], axis=0), axis=1).sum()
    assert walked[0] == pytest.approx(0.003 + 0.02 * way + 0.01 * 0.07 * 1.8, abs=1e-3)
    generator = np.random.default_rng(1)
    for _ in range(500):
        measured = shell.measured(len(shell.positions) - 1)
        measured.position += generator.normal(scale=1e-3, size=measured.position.shape)
        base = odometry.update(measured, SECONDS)
    assert base.pose_deviation[0] < walked[0] + 2e-3


def test_a_robot_without_legs_has_no_such_odometry():
    """The error names the robot."""
    with pytest.raises(SoftshellError, match=r"'arm' has no legs"):
        LegOdometry(load_robot('arm'))
