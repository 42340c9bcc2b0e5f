"""Strides that make up for the slip of those before them, of a robot that is a point."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.performing.course import CARRIED, LEFT, LOST, MOST, Course
from softshell_actions.performing.robot import BasePose
from softshell_actions.performing.walking import stride_call
from softshell_actions.planning.preparing import Prepared
from softshell_actions.robot import body_of
from softshell_actions.state import State
from softshell_actions.trajectories.motion import Motion
from softshell_description.load import load_robot

LIBRARY = body_of(load_robot('shell')).library()
PERIOD = 0.5
#: Of the robot in odom when it begins, and of the base in its footprint.
START, OFFSET = np.array([3.0, -2.0, 2.5]), np.array([0.01, -0.02, 0.1])


class Walker:
    """A robot that slips, on a way in odom.

    Args:
        slips: takes what a stride goes, (3,), to what it really goes.
        known: whether anything measures the base.

    Attributes:
        told: (3,) what the base's pose is told too much, seen from the robot.
        deviation: (3,) its standard deviations that are told.
    """

    def __init__(self, slips, known=True):
        self.course, self.slips, self.known = Course(), slips, known
        turned = Rotation.from_euler('z', OFFSET[2])
        place = np.array([*OFFSET[:2], 0.16])
        self.state = State({}, np.zeros((0, 3)), place, turned)
        self.place, self.wanted, self.changes = START, START, []
        self.told, self.deviation = np.zeros(3), np.zeros(3)

    def stride(self, velocity):
        """One stride more, at the end of which it is to be at a velocity."""
        velocity = np.asarray(velocity, dtype=float)
        change = self.course.correction(stride_call(LIBRARY, 'tripod', velocity))
        end = replace(self.state, velocity=velocity + change)
        motion = Motion((), np.array([0.0, PERIOD]), np.zeros((2, 0)), np.zeros((2, 0)))
        base = None
        if self.known:
            told = footprint.compose(self.place, self.told)
            base = BasePose(footprint.compose(told, OFFSET), self.deviation)
        prepared = Prepared(None, {}, motion, end, 1.0, 1.0, change, ())
        self.course.sent(SimpleNamespace(base=base), self.state, prepared)
        before = self.state.velocity - (self.changes[-1] if self.changes else 0.0)
        meant = footprint.ramp(before, velocity, PERIOD, 2)[-1]
        done = footprint.ramp(self.state.velocity, end.velocity, PERIOD, 2)[-1]
        self.wanted = footprint.compose(self.wanted, meant)
        self.place = footprint.compose(self.place, self.slips(done))
        self.state = end
        self.changes.append(change)

    @property
    def off(self):
        """(3,) from where it is to where it should be."""
        return footprint.seen_from(self.place, self.wanted)


def drifting(way):
    """3 % too short, and 3 degrees to the left on each metre."""
    return np.array([0.97 * way[0], 0.97 * way[1], 0.97 * way[2] + 0.05 * abs(way[0])])


@pytest.mark.parametrize(
    'velocity', [[0.15, 0.0, 0.0], [0.0, -0.1, 0.0], [0.1, 0.05, 0.4]], ids=str
)
def test_it_keeps_to_its_way(velocity):
    """Within a centimetre and a degree after metres; without correction it is far off by then."""
    walker = Walker(drifting)
    for _ in range(40):
        walker.stride(velocity)
    walker.stride(np.zeros(3))
    assert (np.abs(walker.off) < [0.01, 0.01, 0.018]).all()
    assert not walker.state.velocity.any()
    lost = footprint.ramp(np.array(velocity), np.array(velocity), PERIOD, 2)[-1]
    assert (40.0 * np.abs(drifting(lost) - lost)).max() > 0.05


def test_a_push_is_made_up_for_without_swinging():
    """Two strides at a changed velocity make up for it, and it is never overshot."""
    pushes = iter([np.zeros(3)] * 4 + [np.array([0.0, 0.012, 0.0])] + [np.zeros(3)] * 20)
    walker = Walker(lambda way: way + next(pushes))
    offs = []
    for _ in range(12):
        walker.stride([0.1, 0.0, 0.0])
        offs.append(walker.off[1])
    assert min(offs) == pytest.approx(-0.012)
    assert max(offs) < 1e-6
    assert np.abs(offs[-4:]).max() < 1e-6
    assert sum(change.any() for change in walker.changes) <= 2


def test_what_goes_as_planned_is_left_alone():
    """No stride is changed if the robot does not slip, or if nothing measures its base."""
    for walker in (Walker(lambda way: way), Walker(drifting, known=False)):
        for _ in range(10):
            walker.stride([0.1, 0.0, 0.3])
        assert not np.any(walker.changes)


def test_a_base_ahead_of_its_plan_is_no_error():
    """While it travels it is some millimetres ahead, always by the same distance."""
    walker = Walker(lambda way: way)
    for number in range(10):
        walker.stride([0.1, 0.0, 0.0])
        if number == 0:
            walker.place = footprint.compose(walker.place, np.array([0.003, 0.0, 0.0]))
    assert not np.any(walker.changes)


def test_who_is_carried_away_goes_on_from_there():
    """No stride leads back to where it was picked up, and no change is large."""
    pushes = iter([np.zeros(3)] * 4 + [2.0 * LOST] + [np.zeros(3)] * 20)
    walker = Walker(lambda way: way + next(pushes))
    for _ in range(12):
        walker.stride([0.1, 0.0, 0.0])
    assert not np.any(walker.changes)
    walker = Walker(lambda way: 0.5 * way)
    for _ in range(30):
        walker.stride([0.15, 0.0, 0.3])
    assert np.any(walker.changes)
    assert (np.abs(walker.changes) <= MOST).all()


def test_what_is_left_at_rest_is_made_up_for_by_the_next_command():
    """Strides of many short commands end where those of one long one would."""
    walker = Walker(drifting)
    for _ in range(10):
        walker.course.begin()
        for _ in range(8):
            walker.stride([0.1, 0.0, 0.0])
        walker.stride(np.zeros(3))
        # A command that sends nothing changes nothing.
        walker.course.begin()
    assert (np.abs(walker.off) < [0.01, 0.01, 0.018]).all()


@pytest.mark.parametrize('lost', [0.0, 1.0, 3.0])
def test_what_an_estimate_may_have_lost_is_made_up_for_by_its_share(lost):
    """Of an error L it is L q² / (q² + s²): q is what commands leave, s what the estimate lost."""
    walker = Walker(lambda way: way)
    walker.deviation = start = np.array([0.003, 0.003, 0.01])
    for _ in range(2):
        walker.course.begin()
        for _ in range(8):
            walker.stride([0.1, 0.0, 0.0])
        walker.stride(np.zeros(3))
        walker.told[0] = -0.01
        walker.deviation = start + lost * LEFT
    assert walker.off == pytest.approx([-0.01 / (1.0 + lost**2), 0.0, 0.0], abs=1e-6)


def test_who_is_moved_between_commands_goes_on_from_there():
    """No stride leads back to where it stood."""
    walker = Walker(lambda way: way)
    for _ in range(2):
        walker.course.begin()
        for _ in range(4):
            walker.stride([0.1, 0.0, 0.0])
        walker.stride(np.zeros(3))
        walker.place = footprint.compose(walker.place, 1.1 * CARRIED)
    assert not np.any(walker.changes)
