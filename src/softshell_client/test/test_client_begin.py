"""Verbs that are begun without waiting for their end."""

import gc
import time

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

import rclpy
from fake_stack import PATIENCE, FakeStack, wait

from softshell_client import (
    ActionFailedError,
    Client,
    RequestRefusedError,
    ServerGoneError,
    Shell,
    Status,
)
from softshell_interfaces.msg import WorldBody
from softshell_interfaces.srv import GetWorld
from softshell_kinematics.errors import SoftshellError


@pytest.fixture
def client(namespace):
    """A client that waits for nothing, in the namespace of the stack."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    node = rclpy.create_node('beginner', namespace=namespace, context=context)
    client = Client(node)
    yield client
    client.close()
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def ready(client, stack):
    wait(lambda: client.is_ready() and client.takes_body_poses())
    return client


def test_without_a_stack_a_verb_is_an_error_at_once(client):
    """Nothing waits for a stack that is not there."""
    assert not client.is_ready()
    for begin in (lambda: client.begin_action('quick'), lambda: client.begin_body_pose(0.1)):
        taken = []
        for _ in range(10):  # on a busy machine some take longer
            begun = time.monotonic()
            with pytest.raises(SoftshellError, match='no action manager in namespace'):
                begin()
            taken.append(time.monotonic() - begun)
        assert min(taken) < 0.1


def test_an_action_goes_on_while_the_caller_does_something_else(ready):
    """It is not done until it is cancelled; its progress is seen, and the result is typed."""
    execution = ready.begin_action('endless')
    wait(lambda: execution.progress == 0.25)
    assert (execution.name, execution.sub_action) == ('endless', 'first')
    assert not execution.done()
    execution.cancel()
    wait(execution.done)
    with pytest.raises(ActionFailedError) as caught:
        execution.result()
    assert caught.value.status is Status.CANCELED


def test_a_cancellation_before_the_goal_is_accepted_counts(ready):
    """A goal that is cancelled while it is on its way ends as soon as it is accepted."""
    execution = ready.begin_action('slowly accepted')
    execution.cancel()
    wait(execution.done)
    with pytest.raises(ActionFailedError, match='stopped in a stance'):
        execution.result()


def test_whoever_began_an_action_all_are_cancelled_at_once(ready, robot):
    """Those of other clients too; where none runs, nothing happens."""
    ready.cancel_actions().answer()
    executions = [ready.begin_action('endless'), robot.begin_action('endless')]
    wait(lambda: all(each.progress == 0.25 for each in executions))
    ready.cancel_actions().answer()
    for each in executions:
        with pytest.raises(ActionFailedError, match='stopped in a stance'):
            each.result()


def test_a_world_without_bodies_is_an_error(ready, stack):
    """Any world has a robot, so the bridge could not read its own; with one it is the answer."""
    bodies = []

    def answer(_, response):
        response.bodies = list(bodies)
        return response

    service = stack.node.create_service(GetWorld, 'bridge/get_world', answer)
    wait(lambda: ready._bridge.is_ready() and ready._bodies.service_is_ready())
    with pytest.raises(RequestRefusedError, match='get_world: refused by the bridge: its log'):
        ready.begin_bodies().answer()
    bodies.append(WorldBody(name='robot'))
    assert [body.name for body in ready.begin_bodies().answer()] == ['robot']
    stack.node.destroy_service(service)


def test_several_at_once_each_get_their_own_answer(ready):
    """Two actions and a pose on their way do not wait for each other."""
    endless, quick, pose = (
        ready.begin_action('endless'),
        ready.begin_action('quick', height=1.0),
        ready.begin_body_pose(0.3),
    )
    assert quick.result() == 1.5
    with pytest.raises(ActionFailedError, match='a foot cannot reach'):
        pose.answer()
    assert not endless.done()
    endless.cancel()
    wait(endless.done)


def test_what_ends_without_an_answer_is_done(ready, namespace):
    """When the action manager goes, `done` says so without anybody waiting for the result."""
    other = FakeStack(namespace + '/short')
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    node = rclpy.create_node('beginner', namespace=namespace + '/short', context=context)
    client = Client(node)
    try:
        wait(client.is_ready)
        execution = client.begin_action('endless')
        wait(lambda: execution.progress > 0)
        other.close()
        wait(execution.done)
        with pytest.raises(ServerGoneError, match='endless: the action manager is gone'):
            execution.result()
    finally:
        client.close()
        node.destroy_node()
        context.try_shutdown()
        other.close()


def test_whoever_waits_while_ros_is_shut_down_gets_an_error_of_the_client(stack, namespace):
    """As by a signal: one error that says so, none of rclpy's own."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    with Shell(namespace, PATIENCE, context=context) as robot:
        execution = robot.begin_action('endless')
        wait(lambda: execution.progress > 0)
        context.try_shutdown()
        with pytest.raises(SoftshellError, match='ROS was shut down'):
            execution.result()


@pytest.mark.long
def test_the_last_velocity_arrives_although_the_client_closes_at_once(stack, namespace):
    """`close` leaves only when those who walk by velocities have the last one."""
    for count in range(5):
        context = rclpy.Context()
        rclpy.init(args=[], context=context)
        node = rclpy.create_node('beginner', namespace=namespace, context=context)
        client = Client(node)
        wait(client.takes_velocities)
        client.drive(x=1.0 + count)
        client.close()
        node.destroy_node()
        context.try_shutdown()
        wait(lambda expected=1.0 + count: (expected, 0.0, 0.0) in stack.twists)


def test_two_clients_of_a_process_are_two_nodes(robot, namespace):
    """Of different names, by which tools of ROS tell them apart."""
    with Shell(namespace, PATIENCE, context=robot.node.context) as other:
        assert other.node.get_name() != robot.node.get_name()
        assert len(other.actions()) == len(robot.actions())


def test_hundreds_of_requests_leave_nothing_behind(robot):
    """What piled up would make each request slower than the one before."""
    for _ in range(30):
        robot.actions()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(270):
        robot.actions()
    gc.collect()
    assert len(gc.get_objects()) < before + 100
