"""Gate, follower and backend together, with the mock as backend: from a message to the joints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.mock import MockBackend
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import NANOSECONDS, Identity, start
from softshell_description.load import load_robot

PERIOD = 0.004


@pytest.fixture(scope='module')
def robot():
    return load_robot()


@pytest.fixture(scope='module')
def arm():
    return load_robot('arm')


def make(robot, backend=None):
    backend = backend or MockBackend(robot, robot.pose('idle'))
    core = BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings(), start_time=10**9)
    core.activate()
    return core


def whose(number):
    return Identity('tester', bytes([number]) * 16)


def message(robot, goal, number=1, duration=1.0, names=None, queued=False):
    names = list(robot.joint_names) if names is None else names
    request = Request(whose(number), 0, names, [duration], [goal], [[]], [[]], queued)
    return check_trajectory(request, robot.joint_names)


def run(core, seconds):
    """Tick; every report with the time it came at [s]."""
    reports = []
    for _ in range(round(seconds / PERIOD)):
        reports += [(core.now * 1e-9, status) for status in core.tick()]
    return reports


def goals(reports):
    return [(status.goal.identity.id[0], status.goal.state) for _, status in reports]


def test_activation_holds_what_is_measured(robot):
    """Before any command the joints stay exactly where they were measured."""
    core = make(robot)
    assert run(core, 0.1) == []
    assert core.mode == BridgeMode.HOLDING
    assert core.command.value.tolist() == robot.pose('idle').tolist()
    assert core.command.rate.tolist() == [0.0] * len(robot.joints)
    assert core.now == 1_100_000_000


def test_a_joint_just_outside_its_range_is_led_back_and_then_nothing_is_limited(arm):
    """It was measured there when the robot began to be driven: nobody commanded it there."""
    joint = arm.joints[1]
    outside = arm.pose('home')
    outside[1] = joint.upper + 0.003
    core = make(arm, MockBackend(arm, outside))
    assert core.command.value[1] == outside[1]
    run(core, 0.5)
    assert core.mode is BridgeMode.HOLDING
    assert core.command.value[1] <= joint.upper
    assert core.command.value == pytest.approx(np.minimum(outside, joint.upper), abs=0.01)
    assert ReasonCode.OUT_OF_RANGE not in [reason.code for reason in core.status().reasons]
    run(core, 0.1)
    assert core.status().reasons == ()


def test_trajectory_from_start_to_hold(robot):
    """Accepted, executed, reached at its end, and holding half a second later."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand')))
    reports = run(core, 3.0)
    story = [(status.mode, status.goal.state) for _, status in reports]
    assert story == [
        (BridgeMode.EXECUTING, GoalState.ACTIVE),
        (BridgeMode.EXECUTING, GoalState.REACHED),
        (BridgeMode.HOLDING, GoalState.REACHED),
    ]
    assert {status.goal.identity for _, status in reports} == {whose(1)}
    accepted, reached, holding = (time for time, _ in reports)
    assert reached - accepted == pytest.approx(1.0, abs=2 * PERIOD)
    assert holding - reached == pytest.approx(0.5, abs=2 * PERIOD)
    assert core.measured.position[:31] == pytest.approx(robot.pose('stand'))
    assert core.measured.channels == pytest.approx(robot.pose('stand'))


