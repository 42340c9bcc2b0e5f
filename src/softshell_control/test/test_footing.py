"""Feet fitted to the ground by a bridge: what is felt, what is added, what goals know of it."""

import dataclasses

import numpy as np
import pytest

from softshell_common.goal_state import GoalState
from softshell_control.backend import BaseState, FootContacts, ImuSample, Measured
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.footing.footing import Footing
from softshell_control.footing.touch import GRAVITY, Touch
from softshell_control.joint_map import JointMap
from softshell_control.mock import MockBackend
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.from_urdf import chain_from_urdf

PERIOD = 0.004
SHELL = load_robot('shell')
STAND = SHELL.pose('stand')
LIMITS = limits_of(SHELL)
#: All channels, and those of one leg.
ALL = np.arange(len(STAND))
LEGS = [
    np.array([SHELL.index(name) for name in SHELL.own_joints(leg)]) for leg in SHELL.legs.chains
]
UP = np.array([0.0, 0.0, 1.0])
#: A base that is turned by a right angle to the left.
TURNED = BaseState(orientation=np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]))


class Hole(MockBackend):
    """Follows exactly; the foot `over` stands over a hole, if any does."""

    over: int | None = None

    def step(self, now, command):
        measured = super().step(now, command)
        touching = np.ones(6, dtype=np.bool_)
        if self.over is not None:
            touching[self.over] = False
        return dataclasses.replace(measured, contacts=FootContacts(touching, np.zeros((6, 3))))


class Rig:
    """A bridge of Shell that stands."""

    def __init__(self):
        self.backend = Hole(SHELL)
        self.core = BridgeCore(self.backend, LIMITS, PERIOD, FollowerSettings())
        self.footing = self.core.following.footing = Footing(SHELL, LIMITS)
        self.core.following.on = True
        self.core.activate()
        self.events = []
        self.go(STAND, 2.0, on_feet=False)

    def send(self, values, seconds, on_feet=True, start=None, channels=ALL, **options):
        points = [values] if start is None else [start, values]
        times = np.linspace(seconds if start is None else 0.0, seconds, len(points))
        options = {'stamp': 0, 'on_feet': on_feet} | options
        self.core.offer(
            Trajectory(
                Identity('tester', bytes(16)), channels=channels, times=times,
                values=np.array(points)[:, channels], **options,
            )
        )  # fmt: skip

    def pass_time(self, seconds):
        for _ in range(round(seconds / PERIOD)):
            self.events += [status.goal for status in self.core.tick()]

    def go(self, values, seconds, on_feet=True, start=None):
        self.send(values, seconds, on_feet, start)
        self.pass_time(seconds + 0.1)

    def adapt(self):
        """Stand with a foot in a hole, until nothing moves any more; the command then."""
        self.backend.over = 0
        self.go(STAND, 1.0)
        self.backend.over = None
        self.pass_time(7.0)
        assert self.off() > 0.2
        return self.core.command.value.copy()

    def largest_step(self, seconds):
        """The largest change of any command within a control period [rad]."""
        largest = 0.0
        for _ in range(round(seconds / PERIOD)):
            before = self.core.command.value.copy()
            self.pass_time(PERIOD)
            largest = max(largest, np.abs(self.core.command.value - before).max())
        return largest

    def off(self):
        """How far the command is from standing."""
        return np.abs(self.core.command.value - STAND).max()


@pytest.fixture
def rig():
    return Rig()


def test_where_all_feet_stand_nothing_is_added(rig):
    """On level ground commands are those of the plan."""
    rig.go(STAND, 1.0)
    assert rig.off() < 1e-9


def test_goals_know_nothing_of_what_is_added(rig):
    """Over a hole a leg reaches down, smoothly, and its trajectory is reached without an error."""
    rig.backend.over = 0
    before = rig.core.command.value.copy()
    fastest, hardest, rate = 0.0, 0.0, np.zeros(len(STAND))
    rig.send(STAND, 1.0)
    for _ in range(275):
        rig.pass_time(PERIOD)
        present = rig.core.command.value
        change = (present - before) / PERIOD
        fastest = max(fastest, np.abs(change).max())
        hardest = max(hardest, np.abs(change - rate).max() / PERIOD)
        before, rate = present.copy(), change
    assert rig.footing.soles.shift[0] < -0.03
    assert rig.off() > 0.2
    reached = rig.events[-1]
    assert (reached.state, reached.error) == (GoalState.REACHED, pytest.approx(0.0, abs=1e-6))
    assert fastest < LIMITS.rate.max() + 1e-9
    assert hardest < 150.0 + 1e-6
    # The leg is where the correction says, by its own forward kinematics.
    chain = chain_from_urdf(SHELL.urdf, 'base_link', SHELL.legs.feet[0])
    feet = []
    for pose in (STAND, rig.core.command.value):
        at = dict(zip(SHELL.joint_names, pose, strict=True))
        feet.append(chain.forward([at[name] for name in chain.variables])[:3, 3])
    assert feet[1] - feet[0] == pytest.approx([0.0, 0.0, rig.footing.soles.shift[0]], abs=1e-3)


