"""The action follow_joint_trajectory and the transforms of a mock bridge, as planners use them."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
pytest.importorskip('control_msgs.action', reason='control_msgs is not built')

from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient

from softshell_description.load import load_robot
from softshell_interfaces.msg import BridgeStatus, TrajectoryState

ARM = load_robot('arm')
NAMES = ARM.joint_names
HOME, REACH = ARM.pose('home'), ARM.pose('reach')
UPPER = ARM.upper_limits
Result = FollowJointTrajectory.Result


class Planner:
    """A client of the action beside one of the bridge."""

    def __init__(self, client):
        self.client = client
        self.action = ActionClient(client.node, FollowJointTrajectory, 'follow_joint_trajectory')
        self.feedback = []

    def send(self, names=NAMES, values=REACH, duration=0.8, **more):
        """Send a goal; returns its handle, once it is accepted."""
        goal = FollowJointTrajectory.Goal(
            trajectory=self.client.trajectory(names, values, duration), **more
        )
        self.client.wait(self.action.server_is_ready, 'the action')
        handle = self.client.answer(
            lambda: self.action.send_goal_async(goal, lambda m: self.feedback.append(m.feedback)),
            'acceptance',
        )
        assert handle.accepted
        return handle

    def end(self, handle):
        """Status and result of a goal."""
        response = self.client.answer(handle.get_result_async, 'the end of a goal')
        return response.status, response.result

    def state(self, handle, state):
        """Wait until the bridge tells that the goal's trajectory is in a state."""
        return self.client.wait_for(bytes(handle.goal_id.uuid), state)


@pytest.fixture(scope='module')
def shared(start):
    return Planner(start('robot:=arm', 'real_time_factor:=2.0', 'control_period:=0.01'))


@pytest.fixture
def planner(shared):
    """A planner of a bridge that holds."""
    shared.client.call('reset')
    shared.client.call('activate')
    shared.client.wait_mode(BridgeStatus.HOLDING)
    shared.feedback.clear()
    return shared


def test_a_goal_is_followed_to_its_end(planner):
    """It succeeds when the joints have arrived, with feedback on the way."""
    names = ['wrist', 'shoulder']
    goal = [0.1, -1.2]
    handle = planner.send(names, goal, 2.0)
    status, result = planner.end(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL)
    assert result.error_string == ''
    reached = planner.state(handle, TrajectoryState.REACHED)
    assert reached.trajectory.sender == 'follow_joint_trajectory'
    client, at = planner.client, reached.header.stamp
    client.wait(lambda: client.joints[-1].header.stamp.sec > at.sec, 'joint states')
    position = client.position()
    assert [position[name] for name in names] == pytest.approx(goal)
    assert position['elbow'] == HOME[1]
    assert planner.feedback
    for feedback in planner.feedback:
        assert list(feedback.joint_names) == names
        assert len(feedback.desired.positions) == len(feedback.desired.velocities) == 2
        error = np.subtract(feedback.desired.positions, feedback.actual.positions)
        assert list(feedback.error.positions) == pytest.approx(error.tolist(), abs=1e-12)
        error = np.subtract(feedback.desired.velocities, feedback.actual.velocities)
        assert list(feedback.error.velocities) == pytest.approx(error.tolist(), abs=1e-12)


def test_a_cancelled_goal_ends_where_it_is(planner):
    """The action is canceled, the trajectory STOPPED, and the joints hold on the way."""
    handle = planner.send(duration=20.0)
    planner.state(handle, TrajectoryState.ACTIVE)
    planner.client.wait(lambda: planner.client.position()['shoulder'] > HOME[0] + 0.05, 'motion')
    answer = planner.client.answer(handle.cancel_goal_async, 'the cancellation')
    assert len(answer.goals_canceling) == 1
    status, result = planner.end(handle)
    assert (status, result.error_string) == (
        GoalStatus.STATUS_CANCELED,
        'cancelled; the joints hold',
    )
    stopped = planner.state(handle, TrajectoryState.STOPPED)
    assert list(stopped.trajectory.reasons) == ['cancelled']
    client = planner.client
    mark = len(client.joints) + 30
    client.wait(lambda: len(client.joints) > mark + 20, 'joint states')
    here = {tuple(message.position) for message in list(client.joints)[mark:]}
    assert len(here) == 1
    assert HOME[0] < here.pop()[0] < REACH[0] - 0.05


def test_a_waiting_goal_may_be_cancelled(planner):
    """A trajectory that is to start later is cancelled before it does."""
    client = planner.client
    goal = FollowJointTrajectory.Goal(trajectory=client.trajectory(NAMES, REACH, 1.0))
    client.wait(lambda: client.clock, 'the clock')
    stamp = client.clock[-1].clock
    goal.trajectory.header.stamp.sec = stamp.sec + 9
    client.wait(planner.action.server_is_ready, 'the action')
    handle = client.answer(lambda: planner.action.send_goal_async(goal))
    planner.state(handle, TrajectoryState.WAITING)
    client.answer(handle.cancel_goal_async)
    assert planner.end(handle)[0] == GoalStatus.STATUS_CANCELED
    assert client.states(bytes(handle.goal_id.uuid)) == [
        TrajectoryState.WAITING,
        TrajectoryState.STOPPED,
    ]


def test_a_cancelled_goal_does_not_say_that_joints_hold_that_move_on(planner):
    """What was queued behind it begins then."""
    handle = planner.send(duration=20.0)
    planner.state(handle, TrajectoryState.ACTIVE)
    queued = planner.client.send(NAMES, REACH, 20.0, queue=True)
    planner.client.wait_for(queued, TrajectoryState.WAITING)
    planner.client.answer(handle.cancel_goal_async, 'the cancellation')
    status, result = planner.end(handle)
    assert (status, result.error_string) == (GoalStatus.STATUS_CANCELED, 'cancelled')