def test_reached_and_next_active_are_two_reports(robot):
    """At the hand-over of the queue the old goal's end and the new goal's beginning both show."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand'), 1))
    core.offer(message(robot, robot.pose('idle'), 2, queued=True))
    assert goals(run(core, 2.5))[:5] == [
        (1, GoalState.ACTIVE),
        (2, GoalState.WAITING),
        (1, GoalState.REACHED),
        (2, GoalState.ACTIVE),
        (2, GoalState.REACHED),
    ]


def test_refused_message_changes_nothing(robot):
    """A bad message is reported with its reasons; the motion under way goes on."""
    core, undisturbed = make(robot), make(robot)
    for each in (core, undisturbed):
        each.offer(message(robot, robot.pose('stand'), 1))
        run(each, 0.5)
    core.offer(message(robot, [np.nan], 2, names=['fold']))
    (_, status), *_ = run(core, PERIOD)
    run(undisturbed, PERIOD)
    assert (status.mode, status.goal.identity, status.goal.state) == (
        BridgeMode.EXECUTING,
        whose(2),
        GoalState.REJECTED,
    )
    assert "'fold' is nan" in status.goal.reasons[0].text
    assert core.command.value.tolist() == undisturbed.command.value.tolist()
    assert (1, GoalState.REACHED) in goals(run(core, 1.0))


def test_limited_command_is_reported_and_missed(robot):
    """A goal outside a joint's range is followed to the limit, missed, and the reason says why."""
    core = make(robot)
    core.offer(message(robot, [-3.0], names=['fold']))
    reports = run(core, 4.0)
    missed = next(status for _, status in reports if status.goal.state == GoalState.MISSED)
    assert Reason(ReasonCode.OUT_OF_RANGE, 'range limited: fold') in missed.reasons
    assert missed.goal.error == pytest.approx(1.0)
    assert missed.goal.channel == 'fold'
    assert missed.goal.reasons == (
        Reason(
            ReasonCode.TOLERANCE,
            'fold is off its goal by 1 rad, 2 s after the end; expected at most 0.06 rad',
        ),
    )
    assert core.command.value[0] == pytest.approx(-2.0)


