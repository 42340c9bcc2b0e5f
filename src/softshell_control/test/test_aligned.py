"""Joints that are read in turn, at one time; and the base by them."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from walking_feet import SECONDS, Walk

from softshell_control.backend import FootContacts, ImuSample, Measured
from softshell_control.estimates.aligned import Aligned
from softshell_control.estimates.base_estimate import BaseEstimate
from softshell_control.joint_map import JointMap
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_description.load import load_robot

PERIOD = 0.02
#: Control periods in which every joint is read once.
TURNS = 4


class Servos:
    """A robot whose joints go their ways and are read in turn.

    Args:
        robot: its name.
        wanted, offset: command of the joints, and what they give way, at a time [s].
    """

    def __init__(self, robot, wanted, offset):
        self.joints = JointMap.of(load_robot(robot))
        self.wanted, self.offset = wanted, offset
        count = len(self.joints.names)
        self.measured = Measured.zero(count, self.joints.independent)
        self.tick, self._read = 0, np.zeros(count)

    def truth(self, time):
        """(movable,) where the joints are."""
        place = np.zeros(len(self.joints.names))
        self.joints.positions(self.wanted(time) + self.offset(time), place)
        return place

    def step(self):
        """What is measured a control period later, and what is commanded then."""
        measured, self.tick = self.measured, self.tick + 1
        time = self.tick * PERIOD
        own = np.arange(self.joints.independent)
        turn = (own % TURNS == self.tick % TURNS)[self.joints.source]
        driven = slice(self.joints.driven)
        measured.position[driven][turn] = self.truth(time)[driven][turn]
        self._read[driven][turn] = time
        measured.age[driven] = time - self._read[driven]
        measured.stamp = round(time * NANOSECONDS)
        return measured, self.wanted(time)


def errors(servos, commanded):
    """(ticks, movable) what aligned joints are off the truth of the time they are told of."""
    aligned, found = Aligned(servos.joints), []
    for tick in range(60):
        measured, command = servos.step()
        seen = aligned.update(measured, command if commanded else None)
        if tick > 2 * TURNS:
            assert not seen.age.any()
            assert measured.stamp - seen.stamp == round((TURNS - 1) * PERIOD * NANOSECONDS)
            found.append(seen.position - servos.truth(seen.stamp / NANOSECONDS))
    return np.array(found)


def shell_servos(offset):
    """Those of the Shell, whose joints are swung."""
    count = len(load_robot('shell').joints)
    phases = np.arange(count)
    return Servos('shell', lambda t: 0.3 * np.sin(9.0 * t + phases), offset)


def test_joints_that_give_way_evenly_are_found_exactly():
    """A constant offset, or one that grows evenly, from commands that swing quickly."""
    for offset in (lambda t: 0.03, lambda t: 0.02 * t):
        assert np.abs(errors(shell_servos(offset), True)).max() < 1e-12


def test_an_offset_that_swings_is_found_between_its_readings():
    """Between two readings h apart a line is off by no more than a h² / 8, with acceleration a."""
    servos = shell_servos(lambda t: 0.02 * np.sin(5.0 * t))
    bound = 0.02 * 5.0**2 * (TURNS * PERIOD) ** 2 / 8.0
    found = np.abs(errors(servos, True)).max()
    assert 0.2 * bound < found < bound


def test_joints_that_are_not_commanded_move_evenly_between_two_readings():
    """The same bound, of the whole motion: a hand that moves them is not known any better."""
    servos = shell_servos(lambda t: 0.0)
    bound = 0.3 * 9.0**2 * (TURNS * PERIOD) ** 2 / 8.0
    assert 0.2 * bound < np.abs(errors(servos, False)).max() < bound


def test_what_is_measured_at_once_stays_as_it_is():
    """A backend that measures all joints in every period pays nothing, and nothing is delayed."""
    joints = JointMap.of(load_robot('quadruped'))
    measured = Measured.zero(len(joints.names), joints.independent)
    assert Aligned(joints).update(measured) is measured


def test_a_joint_that_is_not_read_any_more_is_not_waited_for():
    """After 0.2 s it is not valid, and the others are those of a later time again."""
    servos = shell_servos(lambda t: 0.0)
    aligned, lost = Aligned(servos.joints), 3
    for _ in range(40):
        measured, command = servos.step()
        measured.age[lost] = measured.stamp / NANOSECONDS
        seen = aligned.update(measured, command)
    assert not seen.valid[lost]
    assert seen.valid.sum() == len(seen.valid) - 1
    assert measured.stamp - seen.stamp == round((TURNS - 1) * PERIOD * NANOSECONDS)
    measured.age[:] = np.inf
    assert not aligned.update(measured, command).valid.any()


def test_feet_and_imu_are_those_of_the_joints_time():
    """The reading that is nearest to it; what is measured later does not change it."""
    servos = shell_servos(lambda t: 0.0)
    aligned = Aligned(servos.joints)
    touching = np.zeros(6, dtype=bool)
    for tick in range(20):
        measured, command = servos.step()
        touching[:] = tick % 2
        measured.contacts = FootContacts(touching, np.full((6, 3), float(tick)))
        measured.imu = ImuSample(angular_velocity=np.full(3, float(tick)), age=0.001)
        seen = aligned.update(measured, command)
    then = 19 - (TURNS - 1)
    assert seen.imu.angular_velocity[0] == then
    assert seen.imu.age == 0.0
    assert seen.contacts.force[0, 0] == then
    assert seen.contacts.touching.all() == bool(then % 2)


@pytest.mark.parametrize('name', ['shell', 'quadruped'])
def test_a_base_by_joints_that_are_read_in_turn_is_where_it_is_by_all_at_once(name):
    """1 mm where it comes to rest, 3 mm on its way; it heads as the IMU does."""
    walk = Walk(name, samples=120)
    joints = JointMap.of(walk.robot)
    own = (np.arange(joints.independent) % TURNS)[joints.source]
    estimate, at_once = BaseEstimate(walk.robot), BaseEstimate(walk.robot)
    old, read = np.zeros(len(walk.names)), np.zeros(len(walk.names))
    for tick in range(150):
        sample = min(tick, 119)
        measured = walk.measured(sample)
        measured.stamp = round(tick * SECONDS * NANOSECONDS)
        fresh = at_once.update(measured)[0].base
        turn = (own == tick % TURNS) | (tick == 0)
        old[turn], read[turn] = walk.joints[sample][turn], tick
        measured.position[:] = old
        measured.age[:] = (tick - read) * SECONDS
        base = estimate.update(measured, walk.joints[sample][: joints.independent])[0].base
        heading = Rotation.from_quat(base.orientation) * walk.turns[sample].inv()
        assert heading.magnitude() < 1e-9
        if tick > 2 * TURNS:
            assert np.linalg.norm(base.position - fresh.position) < 0.003
    way = np.linalg.norm(walk.positions[-1] - walk.positions[0])
    assert way > 0.03
    assert np.linalg.norm(base.position - fresh.position) < 0.001
