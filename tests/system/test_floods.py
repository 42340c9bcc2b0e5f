"""Much at once: every request is answered, every refusal told, and the stack lives on."""

import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
import rclpy
from action_msgs.msg import GoalStatusArray
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Status
from softshell_common.ros import qos
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import BridgeStatus, TrajectoryState
from softshell_interfaces.srv import ListActions, SolveFK

PATIENCE = 60.0  # [s] a safety net, no measure of anything


class Flooder:
    """A node that asks for much, and spins until all of it is answered."""

    def __init__(self, context: Context) -> None:
        self.node = Node('flooder', context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)

    def spin_until(self, condition) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end
            self._executor.spin_once(timeout_sec=0.1)

    def answers(self, futures: Sequence[Future]) -> list:
        """The results of all."""
        end = time.monotonic() + PATIENCE
        while not all(future.done() for future in futures) and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)
        assert sum(future.done() for future in futures) == len(futures)
        return [future.result() for future in futures]

    def results(self, client: ActionClient, count: int) -> list:
        """What so many goals `home` end with, all sent at once.

        Each is asked for as soon as its goal is taken: the server forgets goals that have ended.
        """
        asked: list[Future] = []
        goals = [client.send_goal_async(ExecuteAction.Goal(name='home')) for _ in range(count)]
        for goal in goals:
            goal.add_done_callback(lambda done: asked.append(done.result().get_result_async()))
        self.answers(goals)
        self.spin_until(lambda: len(asked) == count)
        return self.answers(asked)


#: What the nodes print.
LINES: list[str] = []


@pytest.fixture(scope='module')
def stack() -> Iterator[Stack]:
    arguments = {'bridge': 'mock', 'robot': 'arm', 'log_level': 'debug'}
    with Stack(
        arguments, domain=free_domain(), output=lambda name, line: LINES.append(line)
    ) as stack:
        stack.wait_ready()
        yield stack
        stack.check()


@pytest.fixture
def flooder(stack) -> Iterator[Flooder]:
    context = Context()
    rclpy.init(context=context, domain_id=stack.domain)
    yield Flooder(context)
    context.try_shutdown()


def test_hundreds_of_requests_at_once_are_all_answered(flooder):
    """Questions of the action manager, the bridge and the kinematics node."""
    for kind, name in (
        (ListActions, 'list_actions'),
        (Trigger, 'bridge/clear_fault'),
        (SolveFK, 'solve_fk'),
    ):
        client = flooder.node.create_client(kind, name, qos_profile=qos.SERVICE)
        assert client.wait_for_service(PATIENCE)
        flooder.answers([client.call_async(kind.Request()) for _ in range(300)])


@pytest.mark.long
def test_hundreds_of_goals_at_once_all_end_with_a_reason(flooder):
    """One is performed; each of the others is told that a newer one took over."""
    client = ActionClient(flooder.node, ExecuteAction, 'execute_action', **qos.ACTION)
    assert client.wait_for_server(PATIENCE)
    results = flooder.results(client, 200)
    told = Counter(result.result.outcome.status for result in results)
    assert set(told) == {Status.SUCCEEDED, Status.PREEMPTED}
    assert told[Status.SUCCEEDED] >= 1
    outcomes = [result.result.outcome for result in results]
    assert all(one.message for one in outcomes if one.status != Status.SUCCEEDED)


@pytest.mark.long
def test_what_ended_long_ago_is_forgotten(flooder):
    """With each change the state of all goals is sent, so there must not be ever more."""
    states: list[GoalStatusArray] = []
    flooder.node.create_subscription(
        GoalStatusArray, 'execute_action/_action/status', states.append, qos.LATCHED
    )
    client = ActionClient(flooder.node, ExecuteAction, 'execute_action', **qos.ACTION)
    assert client.wait_for_server(PATIENCE)

    flooder.results(client, 20)
    assert max(len(state.status_list) for state in states) >= 20

    def are_forgotten():
        flooder.results(client, 1)
        return len(states[-1].status_list) < 20

    flooder.spin_until(are_forgotten)


@pytest.mark.long
def test_thousands_of_bad_trajectories_are_each_refused(flooder):
    """Every single one has an id of its own in `bridge_status`, and a reason.

    Who comes after them hears of the last ones only.
    """
    refused: dict[bytes, list[str]] = {}
    newest = 0

    def note(message: BridgeStatus) -> None:
        nonlocal newest
        newest = message.header.stamp.sec
        if message.trajectory.state == TrajectoryState.REJECTED:
            refused[bytes(message.trajectory.id.uuid)] = list(message.trajectory.reasons)

    flooder.node.create_subscription(BridgeStatus, 'bridge_status', note, qos.CHANGES_CONSUMER)
    publisher = flooder.node.create_publisher(JointTrajectory, 'joint_trajectory', qos.ORDERS)

    def is_heard():
        """Others listen as well: the bridge is there once it has refused something."""
        publisher.publish(JointTrajectory(joint_names=['probe']))
        return refused

    flooder.spin_until(is_heard)
    for _ in range(2400):
        publisher.publish(JointTrajectory(joint_names=['nonsense']))

    def of_the_flood():
        return sum("unknown joints: 'nonsense'" in reasons[0] for reasons in refused.values())

    flooder.spin_until(lambda: of_the_flood() >= 2400)
    assert of_the_flood() == 2400

    late: list[BridgeStatus] = []
    flooder.node.create_subscription(
        BridgeStatus, 'bridge_status', late.append, qos.CHANGES_CONSUMER
    )
    end = newest
    flooder.spin_until(lambda: late and late[-1].header.stamp.sec > end + 1)
    assert len(late) < 2 * qos.CHANGES.depth


@pytest.mark.long
def test_a_refusal_is_one_line_although_reports_repeat_it(flooder):
    """The console tells each once; the middleware nothing, whatever the level of our lines."""
    before, statuses = len(LINES), []
    flooder.node.create_subscription(
        BridgeStatus, 'bridge_status', statuses.append, qos.CHANGES_CONSUMER
    )
    publisher = flooder.node.create_publisher(JointTrajectory, 'joint_trajectory', qos.ORDERS)
    flooder.spin_until(publisher.get_subscription_count)
    time.sleep(1.5)  # lines are throttled to one a second, and there may have been others
    sent = [-math.inf]

    def refused() -> bool:
        if time.monotonic() > sent[-1] + 10.0:  # a bridge that does not know the sender yet
            sent.append(time.monotonic())
            publisher.publish(JointTrajectory(joint_names=['nothing like it']))
        return any('like it' in str(one.trajectory.reasons) for one in statuses)

    flooder.spin_until(refused)
    repeated = len(statuses) + 3
    flooder.spin_until(lambda: len(statuses) > repeated)
    told = [line for line in LINES[before:] if 'nothing like it' in line and 'WARN' in line]
    assert 1 <= len(told) <= len(sent) - 1
    debug = [line for line in LINES if '[DEBUG]' in line]
    assert debug
    ours = re.compile(r'\[(bridge|action_manager|kinematics)[.\w]*\]: ')
    assert [line for line in debug if not ours.search(line)] == []