def test_unknown_joints_are_invalid_joints(planner):
    """The result says so, and names them."""
    status, result = planner.end(planner.send(['shoulder', 'fold'], [0.1, 0.2]))
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_JOINTS)
    assert "unknown joints: 'fold'; known: shoulder, elbow, wrist" in result.error_string


@pytest.mark.parametrize(
    ('more', 'text'),
    [
        ({'values': [0.1, float('nan'), 0.2]}, "positions of 'elbow' is nan"),
        (
            {'goal_tolerance': [JointTolerance(name='fold', position=0.1)]},
            "goal_tolerance of 'fold'; expected one of shoulder, elbow, wrist",
        ),
        (
            {'path_tolerance': [JointTolerance(name='wrist', position=float('nan'))]},
            "path_tolerance of 'wrist' is nan",
        ),
        (
            {'goal_tolerance': [JointTolerance(name='wrist', position=x) for x in (0.1, 0.2)]},
            "goal_tolerance of 'wrist' is given 2 times; expected once",
        ),
    ],
)
def test_what_cannot_be_followed_is_an_invalid_goal(planner, more, text):
    """Values and tolerances without sense end the goal before anything moves."""
    before = planner.client.position()
    status, result = planner.end(planner.send(**more))
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    assert text in result.error_string
    assert planner.client.position() == before


def beyond(planner, **more):
    """The end of a goal 0.3 rad beyond the elbow's limit."""
    return planner.end(
        planner.send(
            ['elbow'], [UPPER[1] + 0.3], 1.0, goal_time_tolerance=Duration(nanosec=10**8), **more
        )
    )


def test_a_goal_that_is_not_reached_in_time_violates_its_tolerance(planner):
    """A command beyond the limit ends at it: 0.3 rad off, 0.1 s after the end."""
    status, result = beyond(planner)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == Result.GOAL_TOLERANCE_VIOLATED
    assert result.error_string == (
        'elbow is off its goal by 0.3 rad, 0.1 s after the end; expected at most 0.06 rad'
    )


@pytest.mark.parametrize(
    ('tolerance', 'code'),
    [
        (0.31, Result.SUCCESSFUL),
        (0.29, Result.GOAL_TOLERANCE_VIOLATED),
        (0.0, Result.GOAL_TOLERANCE_VIOLATED),
        (-1.0, Result.SUCCESSFUL),
    ],
)
def test_goal_tolerances_mean_what_they_mean_to_planners(planner, tolerance, code):
    """A number is the tolerance, 0 the default of the joint, a negative one none at all."""
    _, result = beyond(planner, goal_tolerance=[JointTolerance(name='elbow', position=tolerance)])
    assert result.error_code == code


@pytest.mark.parametrize(
    ('tolerance', 'code'),
    [
        (0.1, Result.PATH_TOLERANCE_VIOLATED),
        (0.0, Result.GOAL_TOLERANCE_VIOLATED),
        (-1.0, Result.GOAL_TOLERANCE_VIOLATED),
    ],
)
def test_path_tolerances_mean_what_they_mean_to_planners(planner, tolerance, code):
    """A joint that stays behind on the way violates its own; 0 and negative ones are none."""
    _, result = beyond(planner, path_tolerance=[JointTolerance(name='elbow', position=tolerance)])
    assert result.error_code == code
    assert 'elbow' in result.error_string


def test_a_time_that_is_negative_is_none_at_all(planner):
    """The goal that cannot be reached is waited for, till it is cancelled 3 s after its end."""
    goal = ['elbow'], [UPPER[1] + 0.3], 0.5
    handle = planner.send(*goal, goal_time_tolerance=Duration(sec=-1))
    client = planner.client
    begin = planner.state(handle, TrajectoryState.ACTIVE).header.stamp.sec
    client.wait(lambda: client.clock[-1].clock.sec >= begin + 4, 'simulated time')
    assert client.states(bytes(handle.goal_id.uuid)) == [TrajectoryState.ACTIVE]
    client.answer(handle.cancel_goal_async, 'the cancellation')
    assert planner.end(handle)[0] == GoalStatus.STATUS_CANCELED


def test_another_sender_takes_over(planner):
    """The goal is aborted, and the reason names who replaced it."""
    handle = planner.send(duration=30.0)
    planner.state(handle, TrajectoryState.ACTIVE)
    planner.client.send(NAMES, HOME, sender='a joystick')
    status, result = planner.end(handle)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_string == 'replaced by a trajectory of a joystick'


def test_a_newer_goal_takes_over(planner):
    """Of two goals the older is aborted, the newer succeeds."""
    first = planner.send(duration=30.0)
    planner.state(first, TrajectoryState.ACTIVE)
    second = planner.send(values=HOME)
    assert planner.end(first)[0] == GoalStatus.STATUS_ABORTED
    assert planner.end(second)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_stop_ends_the_goal_and_an_inactive_bridge_takes_none(planner):
    """Both results say what happened and what leads out."""
    handle = planner.send(duration=30.0)
    planner.state(handle, TrajectoryState.ACTIVE)
    planner.client.call('emergency_stop')
    status, result = planner.end(handle)
    assert (status, result.error_string) == (GoalStatus.STATUS_ABORTED, 'emergency stop')
    status, result = planner.end(planner.send())
    assert status == GoalStatus.STATUS_ABORTED
    assert '~/reset' in result.error_string