def test_cancellation_in_full_motion(robot):
    """A trajectory cancelled at speed ends as STOPPED; the joints brake within the limits."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand')))
    run(core, 0.5)
    here, speed = core.command.value.copy(), core.command.rate.copy()
    core.cancel(whose(1))
    reports = run(core, 0.2)
    assert goals(reports)[0] == (1, GoalState.STOPPED)
    assert reports[0][1].goal.reasons == (Reason(ReasonCode.CANCELLED, 'cancelled'),)
    assert core.mode == BridgeMode.HOLDING
    assert np.abs(core.command.rate).max() == 0.0
    assert core.command.value == pytest.approx(here, abs=1e-9)
    assert np.abs(speed).max() > 0.5


def test_cancellation_before_the_first_tick(robot):
    """A trajectory cancelled in the same tick in which it comes: active, and stopped at once."""
    core = make(robot)
    core.offer(message(robot, robot.pose('stand')))
    core.cancel(whose(1))
    assert goals(run(core, 0.1))[:2] == [(1, GoalState.ACTIVE), (1, GoalState.STOPPED)]
    assert core.command.value.tolist() == robot.pose('idle').tolist()


def test_cancellation_of_what_is_not_there(robot):
    """Nothing is reported and nothing changes."""
    core = make(robot)
    core.cancel(whose(9))
    assert run(core, 0.1) == []


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
    limits, last = core.limits, core.command.rate.copy()
    for number in range(60):
        wild = generator.uniform(-40.0, 40.0, len(robot.joints))
        core.offer(message(robot, wild, number, duration=generator.uniform(0.001, 0.2)))
        for _ in range(10):
            core.tick()
            command = core.command
            assert (command.value >= limits.lower).all()
            assert (command.value <= limits.upper).all()
            assert (np.abs(command.rate) <= limits.rate + 1e-9).all()
            change = np.abs(command.rate - last)
            assert (change <= limits.acceleration * PERIOD * (1 + 1e-6) + 1e-9).all()
            last = command.rate.copy()


class Broken(Backend):
    """Works for ten steps, then fails in one of two ways, until it is reset."""

    name = 'broken'
    owns_time = True

    def __init__(self, robot, how):
        self.inner, self.how, self.steps = MockBackend(robot, robot.pose('idle')), how, 0

    def reset(self):
        self.steps = 0
        return self.inner.reset()

    def activate(self):
        return self.inner.activate()

    def step(self, now, command):
        self.steps += 1
        measured = self.inner.step(now, command)
        if self.steps > 10 and self.how == 'raise':
            raise OSError('port is gone')
        if self.steps > 10:
            measured.position[3] = np.nan
        return measured

    def stop(self, policy):
        pass


@pytest.mark.parametrize(
    ('how', 'code', 'text'),
    [
        ('raise', ReasonCode.BACKEND, 'OSError: port is gone'),
        ('nan', ReasonCode.NOT_FINITE, 'measured joint positions are not finite'),
    ],
)
def test_fault_latches(robot, how, code, text):
    """A failing backend makes a latched fault that refuses commands until a reset."""
    core = make(robot, Broken(robot, how))
    core.offer(message(robot, robot.pose('stand')))
    reports = run(core, 0.1)
    assert reports[-1][1].mode == BridgeMode.FAULT
    assert reports[-1][1].reasons == (Reason(code, text),)
    assert goals(reports) == [(1, GoalState.ACTIVE), (1, GoalState.STOPPED)]
    assert reports[-1][1].goal.reasons == (Reason(code, text),)
    core.offer(message(robot, robot.pose('stand'), 9))
    (_, refused), *_ = run(core, 0.1)
    assert (refused.mode, refused.goal.identity, refused.goal.state) == (
        BridgeMode.FAULT,
        whose(9),
        GoalState.REJECTED,
    )
    core.reset()
    core.activate()
    assert core.mode == BridgeMode.HOLDING
    assert core.status().reasons == ()
    assert core.command.value == pytest.approx(robot.pose('idle'))
    run(core, PERIOD)
    assert core.mode == BridgeMode.HOLDING


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.0005, 0.03), min_size=400, max_size=400))
def test_wall_time_is_what_the_tick_is_given(arm, steps):
    """A backend on wall time: however irregular the ticks, its clock is the one that counts.

    The backend is given the time of each tick, and the trajectory of 0.3 s is reached at the first
    tick that begins 0.3 s after the one that took it.
    """
    seen = []

    class Walled(MockBackend):
        owns_time = False

        def step(self, now, command):
            seen.append(now)
            return super().step(now, command)

    begin = 1_700_000_000 * NANOSECONDS
    core = BridgeCore(Walled(arm), limits_of(arm), PERIOD, FollowerSettings(), start_time=begin)
    core.activate()
    core.offer(message(arm, arm.pose('home') + 0.1, duration=0.3))
    times = (begin + np.cumsum(np.array(steps) * 1e9).astype(np.int64)).tolist()
    reached = None
    for now in times:
        started = core.now
        for status in core.tick(now):
            if status.goal.state is GoalState.REACHED and reached is None:
                reached = started
        assert core.now == core.measured.stamp == now
        assert core.measured.channels.tolist() == core.command.value.tolist()
    assert seen == times
    due = [begin, *times[:-1]]
    assert reached == next((at for at in due if at >= begin + 300_000_000), None)


@pytest.mark.parametrize('jitter', [0.0, 0.3, 0.5])
def test_late_ticks_are_no_jumps(arm, jitter):
    """An ordinary motion on wall time is limited by nothing, and follows its curve in time."""
    core = BridgeCore(MockBackend(arm), limits_of(arm), PERIOD, FollowerSettings())
    core.activate()
    begin, goal = core.command.value.copy(), arm.pose('home') + 0.3
    trajectory = message(arm, goal, duration=1.0)
    core.offer(trajectory)
    core.tick(round(PERIOD * 1e9))
    curve = start(trajectory, begin, np.zeros_like(begin))
    steps = np.random.default_rng(0).uniform(1.0 - jitter, 1.0 + jitter, 260) * PERIOD * 1e9
    wanted, rate = np.zeros_like(begin), np.zeros_like(begin)
    for now in (core.now + np.cumsum(steps).astype(np.int64)).tolist():
        core.tick(now)
        curve.evaluate(now * 1e-9, wanted, rate)
        assert core.command.value == pytest.approx(wanted, abs=1e-6)
    assert core.status().reasons == ()


def test_a_stalled_loop_goes_on_within_the_limits(arm):
    """After 0.3 s without a tick the command does not jump to where it should be."""
    core = BridgeCore(MockBackend(arm), limits_of(arm), PERIOD, FollowerSettings())
    core.activate()
    core.offer(message(arm, arm.pose('home') + 0.3, duration=1.0))
    for now in range(1, 60):
        core.tick(now * round(PERIOD * 1e9))
    before, now = core.command.value.copy(), core.now + 300_000_000
    core.tick(now)
    assert (np.abs(core.command.value - before) <= 2 * PERIOD * core.limits.rate + 1e-12).all()
    assert any('limited' in reason.text for reason in core.status().reasons)
    for tick in range(1, 300):
        core.tick(now + tick * round(PERIOD * 1e9))
    assert core.command.value == pytest.approx(arm.pose('home') + 0.3)