@pytest.mark.parametrize('how', ['off', 'not on feet'])
def test_what_was_added_is_taken_back(rig, how):
    """Once corrections are switched off, or in a motion that is not on feet."""
    rig.backend.over = 0
    rig.go(STAND, 1.0)
    assert rig.off() > 0.2
    if how == 'off':
        rig.core.following.on = False
        rig.pass_time(2.0)
    else:
        rig.go(STAND, 2.0, on_feet=False)
    assert rig.off() < 1e-9
    assert rig.footing.at_rest


def test_a_trajectory_from_measured_joints_has_it_already(rig):
    """What starts where the joints are measured goes on from there, without a jump."""
    rig.backend.over = 0
    rig.go(STAND, 1.0)
    measured = rig.core.channels.copy()
    rig.backend.over = None
    rig.go(measured, 0.5, start=measured)
    assert rig.core.command.value == pytest.approx(measured, abs=1e-6)
    assert rig.footing.at_rest


def test_a_trajectory_of_one_leg_moves_no_other(rig):
    """The legs that it does not name stay where they are, with what was added."""
    held = rig.adapt()
    rig.send(held, 0.5, on_feet=False, start=held, channels=LEGS[0])
    assert rig.largest_step(0.6) < 1e-4
    # The base was brought back to its height, so the others have corrections too.
    assert np.abs(held - STAND)[LEGS[3]].max() > 0.02
    assert rig.core.command.value == pytest.approx(held, abs=1e-3)


@pytest.mark.parametrize('channels', [ALL, LEGS[0]], ids=['all', 'leg'])
def test_what_was_added_stays_until_a_trajectory_starts_that_has_it(rig, channels):
    """One that starts later from measured joints moves nothing when it comes, nor at its start."""
    held = rig.adapt()
    later = rig.core.now + 500_000_000
    rig.send(held, 0.5, on_feet=False, start=held, channels=channels, stamp=later)
    assert rig.largest_step(0.4) < 1e-4
    assert not rig.footing.at_rest
    assert rig.largest_step(0.8) < 1e-4
    assert rig.core.command.value == pytest.approx(held, abs=1e-3)


def test_a_queued_trajectory_that_follows_none_may_have_it(rig):
    """It begins at once, where the joints are measured, and nothing is added twice."""
    held = rig.adapt()
    rig.send(held, 0.5, on_feet=False, start=held, queued=True)
    assert rig.largest_step(0.7) < 1e-4
    assert rig.core.command.value == pytest.approx(held, abs=1e-3)


def test_a_queued_trajectory_goes_on_from_the_plan(rig):
    """It starts at the goal of the one before, which has no correction: what was added stays."""
    held = rig.adapt()
    rig.send(STAND, 0.5)
    rig.send(STAND, 0.5, start=STAND, queued=True)
    assert rig.largest_step(1.2) < 1e-3
    assert rig.core.command.value == pytest.approx(held, abs=5e-3)
    assert not rig.footing.at_rest


def test_to_activate_anew_adds_nothing(rig):
    """The command stays what is measured, without a correction, until feet are to stand again."""
    rig.backend.over = 0
    rig.go(STAND, 1.0)
    rig.core.deactivate()
    rig.core.activate()
    held = rig.core.channels.copy()
    rig.backend.over = 1
    rig.pass_time(1.0)
    assert rig.footing.at_rest
    assert rig.core.command.value == pytest.approx(held)
    rig.go(held, 1.0)
    assert rig.footing.soles.shift[1] < -0.03


def test_a_cancelled_goal_holds_what_is_commanded(rig):
    """The command stays where it was, with its correction."""
    rig.backend.over = 0
    rig.send(STAND, 5.0)
    rig.pass_time(1.0)
    present = rig.core.command.value.copy()
    rig.core.cancel(Identity('tester', bytes(16)))
    rig.pass_time(0.2)
    assert rig.core.command.value == pytest.approx(present, abs=1e-3)


