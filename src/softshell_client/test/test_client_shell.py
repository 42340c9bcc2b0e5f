"""A program's view of the robot, against an action manager and a bridge that only answer."""

import os
import signal
import threading

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from fake_stack import PATIENCE, wait  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from softshell_client import (  # noqa: E402
    ActionFailedError,
    BridgeMode,
    RequestRefusedError,
    Shell,
    Status,
)
from softshell_client.ros.act import action_table, numbers_of  # noqa: E402
from softshell_client.ros.execution import Execution  # noqa: E402
from softshell_common.reason import ReasonCode  # noqa: E402
from softshell_interfaces.msg import BridgeStatus  # noqa: E402
from softshell_kinematics.errors import ProblemsError, SoftshellError  # noqa: E402


def test_an_action_gets_its_parameters_and_returns_its_duration(robot, stack):
    """Parameters arrive by name as floats, feedback comes, 1.5 s are returned."""
    heard = []
    assert robot.perform('quick', lambda what, done: heard.append((what, done)), height=1) == 1.5
    assert stack.goals[-1] == {'': 'quick', 'height': 1.0}
    assert heard == [('first', 0.25)]


def test_a_failed_action_raises_with_its_typed_status(robot):
    """The error carries name, status and message, and its text says all three, none twice."""
    with pytest.raises(ActionFailedError) as caught:
        robot.perform('fly')
    assert caught.value.status is Status.UNKNOWN_ACTION
    assert str(caught.value) == "fly: unknown action 'fly'; known: endless, quick"


def test_a_goal_that_is_not_taken_raises(robot):
    """A goal that the action manager rejects is an error, not a wait for ever."""
    with pytest.raises(ActionFailedError, match='takes no goal') as caught:
        robot.perform('unwelcome')
    assert caught.value.status is Status.NOT_READY


@pytest.fixture
def interrupt(monkeypatch):
    """Function: SIGINT as soon as `perform` waits for a result, each time that it begins to."""
    waits = threading.Semaphore(0)
    result = Execution.result

    def waiting(execution: Execution) -> float:
        waits.release()
        return result(execution)

    def interrupt(*_) -> None:
        assert waits.acquire(timeout=PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Execution, 'result', waiting)
    return interrupt


def test_ctrl_c_cancels(robot, interrupt):
    """SIGINT in `perform` cancels the goal and raises once it has ended, as CANCELED."""
    with pytest.raises(ActionFailedError, match='stopped in a stance') as caught:
        robot.perform('endless', interrupt)
    assert caught.value.status is Status.CANCELED
    assert robot.perform('quick') == 1.5


def test_ctrl_c_cancels_even_before_the_goal_is_accepted(robot, stack, interrupt, monkeypatch):
    """It is accepted when the caller waits for the end already."""
    cancelled, cancel = threading.Event(), Execution.cancel

    def cancelling(execution: Execution) -> None:
        cancel(execution)
        cancelled.set()

    def on_goal(goal) -> rclpy.action.GoalResponse:
        interrupt()
        assert cancelled.wait(PATIENCE)
        return stack._on_goal(goal)

    monkeypatch.setattr(Execution, 'cancel', cancelling)
    stack._server.register_goal_callback(on_goal)
    try:
        with pytest.raises(ActionFailedError, match='stopped in a stance') as caught:
            robot.perform('endless')
    finally:
        stack._server.register_goal_callback(stack._on_goal)
    assert caught.value.status is Status.CANCELED
    assert robot.perform('quick') == 1.5


def test_ctrl_c_is_not_lost_where_the_action_succeeds_all_the_same(robot, interrupt):
    """Nothing was left to leave out: the caller is interrupted none the less."""
    with pytest.raises(KeyboardInterrupt):
        robot.perform('last', interrupt)
    assert robot.perform('quick') == 1.5


