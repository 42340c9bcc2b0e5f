"""Gate, follower and backend together, with the mock as backend."""

import numpy as np
import pytest

from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore, Mode
from softshell_control.check import check_trajectory
from softshell_control.follower import FollowerSettings, GoalState
from softshell_control.gate import limits_of
from softshell_control.mock import MockBackend
from softshell_description.model import load_robot

PERIOD = 0.004


@pytest.fixture(scope='module')
def robot():
    return load_robot()


def make(robot, backend=None):
    backend = backend or MockBackend(robot, robot.pose('idle'))
    return BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings(), start_time=10**9)


def message(robot, goal, duration=1.0, stamp=1, names=None, queued=False):
    names = list(robot.joint_names) if names is None else names
    return check_trajectory(
        stamp, names, [duration], [goal], [[]], [[]], robot.joint_names, queued
    )


def run(core, seconds):
    """Tick; every report with the time it came at [s]."""
    reports = []
    for _ in range(round(seconds / PERIOD)):
        reports += [(core.now * 1e-9, status) for status in core.tick()]
    return reports


def test_activation_holds_what_is_measured(robot):
    """Before any command the joints stay exactly where they were measured."""
    core = make(robot)
    assert run(core, 0.1) == []
    assert core.mode == Mode.HOLDING
    assert core.command.position == pytest.approx(robot.pose('idle'))
    assert core.now == 1_100_000_000


def test_trajectory_from_start_to_hold(robot):
    """Accepted, executed, reached at its end, and holding half a second later."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand')))
    reports = run(core, 3.0)
    story = [(status.mode, status.goal.state) for _, status in reports]
    assert story == [
        (Mode.EXECUTING, GoalState.ACTIVE),
        (Mode.EXECUTING, GoalState.REACHED),
        (Mode.HOLDING, GoalState.REACHED),
    ]
    accepted, reached, holding = (time for time, _ in reports)
    assert reached - accepted == pytest.approx(1.0, abs=2 * PERIOD)
    assert holding - reached == pytest.approx(0.5, abs=2 * PERIOD)
    assert core.measured.position[:31] == pytest.approx(robot.pose('stand'))


def test_reached_and_next_active_are_two_reports(robot):
    """At the hand-over of the queue the old goal's end and the new goal's beginning both show."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand'), stamp=1))
    core.offer(message(robot, robot.pose('idle'), stamp=2, queued=True))
    story = [(s.goal.stamp, s.goal.state) for _, s in run(core, 2.5)]
    assert story[:4] == [
        (1, GoalState.ACTIVE),
        (1, GoalState.REACHED),
        (2, GoalState.ACTIVE),
        (2, GoalState.REACHED),
    ]


def test_refused_message_changes_nothing(robot):
    """A bad message is reported with its reasons; the motion under way goes on."""
    core, undisturbed = make(robot), make(robot)
    for each in (core, undisturbed):
        each.offer(message(robot, robot.pose('stand'), stamp=1))
        run(each, 0.5)
    core.offer(message(robot, [np.nan], names=['fold'], stamp=2))
    (_, status), *_ = run(core, PERIOD)
    run(undisturbed, PERIOD)
    assert (status.goal.stamp, status.goal.state) == (2, GoalState.REJECTED)
    assert "'fold' is nan" in status.reasons[0]
    assert core.command.position.tolist() == undisturbed.command.position.tolist()
    assert (1, GoalState.REACHED) in [(s.goal.stamp, s.goal.state) for _, s in run(core, 1.0)]


def test_limited_command_is_reported_and_missed(robot):
    """A goal outside a joint's range is followed to the limit, missed, and the reason says why."""
    core = make(robot)
    core.offer(message(robot, [-3.0], names=['fold']))
    reports = run(core, 4.0)
    states = [status.goal.state for _, status in reports]
    assert GoalState.MISSED in states
    missed = next(status for _, status in reports if status.goal.state == GoalState.MISSED)
    assert 'position limited: fold' in missed.reasons
    assert missed.goal.error == pytest.approx(1.0)
    assert core.command.position[0] == pytest.approx(-2.0)


def test_mimic_joints_follow(robot):
    """All six fold joints do what the fold does, in position and speed."""
    core = make(robot)
    core.offer(message(robot, [-1.0], names=['fold']))
    for _ in range(100):
        core.tick()
        assert core.measured.position[31:] == pytest.approx(core.measured.position[0])
        assert core.measured.velocity[31:] == pytest.approx(core.measured.velocity[0])
    assert core.measured.velocity[0] < -0.5


def test_commands_are_always_bounded(robot):
    """Wild but finite trajectories in quick succession: every command stays within the limits."""
    core, generator = make(robot), np.random.default_rng(0)
    limits, last = core.limits, core.command.velocity.copy()
    for stamp in range(60):
        wild = generator.uniform(-40.0, 40.0, len(robot.joints))
        core.offer(message(robot, wild, duration=generator.uniform(0.001, 0.2), stamp=stamp))
        for _ in range(10):
            core.tick()
            command = core.command
            assert (command.position >= limits.lower).all()
            assert (command.position <= limits.upper).all()
            assert (np.abs(command.velocity) <= limits.velocity + 1e-9).all()
            change = np.abs(command.velocity - last)
            assert (change <= limits.acceleration * PERIOD * (1 + 1e-6) + 1e-9).all()
            last = command.velocity.copy()


class Broken(Backend):
    """Works for ten steps, then fails in one of two ways, until it is reset."""

    name = 'broken'

    def __init__(self, robot, how):
        self.inner, self.how, self.steps = MockBackend(robot, robot.pose('idle')), how, 0

    def reset(self):
        self.steps = 0
        return self.inner.reset()

    def step(self, command):
        self.steps += 1
        measured = self.inner.step(command)
        if self.steps > 10 and self.how == 'raise':
            raise OSError('port is gone')
        if self.steps > 10:
            measured.position[3] = np.nan
        return measured


@pytest.mark.parametrize(
    ('how', 'text'), [('raise', 'OSError: port is gone'), ('nan', 'not finite')]
)
def test_fault_latches(robot, how, text):
    """A failing backend makes a latched fault that refuses commands until a reset."""
    core = make(robot, Broken(robot, how))
    core.offer(message(robot, robot.pose('stand')))
    reports = run(core, 0.1)
    assert reports[-1][1].mode == Mode.FAULT
    assert any(text in reason for reason in reports[-1][1].reasons)
    core.offer(message(robot, robot.pose('stand'), stamp=9))
    (_, refused), *_ = run(core, 0.1)
    assert (refused.goal.stamp, refused.goal.state) == (9, GoalState.REJECTED)
    assert core.reset().mode == Mode.HOLDING
    assert core.command.position == pytest.approx(robot.pose('idle'))
