"""What a bridge makes of joints that its backend could not read."""

from dataclasses import replace

import numpy as np
import pytest
from bridge_rig import LIMITS, PERIOD, Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.joint_map import JointMap
from softshell_control.mock import MockBackend
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Tolerances
from softshell_description.form import ChannelKind, ChannelSpec
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError

ELBOW = 1
UNMEASURED = Reason(ReasonCode.NOT_MEASURED, 'elbow is not measured')


@pytest.fixture
def rig():
    return Rig().bring(BridgeMode.HOLDING)


def lose(rig, joint=ELBOW, lost=True):
    """Mark a joint as not measured; its old values stay, finite as they are."""
    rig.backend.inner._measured.valid[joint] = not lost


def test_a_joint_that_is_not_measured_cannot_be_held():
    """However finite its old value is: the activation is refused by name, until it is measured."""
    rig = Rig()
    lose(rig)
    error = rig.ask('activate')
    assert isinstance(error, SoftshellError)
    assert str(error) == 'not measured, so it cannot be held: elbow'
    assert rig.core.mode is BridgeMode.INACTIVE
    assert rig.backend.calls == ['activate', 'deactivate']
    assert rig.backend.commands == [None]
    lose(rig, lost=False)
    rig.ask('activate')
    assert rig.core.mode is BridgeMode.HOLDING


@pytest.mark.parametrize('lost_at', [10, 249])
def test_a_goal_whose_joint_is_lost_is_missed_at_its_end(rig, lost_at):
    """It goes on, for the joint may be measured again, but it is never reached unseen."""
    who = rig.offer(duration=1.0)
    rig.run(lost_at)
    lose(rig)
    rig.run(253 - lost_at)
    assert rig.states(who) == [GoalState.ACTIVE, GoalState.MISSED]
    goal = rig.reports[-1].goal
    assert (goal.channel, goal.reasons) == ('elbow', (UNMEASURED,))
    assert rig.core.driven
    commands = np.array([command for command in rig.backend.commands if command is not None])
    assert np.isfinite(commands).all()
    assert commands[-1][ELBOW] == pytest.approx(0.3)


def test_a_goal_whose_joint_is_measured_again_before_its_end_is_reached(rig):
    """What was lost for a while in between does not count against it."""
    who = rig.offer(duration=1.0)
    rig.run(100)
    lose(rig)
    rig.run(100)
    lose(rig, lost=False)
    rig.run(60)
    assert rig.states(who) == [GoalState.ACTIVE, GoalState.REACHED]


def test_a_goal_that_waits_for_a_joint_to_arrive_is_missed_when_it_is_lost(rig):
    """Beyond its range it would be waited for; not measured it is missed at once."""
    who = rig.offer(goal=LIMITS.upper[ELBOW] + 0.5, duration=1.0)
    rig.run(300)
    assert rig.states(who) == [GoalState.ACTIVE]
    lose(rig)
    rig.run(2)
    assert rig.states(who) == [GoalState.ACTIVE, GoalState.MISSED]
    assert rig.reports[-1].goal.reasons == (UNMEASURED,)


def test_with_a_path_to_keep_a_goal_is_missed_as_soon_as_its_joint_is_lost(rig):
    """Nobody can tell whether it is on its path; the joint holds its last command."""
    identity = Identity('tester', bytes(16))
    request = Request(identity, 0, ['elbow'], [1.0], [[0.3]], [[]])
    path = Tolerances(path=np.array([0.1]))
    rig.core.offer(check_trajectory(request, LIMITS.names, tolerances=path))
    rig.run(100)
    lose(rig)
    rig.run(2)
    assert rig.states(identity) == [GoalState.ACTIVE, GoalState.MISSED]
    assert rig.reports[-1].goal.reasons == (UNMEASURED,)
    assert rig.reports[-1].goal.on_the_way
    rig.run(50)
    assert np.isfinite(rig.core.command.value).all()
    assert np.abs(rig.core.command.rate).max() == 0.0


