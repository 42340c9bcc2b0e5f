"""When the base is estimated, and where the estimate goes; the feet's spheres it rolls on."""

from dataclasses import replace

import numpy as np
import pytest
from walking_feet import Walk

from softshell_control.backend import BaseState, ImuSample, Measured
from softshell_control.estimates.base_estimate import BaseEstimate
from softshell_control.joint_map import JointMap
from softshell_description.foot_spheres import foot_spheres
from softshell_description.load import load_robot


@pytest.fixture(scope='module')
def walk():
    return Walk('quadruped', samples=40)


def test_beside_ground_truth_the_estimate_is_told_apart(walk):
    """What is measured stays as it is."""
    estimate = BaseEstimate(walk.robot)
    measured = replace(walk.measured(0), base=BaseState())
    told, found = estimate.update(measured)
    assert told is measured
    assert found is not None
    assert found is not measured.base


def test_without_ground_truth_the_estimate_is_the_base(walk):
    """The backend's own measurement is not touched, so that it never looks measured."""
    estimate = BaseEstimate(walk.robot)
    for sample in range(40):
        measured = walk.measured(sample)
        told, found = estimate.update(measured)
        assert measured.base is None
        assert found is None
    assert told.base.position == pytest.approx(walk.positions[-1], abs=1e-6)


def test_a_mock_has_no_base(walk):
    """Nothing is estimated before there is an IMU or a base; once begun it goes on without."""
    estimate = BaseEstimate(walk.robot)
    measured = walk.measured(0, imu=False, contacts=False)
    assert estimate.update(measured) == (measured, None)
    estimate.update(walk.measured(1))
    assert estimate.update(walk.measured(2, imu=False))[0].base is not None


def test_the_same_measurement_counts_once(walk):
    """A backend that failed repeats its last one: the way does not grow."""
    estimate = BaseEstimate(walk.robot)
    for sample in range(10):
        told, _ = estimate.update(walk.measured(sample))
    before = told.base.position.copy()
    later = walk.measured(20)
    later.stamp = walk.measured(9).stamp
    assert estimate.update(later)[0].base.position.tolist() == before.tolist()


def test_the_first_command_is_no_motion(walk):
    """Joints that are read in turn stand still while the bridge begins to drive them."""
    robot, joints = walk.robot, JointMap.of(walk.robot)
    count, period = len(joints.names), 8_000_000
    pose = robot.pose('stand')
    measured = Measured.zero(count, len(robot.joints) + len(robot.channels))
    measured.imu = ImuSample()
    joints.positions(pose, measured.position)
    estimate, bases = BaseEstimate(robot), []
    for tick in range(1, 60):
        measured.stamp = tick * period
        measured.age[:] = (tick + np.arange(count)) % 4 * period * 1e-9
        told, _ = estimate.update(measured, None if tick < 30 else pose)
        bases.append(told.base.position.copy())
    assert np.abs(np.array(bases[1:]) - bases[1]).max() < 1e-9  # the first is where it begins


def test_a_clock_that_goes_back_does_not_stop_it(walk):
    """Joints are read in turn. After an hour back the base goes on from where it was."""
    estimate = BaseEstimate(walk.robot)
    for sample in range(40):
        measured = walk.measured(sample)
        measured.age[::2] = 0.01
        measured.stamp += 0 if sample >= 20 else 3_600_000_000_000
        told, _ = estimate.update(measured)
        if sample == 19:
            half = told.base.position.copy()
    way = walk.positions[-1] - walk.positions[19]
    assert told.base.position - half == pytest.approx(way, abs=1e-3)
    assert np.hypot(*way[:2]) > 5e-3


def test_a_restart_is_at_the_origin(walk):
    """The robot was put back: x and y are 0 again, and nothing is left of the walk."""
    estimate = BaseEstimate(walk.robot)
    for sample in range(40):
        told, _ = estimate.update(walk.measured(sample))
    assert np.hypot(*told.base.position[:2]) > 0.005
    estimate.restart()
    told, _ = estimate.update(walk.measured(0))
    assert told.base.position[:2].tolist() == [0.0, 0.0]
    assert told.base.pose_deviation[0] == pytest.approx(0.003)


@pytest.mark.parametrize(('name', 'wanted'), [('arm', True), ('quadruped', False)])
def test_nothing_is_estimated_where_nothing_can_or_should_be(walk, name, wanted):
    """Of an arm, or where the parameter says no."""
    measured = walk.measured(0)
    assert BaseEstimate(load_robot(name), wanted).update(measured) == (measured, None)


@pytest.mark.parametrize(('name', 'radius'), [('shell', 0.006), ('quadruped', 0.010)])
def test_feet_are_round_as_the_urdf_says(name, radius):
    """Radius of the collision sphere of each foot's link, about the foot's frame."""
    spheres = foot_spheres(load_robot(name))
    assert spheres.radius == pytest.approx(radius)
    assert not spheres.centre.any()


def test_a_foot_without_a_sphere_is_a_point():
    """And one whose sphere is off its frame is round about the sphere's centre."""
    robot = load_robot('quadruped')
    first = robot.legs.feet[0]
    plain = robot.urdf_text.replace('<sphere', '<box')
    assert not foot_spheres(replace(robot, urdf_text=plain)).radius.any()
    begin = robot.urdf_text.index('<collision', robot.urdf_text.index(f'<link name="{first}"'))
    end = robot.urdf_text.index('</collision>', begin)
    off = '<collision><origin xyz="0.01 0 -0.02"/><geometry><sphere radius="0.03"/></geometry>'
    moved = robot.urdf_text[:begin] + off + robot.urdf_text[end:]
    spheres = foot_spheres(replace(robot, urdf_text=moved))
    assert spheres.centre[0].tolist() == [0.01, 0.0, -0.02]
    assert spheres.radius.tolist() == [0.03, 0.01, 0.01, 0.01]
