"""Rolling as a controller: where forward is, when it brakes, and what it refuses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_control.backend import ImuSample, Measured
from softshell_control.ball.controller import REFERENCES, RollingController
from softshell_control.ball.rolling_law import Aim
from softshell_control.channel import limits_of
from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

ROBOT = load_robot()
LIMITS = limits_of(ROBOT)
PERIOD = 0.004
TICK = round(PERIOD * 1e9)
STAND, BALL = ROBOT.pose('stand'), ROBOT.pose('ball')
DEFAULTS = {name: entry.default for name, entry in REFERENCES.items()}


class Rig:
    """A controller that is shown an IMU, and what it wants."""

    def __init__(self, seen=True):
        self.controller = RollingController(ROBOT, LIMITS, PERIOD)
        movable, channels = len(JointMap.of(ROBOT).names), len(LIMITS.channels)
        zeros = np.zeros(movable)
        self.measured = Measured(
            zeros, zeros, zeros, np.ones(movable, bool), zeros, np.zeros(channels)
        )
        self.measured.imu = ImuSample(link=ROBOT.base.link) if seen else None
        self.value, self.rate = np.zeros(channels), np.zeros(channels)
        self.now = 0
        self.headings = []
        decide = self.controller.law.decide

        def spy(time, orientation, spin, aim, heading):
            self.headings.append((aim, heading))
            decide(time, orientation, spin, aim, heading)

        self.controller.law.decide = spy

    def show(self, yaw=0.0, tilt=0.0, spin=(0.0, 0.0, 0.0)):
        """The base is turned about the vertical, then tilted about its own x axis."""
        turn = Rotation.from_euler('ZX', [yaw, tilt])
        self.measured.imu.orientation = turn.as_quat()
        self.measured.imu.angular_velocity = turn.inv().apply(spin)

    def watch(self, joints, seconds=1.0, moving=False):
        """Somebody else wants joints somewhere for a while."""
        self.value[: len(joints)] = joints
        self.rate[ROBOT.index('fold')] = 1.0 if moving else 0.0
        for _ in range(round(seconds / PERIOD)):
            self.controller.watch(self.now, self.measured, self.value, self.rate)
            self.now += TICK

    def begin(self, **references):
        self.controller.begin(self.now, self.measured, self.value)
        self.controller.instruct(self.now, {**DEFAULTS, **references})

    def run(self, seconds):
        """Till then, or the run has an end."""
        end = self.now + round(seconds * 1e9)
        while self.now < end and not (self.controller.done or self.controller.problem):
            after = self.now + TICK
            self.controller.update(self.now, after, self.measured, self.value, self.rate)
            self.now = after

    @property
    def aim(self):
        return self.headings[-1][0]


def heading_of(rig):
    return (rig.headings[-1][1] + np.pi) % (2.0 * np.pi) - np.pi


@pytest.mark.parametrize('yaw', [0.0, 2.0, 3.1])
def test_forward_is_where_it_looked_before_it_closed(yaw):
    """The fold turns the base by 1.4 rad, which does not count; directions are to the left."""
    rig = Rig()
    rig.show(yaw)
    rig.watch(STAND)
    rig.show(yaw + 0.7)
    rig.watch((STAND + BALL) / 2.0, moving=True)
    rig.show(yaw + 1.4)
    rig.watch(BALL)
    for direction in (0.0, 1.0, -3.0):
        rig.begin(direction=direction)
        rig.run(0.05)
        error = heading_of(rig) - yaw - direction
        assert (error + np.pi) % (2.0 * np.pi) - np.pi == pytest.approx(0.0, abs=1e-3)


def test_forward_is_learnt_after_the_clock_went_back():
    """By an hour: what was learnt before and after both count."""
    rig = Rig()
    rig.now = 3_600_000_000_000
    rig.watch(STAND)
    rig.now = 0
    rig.show(0.5)
    rig.watch(STAND, 20.0)
    rig.begin()
    rig.run(0.05)
    assert heading_of(rig) == pytest.approx(0.5, abs=0.05)


def test_noise_of_the_imu_is_averaged():
    """White noise of 2 degrees moves forward by less than 1.5."""
    rig, random = Rig(), np.random.default_rng(0)
    for _ in range(200):
        rig.show(0.5 + random.normal(0.0, np.radians(2.0)))
        rig.watch(STAND, 0.012)
    rig.begin()
    rig.run(0.05)
    assert heading_of(rig) == pytest.approx(0.5, abs=np.radians(1.5))


def test_a_ball_from_the_start_looks_where_its_x_axis_points():
    """It has never been seen open; a second run keeps what the first has found, till a reset."""
    rig = Rig()
    rig.show(0.8)
    rig.watch(BALL)
    for yaw, forward in ((0.8, 0.8), (2.2, 0.8), (2.2, 2.2)):
        if yaw == forward == 2.2:
            rig.controller.forget()
        rig.show(yaw)
        rig.begin()
        rig.run(0.05)
        assert heading_of(rig) == pytest.approx(forward, abs=1e-9)


def test_turning_turns_forward_itself():
    """1 rad/s for half a second is 0.5 rad, which a later run starts from."""
    rig = Rig()
    rig.show(0.0)
    rig.watch(STAND)
    rig.begin(turn=1.0, direction=0.3)
    rig.run(0.5)
    assert heading_of(rig) == pytest.approx(0.8, abs=0.02)
    rig.begin()
    rig.run(0.02)
    assert heading_of(rig) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ('references', 'after', 'aim'),
    [({'timeout': 0.5}, 0.55, Aim.STOP), ({'duration': 0.8}, 0.85, Aim.STOP), ({}, 5.0, Aim.ROLL)],
)
def test_it_brakes_in_time(references, after, aim):
    """After the time-out without being told, or the duration; without either, never."""
    rig = Rig()
    rig.show(0.0)
    rig.begin(**references)
    rig.run(0.4)
    assert rig.aim is Aim.ROLL
    rig.run(after - 0.4)
    assert rig.aim is aim


def test_what_is_told_in_time_keeps_it_rolling():
    """Each reference begins the time-out anew; speed 0 ends it, and more begins again."""
    rig = Rig()
    rig.show(0.0)
    rig.begin(timeout=0.5)
    for _ in range(5):
        rig.run(0.4)
        rig.controller.instruct(rig.now, {'speed': 0.6})
        assert rig.aim is Aim.ROLL
    for speed, aim in ((0.0, Aim.STOP), (0.5, Aim.ROLL)):
        rig.controller.instruct(rig.now, {'speed': speed})
        rig.run(0.02)
        assert rig.aim is aim


def test_it_brakes_before_the_distance():
    """At 0.6 m/s on the line of 2 m it brakes between 1.2 and 2 m; sideways is no way."""
    rig = Rig()
    for spin, expected in (((0.0, 0.6 / 0.177, 0.0), Aim.STOP), ((3.4, 0.0, 0.0), Aim.ROLL)):
        rig.show(0.0, spin=spin)
        rig.begin(distance=2.0)
        rig.run(1.9)
        assert rig.aim is Aim.ROLL
        rig.run(1.5)
        assert rig.aim is expected


def test_what_is_to_finish_is_told_nothing_more():
    """It rests, and is done, whatever comes for it meanwhile."""
    rig = Rig()
    rig.show(0.0)
    rig.begin()
    rig.run(0.1)
    rig.controller.finish()
    rig.controller.instruct(rig.now, {'speed': 0.9})
    rig.run(3.0)
    assert rig.controller.done


def test_without_an_imu_it_does_not_begin_and_ends_when_one_falls_silent():
    """By name: none at all, one behind a joint, one that has not spoken for 0.2 s."""
    without_rates = ImuSample(angular_velocity=np.full(3, np.nan))
    for imu in (None, ImuSample(link='lower_0_thigh'), without_rates):
        rig = Rig()
        rig.measured.imu = imu
        with pytest.raises(SoftshellError, match='an IMU that is fixed to the base'):
            rig.begin()
    rig = Rig()
    rig.begin()
    rig.run(0.1)
    rig.measured.imu.age = 0.3
    rig.run(0.1)
    assert 'the IMU has fallen silent' in rig.controller.problem.text


def test_what_does_not_come_to_rest_is_a_problem():
    """Rolling on at 1 m/s for 20 s, it says that it has not come to rest."""
    rig = Rig()
    rig.show(0.0, spin=(0.0, 5.0, 0.0))
    rig.begin(speed=0.0)
    rig.run(25.0)
    assert rig.now * 1e-9 == pytest.approx(20.0, abs=0.1)
    assert 'the ball did not come to rest in 20 s' in rig.controller.problem.text