def test_other_joints_are_of_no_concern(rig):
    """A goal of the elbow is reached while the wrist is not measured."""
    lose(rig, joint=2)
    who = rig.offer(duration=0.2)
    rig.run(60)
    assert rig.states(who) == [GoalState.ACTIVE, GoalState.REACHED]
    assert np.isnan(rig.core.channels).tolist() == [False, False, True]


def test_what_the_backend_measured_stays_its_own(rig):
    """Its arrays are read, not written: a joint measured again has the value that is there."""
    lose(rig)
    rig.run(3)
    assert np.isfinite(rig.core.measured.channels).all()
    lose(rig, lost=False)
    rig.run()
    assert rig.core.channels.tolist() == rig.core.measured.channels.tolist()


def test_what_is_infinite_is_not_reached(rig):
    """Not even where any error is tolerated."""
    identity = Identity('tester', bytes(16))
    request = Request(identity, 0, ['elbow'], [0.1], [[0.3]], [[]])
    free = Tolerances(goal=np.array([np.inf]))
    rig.core.offer(check_trajectory(request, LIMITS.names, tolerances=free))
    step = rig.backend.inner.step

    def infinite(now, command):
        measured = step(now, command)
        measured.channels[ELBOW] = np.inf
        return measured

    rig.backend.inner.step = infinite
    rig.run(40)
    assert rig.states(identity) == [GoalState.ACTIVE, GoalState.MISSED]


def bridge(robot):
    core = BridgeCore(MockBackend(robot), limits_of(robot), PERIOD, FollowerSettings())
    core.activate()
    return core


def follow(core, name, goal):
    """The states of a goal of one channel in 0.1 s."""
    request = Request(Identity('tester', bytes(16)), 0, [name], [0.1], [[goal]], [[]])
    core.offer(check_trajectory(request, core.limits.names))
    return [status.goal.state for _ in range(30) for status in core.tick()]


def test_joints_that_mimic_others_are_no_channels():
    """Not measured they keep no channel from its goal; the joint that they follow does."""
    robot = load_robot('shell')
    core = bridge(robot)
    count = len(robot.joints)
    start = core.channels[0]
    core.measured.valid[count:] = False
    assert follow(core, 'fold', start - 0.01) == [GoalState.ACTIVE, GoalState.REACHED]
    assert np.isfinite(core.channels).all()
    core.measured.valid[count:] = True
    core.measured.valid[0] = False
    assert follow(core, 'fold', start) == [GoalState.ACTIVE, GoalState.MISSED]


def test_arrays_of_wrong_sizes_are_refused_at_the_start():
    """A backend that forgets the joints that mimic others learns which arrays are too short."""
    robot = load_robot('shell')
    count, movable = len(robot.joints), len(JointMap.of(robot).names)
    assert movable > count
    Measured.zero(movable, count).check(count, movable)
    with pytest.raises(ProblemsError) as caught:
        Measured.zero(count, count).check(count, movable)
    assert f'position has the shape ({count},); expected ({movable},)' in caught.value.problems
    assert len(caught.value.problems) == 5
    backend = MockBackend(robot)
    backend._measured = Measured.zero(movable, movable)
    with pytest.raises(ProblemsError, match='channels has the shape'):
        BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings())


def test_channels_that_are_no_joints_have_no_part_in_valid():
    """A tendon beside three joints: each can be lost by itself, the tendon as NaN."""
    tendon = ChannelSpec(
        kind=ChannelKind.TENSION, range=(0.0, 40.0), rate=400.0, goal_tolerance=0.5
    )
    core = bridge(replace(load_robot('arm'), channels={'tendon': tendon}))
    assert core.limits.joints == 3
    core.measured.valid[:] = False
    assert follow(core, 'tendon', 10.0) == [GoalState.ACTIVE, GoalState.REACHED]
    assert np.isnan(core.channels).tolist() == [True, True, True, False]
    core.deactivate()
    core.measured.valid[:] = True
    core.measured.channels[3] = np.nan
    with pytest.raises(SoftshellError, match='not measured, so it cannot be held: tendon'):
        core.activate()