def test_a_second_ctrl_c_does_not_wait(robot, stack, interrupt):
    """Two SIGINTs end `perform` although the action goes on."""
    begun, refused = threading.Event(), threading.Event()

    def refuse(handle) -> rclpy.action.CancelResponse:
        refused.set()
        return rclpy.action.CancelResponse.REJECT

    def interrupt_twice() -> None:
        for sign in (begun, refused):
            assert sign.wait(PATIENCE)
            interrupt()

    thread = threading.Thread(target=interrupt_twice)
    thread.start()
    cancelled = len(stack._cancelled)
    stack._server.register_cancel_callback(refuse)
    try:
        with pytest.raises(KeyboardInterrupt):
            robot.perform('endless', lambda what, done: begun.set())
    finally:
        thread.join()
        stack._server.register_cancel_callback(stack._on_cancel)
    assert len(stack._cancelled) == cancelled + 1


def test_requests_of_several_threads_get_their_own_answers(robot):
    """Eight threads at once: each action ends with its own result."""
    results = []

    def act(name: str) -> None:
        try:
            results.append((name, robot.perform(name)))
        except ActionFailedError as error:
            results.append((name, error.name))

    threads = [threading.Thread(target=act, args=(name,)) for name in ('quick', 'fly') * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(results) == [('fly', 'fly')] * 4 + [('quick', 1.5)] * 4


def test_a_callback_that_waits_is_refused_and_the_thread_lives_on(robot, stack):
    """Asking in a callback of the node would wait for itself: an error says so."""
    problems = []

    def on_status(message: BridgeStatus) -> None:
        try:
            robot.actions()
        except SoftshellError as error:
            problems.append(str(error))
            raise

    robot.node.create_subscription(BridgeStatus, 'bridge_status', on_status, 10)
    wait(lambda: robot.node.count_subscribers('bridge_status') >= 2)

    def told() -> bool:
        stack.status.publish(BridgeStatus(bridge='mock', mode=BridgeStatus.HOLDING))
        return bool(problems)

    wait(told)
    assert 'another thread' in problems[0]
    assert len(robot.actions()) == 1


def test_actions_are_described(robot):
    """The list has default, range and unit of each parameter, and the table shows them."""
    (action,) = robot.actions()
    parameter = action.parameters[0]
    assert (parameter.default_value, parameter.maximum, parameter.unit) == (0.5, 2.0, 'm')
    cells = [list(column.cells) for column in action_table([action]).columns]
    assert [column[1] for column in cells] == ['', 'height', '0.5', '0', '2', 'm', 'up']


def test_a_gait_is_chosen_and_one_that_there_is_not_is_refused(robot, stack):
    """The manager's parameter is set; the refusal names it and says why."""
    assert list(robot.gaits()) == ['tripod', 'wave']
    robot.set_gait('wave')
    assert stack.manager.get_parameter('gait').value == 'wave'
    with pytest.raises(
        RequestRefusedError, match=r'^gait: refused by the action manager: no such gait$'
    ):
        robot.set_gait('gallop')
    assert stack.manager.get_parameter('gait').value == 'wave'
    robot.set_gait('')
    assert stack.manager.get_parameter('gait').value == ''


def test_a_posture_is_asked_for_and_a_refusal_says_why(robot, stack):
    """The pose arrives as a quaternion of Rz Ry Rx; a refused height raises with the reason."""
    robot.set_body_pose(0.15, pitch=0.2)
    pose = stack.poses[-1].pose.pose
    assert pose.position.z == 0.15
    assert pose.orientation.y == pytest.approx(np.sin(0.1))
    with pytest.raises(ActionFailedError, match='a foot cannot reach') as caught:
        robot.set_body_pose(0.3)
    assert caught.value.status is Status.UNREACHABLE


def test_a_velocity_arrives(robot, stack):
    """`drive` is one message on cmd_vel."""
    wait(lambda: robot.node.count_subscribers('cmd_vel') > 0)

    def arrived() -> bool:
        robot.drive(x=0.1, yaw=-0.2)
        return bool(stack.twists)

    wait(arrived)
    assert stack.twists[-1] == (0.1, 0.0, -0.2)


@pytest.mark.parametrize('name', ['deactivate', 'clear_fault', 'emergency_stop', 'reset'])
def test_the_bridge_is_asked(robot, stack, name):
    """Each request reaches its service and returns what the bridge says."""
    assert getattr(robot, name)() == f'{name} was asked for'
    assert stack.bridge_requests[-1] == name


def test_a_request_that_the_bridge_refuses_raises(robot):
    """`success` false is an error with the bridge's message."""
    with pytest.raises(RequestRefusedError, match='activate: refused by the bridge: activate was'):
        robot.activate()


def test_the_state_of_the_bridge_is_typed_and_the_newest(robot, stack):
    """Mode is an enum, reasons are texts and codes; a late joiner knows them at once."""
    stack.status.publish(
        BridgeStatus(
            bridge='sim',
            mode=BridgeStatus.FAULT,
            reasons=['too hot', 'too fast', 'too new'],
            codes=[ReasonCode.TEMPERATURE, ReasonCode.RATE, 60000],
        )
    )
    wait(lambda: robot.bridge().mode is BridgeMode.FAULT)
    state = robot.bridge()
    assert (state.bridge, state.reasons) == ('sim', ('too hot', 'too fast', 'too new'))
    assert state.codes == (ReasonCode.TEMPERATURE, ReasonCode.RATE, ReasonCode.NONE)


def test_where_the_robot_is(robot, stack):
    """Before odometry all is NaN and the wait says so; then position, heading and time."""
    assert np.isnan([*robot.position, *robot.orientation, robot.yaw, robot.time]).all()
    with pytest.raises(SoftshellError, match=r'no odom within 0\.2 s'):
        robot.wait_for_odometry(0.2)
    assert robot.mode == 'unknown'
    odometry, joints = Odometry(), JointState(name=['a', 'b'], position=[0.5, -0.5])
    odometry.pose.pose.position.x = 2.0
    q = odometry.pose.pose.orientation
    q.z, q.w = np.sin(0.6), np.cos(0.6)
    joints.header.stamp.sec, joints.header.stamp.nanosec = 3, 250_000_000

    def known() -> bool:
        stack.odometry.publish(odometry)
        stack.joints.publish(joints)
        return not np.isnan([robot.yaw, robot.time]).any()

    wait(known)
    robot.wait_for_odometry(1.0)
    robot.wait_for_joints(1.0)
    assert robot.position.tolist() == [2.0, 0.0, 0.0]
    assert robot.yaw == pytest.approx(1.2)
    assert robot.time == 3.25
    assert robot.joints == {'a': 0.5, 'b': -0.5}
    stack.joints.publish(JointState(name=['a', 'b'], velocity=[0.0, 0.0]))
    wait(lambda: robot.joints == {})


def test_of_a_stream_the_newest_is_seen_also_when_nobody_looked(stack, namespace):
    """After 50 messages in a row the last one counts, and it stays when the client is closed."""
    with Shell(namespace, PATIENCE) as robot:
        joints = JointState(name=['a'], position=[0.0])
        wait(lambda: robot.node.count_publishers('joint_states') == 1)

        def come() -> bool:
            joints.position[0] = 0.0
            stack.joints.publish(joints)
            return bool(robot.joints)

        wait(come)
        for count in range(1, 51):
            joints.position[0] = float(count)
            stack.joints.publish(joints)
        wait(lambda: robot.joints == {'a': 50.0})
    assert robot.joints == {'a': 50.0}


def test_parameters_that_are_no_numbers_are_listed_at_once():
    """Each is named with what was typed."""
    with pytest.raises(ProblemsError, match="x is 'far'") as caught:
        numbers_of('walk', {'x': 'far', 'y': '2', 'z': ''})
    assert len(caught.value.problems) == 2