def test_an_imu_that_is_broken_is_none(rig):
    """What it says for a moment is not remembered."""
    measured = dataclasses.replace(rig.core.measured, imu=ImuSample(np.full(4, np.nan)))
    rig.footing.update(STAND, measured, True, PERIOD)
    assert np.isfinite(rig.footing.offset).all()
    assert np.isfinite(rig.footing.soles.shift).all()


def test_a_stall_makes_no_leap(rig):
    """A period of a second over a hole moves a foot no further than two periods do."""
    rig.backend.over = 0
    rig.send(STAND, 5.0)
    rig.pass_time(0.2)
    before = rig.footing.soles.shift.copy()
    rig.core.tick(rig.core.now + 10**9)
    assert np.abs(rig.footing.soles.shift - before).max() < 0.5 * 2.0 * PERIOD


def test_without_legs_there_is_nothing_to_fit():
    """A robot without legs is refused by its name."""
    arm = load_robot('arm')
    with pytest.raises(SoftshellError, match="'arm' has no legs"):
        Footing(arm, limits_of(arm))


def touch_of_shell():
    chains = [chain_from_urdf(SHELL.urdf, 'base_link', foot) for foot in SHELL.legs.feet]
    own = [SHELL.own_joints(leg) for leg in SHELL.legs.chains]
    return Touch(SHELL, chains, own), chains


def test_a_foot_that_is_touched_from_the_side_is_not_carried():
    """It is held instead; feet with an equal share of the weight are carried and not held."""
    touch, _ = touch_of_shell()
    share = GRAVITY * SHELL.urdf.mass / 6
    contacts = FootContacts(np.ones(6, dtype=np.bool_), np.zeros((6, 3)))
    contacts.force[:, 2] = share
    contacts.force[0] = 3.0, 0.0, 0.02 * share
    measured = Measured.zero(len(JointMap.of(SHELL).names), len(STAND))
    measured.contacts, measured.base = contacts, TURNED
    touch.look(measured, UP, np.zeros(6, dtype=np.bool_), PERIOD)
    assert touch.touching.all()
    assert touch.carried.tolist() == [False] + [True] * 5
    pushed = np.zeros((6, 3))
    pushed[0] = 0.0, -3.0 / share, 0.02  # the base has its left side ahead
    assert touch.held == pytest.approx(pushed)
    measured.base = None
    touch.look(measured, UP, np.zeros(6, dtype=np.bool_), PERIOD)
    assert not touch.held.any()


@pytest.mark.parametrize(
    ('force', 'held'),
    [
        ((0.0, 0.0, -2.0), True),
        ((2.0, 0.0, 0.5), True),
        ((2.0, 0.0, 1.4), False),
        ((0, 0, 2), False),
    ],
)
def test_walls_hold_a_foot_and_slopes_do_not(force, held):
    """Dragged up a slope of 10 degrees, at a friction of 1, it gets 1.4 times as much aside."""
    touch, _ = touch_of_shell()
    measured = Measured.zero(len(JointMap.of(SHELL).names), len(STAND))
    measured.contacts = FootContacts(np.ones(6, dtype=np.bool_), np.tile((0.0, 0.0, 1.0), (6, 1)))
    measured.contacts.force[0] = force
    measured.base = TURNED
    touch.look(measured, UP, np.zeros(6, dtype=np.bool_), PERIOD)
    assert touch.held.any(axis=1).tolist() == [held] + [False] * 5


def test_efforts_tell_who_is_carried():
    """Joints that hold three feet up against their share: τ = -Jᵀ f, leg by leg."""
    touch, chains = touch_of_shell()
    names = JointMap.of(SHELL).names
    at = dict(zip(SHELL.joint_names, STAND, strict=True))
    measured = Measured.zero(len(names), len(STAND))
    share = GRAVITY * SHELL.urdf.mass / 6
    for name in SHELL.joint_names:
        measured.position[names.index(name)] = at[name]
    for leg in (0, 2, 4):
        joints = [at[name] for name in chains[leg].variables]
        for place, name in enumerate(chains[leg].variables):
            way = np.zeros(len(joints))
            way[place] = 1e-6
            moved = chains[leg].forward(joints + way) - chains[leg].forward(joints - way)
            measured.effort[names.index(name)] = -2.0 * share * moved[2, 3] / 2e-6
    for _ in range(100):
        touch.look(measured, UP, np.zeros(6, dtype=np.bool_), PERIOD)
    assert touch.carried.tolist() == [True, False] * 3
    assert touch.load[[0, 2, 4]] == pytest.approx(2.0 * share, rel=0.02)
