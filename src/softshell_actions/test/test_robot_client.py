"""What the action manager does when a bridge fails or an unexpected error occurs."""

import asyncio

import numpy as np
import pytest
import rclpy
from rclpy.clock import ClockType
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu, JointState

from softshell_actions.performing.director import Director
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.planning.reach import Question
from softshell_actions.ros.robot_client import SILENCE, RobotClient
from softshell_actions.ros.waits import LOOK_PERIOD, duration_clock
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.msg import BodyContact, BodyContacts, BridgeStatus
from softshell_interfaces.srv import SolveIK

NAN = float('nan')
JOINTS = ['elbow', 'wrist', 'knee']
IN_A_FAULT = (
    r'^bench bridge: the bridge is in a fault; ~/clear_fault and ~/activate first '
    r'\(RuntimeError: bus error\)$'
)


@pytest.fixture
def node(domains):
    context = Context()
    rclpy.init(context=context, domain_id=domains())
    node = Node('manager', context=context, start_parameter_services=False)
    yield node
    node.destroy_node()
    context.try_shutdown()


class FakeBridge:
    """Publishes a report and joint positions again and again."""

    def __init__(self, node, mode, positions, reasons=()):
        self._status = node.create_publisher(BridgeStatus, 'bridge_status', qos.CHANGES)
        self._joints = node.create_publisher(JointState, 'joint_states', qos.STATE)
        self._report = BridgeStatus(mode=mode, bridge='bench', reasons=list(reasons))
        self._state = JointState(name=JOINTS, position=positions)
        self.also = lambda: None
        self._timer = node.create_timer(0.02, self._say)

    def end(self):
        """Say nothing any more."""
        self._timer.cancel()

    def _say(self):
        self._status.publish(self._report)
        if self._report.mode != BridgeStatus.FAULT:
            self._joints.publish(self._state)
            self.also()


def outcome_of(node, ask, manipulators=()):
    """What a coroutine of a client of the robot returns or raises."""
    client = RobotClient(
        node, lambda joints, tilt: (joints, tilt), (), (), JOINTS, {}, manipulators
    )
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    task = executor.create_task(ask, client)
    executor.spin_until_future_complete(task, timeout_sec=60)
    executor.shutdown()
    return task.result()


def test_measured_joints_become_a_state(node):
    """The positions by name, and the tilt, which is 0 if nothing measures it."""
    FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])
    state = outcome_of(node, RobotClient.measure)
    assert state == ({'elbow': 0.1, 'wrist': 0.2, 'knee': 0.3}, 0.0)


@pytest.mark.parametrize(
    ('touched', 'held'),
    [
        ([('robot', 'tip', 'cube', 'cube')], True),
        ([('cube', 'cube', 'robot', 'tip')], True),
        ([('robot', 'tip', 'robot', 'palm')], False),
        ([], False),
        (None, None),
    ],
)
def test_a_hand_holds_what_it_feels_of_other_bodies(node, touched, held):
    """Whichever body is named first; it is not known if no contacts are published."""
    FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])
    if touched is not None:
        told = node.create_publisher(BodyContacts, 'contacts', qos.STATE)
        message = BodyContacts()
        for names in touched:
            body, link, other_body, other_link = names
            contact = BodyContact(
                body=body, link=link, other_body=other_body, other_link=other_link
            )
            contact.force.z = -1.0
            message.contacts.append(contact)
        node.create_timer(0.02, lambda: told.publish(message))
    assert outcome_of(node, RobotClient.holds, [{'tip'}]) is held


def test_a_joint_that_is_not_measured_is_named(node):
    """Whatever else is measured: no plan begins at an unknown position."""
    FakeBridge(node, BridgeStatus.HOLDING, [NAN, 0.2, NAN])
    with pytest.raises(PerformError, match=r'^not measured: elbow, knee$') as caught:
        outcome_of(node, RobotClient.measure)
    assert caught.value.status is Status.NOT_READY


def test_a_node_that_publishes_some_joints_is_passed_over(node):
    """A gripper tells one joint, or names alone, after each message of the bridge."""
    messages = [JointState(name=['elbow', 'jaw'], position=[9.0, NAN]), JointState(name=['elbow'])]
    gripper = node.create_publisher(JointState, 'joint_states', qos.STATE)
    bridge = FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])
    bridge.also = lambda: [gripper.publish(message) for message in messages]
    state = outcome_of(node, RobotClient.measure)
    assert state == ({'elbow': 0.1, 'wrist': 0.2, 'knee': 0.3}, 0.0)


def test_joints_that_nobody_publishes_are_named(node):
    """Once that has lasted for `SILENCE`."""
    FakeBridge(node, BridgeStatus.HOLDING, [0.1])
    with pytest.raises(PerformError, match=r'^not measured: wrist, knee$') as caught:
        outcome_of(node, RobotClient.measure)
    assert caught.value.status is Status.NOT_READY


async def lost(client, bridge):
    """When a bridge that was known has been silent for long enough, by the client's time [s]."""
    await client.measure()
    bridge.end()
    await client._waits.within(2.0 * SILENCE, client._bridge_is_silent)
    assert not client.is_driven
    return client._waits.time


@pytest.mark.long
@pytest.mark.parametrize(
    ('ask', 'least', 'most'),
    [
        (RobotClient.measure, 0.0, LOOK_PERIOD),
        (RobotClient.driven, SILENCE, SILENCE + 2 * LOOK_PERIOD),
    ],
)
def test_a_bridge_that_has_gone_is_waited_for_by_a_new_command_alone(node, ask, least, most):
    """What an action that is under way asks then fails at the next look."""
    bridge = FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])

    async def asked_in_vain(client):
        begin = await lost(client, bridge)
        with pytest.raises(PerformError, match='is a bridge running'):
            await ask(client)
        return client._waits.time - begin

    assert least <= outcome_of(node, asked_in_vain) <= most


@pytest.mark.long
def test_a_new_command_goes_to_a_bridge_that_was_started_anew(node):
    """Whoever sends it may have heard of the bridge earlier."""
    bridge = FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])

    async def ask(client):
        await lost(client, bridge)
        task = node.executor.create_task(client.driven)
        await client._waits.within(1.0, lambda: False)
        FakeBridge(node, BridgeStatus.HOLDING, [0.4, 0.5, 0.6])
        await task
        return await client.measure()

    assert outcome_of(node, ask) == ({'elbow': 0.4, 'wrist': 0.5, 'knee': 0.6}, 0.0)


def test_while_simulated_time_stands_still_no_tilt_is_known(node):
    """A robot that lies on its back does not count as upright, as one without an IMU does."""
    bridge = FakeBridge(node, BridgeStatus.HOLDING, [0.1, 0.2, 0.3])
    bridge._report.paused = True
    imu = node.create_publisher(Imu, 'imu', qos.STATE)

    async def asked(client):
        await client._waits.within(5.0, lambda: client._paused)
        return await client.tilt()

    with pytest.raises(PerformError, match='simulated time stands still') as caught:
        outcome_of(node, asked)
    assert caught.value.status is Status.NOT_READY
    node.destroy_publisher(imu)


@pytest.mark.parametrize(
    ('answer', 'status'),
    [
        (SolveIK.Response.OUT_OF_RANGE, Status.UNREACHABLE),
        (SolveIK.Response.UNKNOWN_CHAIN, Status.INTERNAL_ERROR),
        (SolveIK.Response.INTERNAL_ERROR, Status.INTERNAL_ERROR),
    ],
)
def test_only_goals_that_are_too_far_are_out_of_reach(node, answer, status):
    """Else a robot would try smaller moves, or stand up first, since kinematics has a mistake."""

    def solve(request, response):
        response.status, response.message = answer, 'why'
        return response

    node.create_service(SolveIK, 'solve_ik', solve)

    async def asked(client):
        return await client.solve(Question({}, {'elbow': 0.0}))

    with pytest.raises(PerformError, match=r'^solve_ik: why$') as caught:
        outcome_of(node, asked)
    assert caught.value.status is status


def test_kinematics_is_asked_for_the_posture_of_a_question(node):
    """Joint by joint, with one position for all points or one for each."""
    asked_for = []

    def solve(request, response):
        asked_for.append({path.name: path.position.tolist() for path in request.posture})
        response.all_converged = True
        return response

    node.create_service(SolveIK, 'solve_ik', solve)
    posture = {'elbow': np.array([0.5]), 'wrist': np.array([0.1, 0.2, 0.3])}

    async def asked(client):
        return await client.solve(Question({}, {'elbow': 0.0}, posture))

    outcome_of(node, asked)
    assert asked_for == [{'elbow': [0.5], 'wrist': [0.1, 0.2, 0.3]}]


def test_a_bridge_in_a_fault_is_asked_why(node):
    """The error gives its reason at once, not that no joint states come."""
    FakeBridge(node, BridgeStatus.FAULT, [0.1, 0.2, 0.3], ['RuntimeError: bus error'])
    with pytest.raises(PerformError, match=IN_A_FAULT):
        outcome_of(node, RobotClient.measure)


@pytest.mark.parametrize(
    ('mode', 'reasons', 'told'),
    [
        (BridgeStatus.FAULT, ['RuntimeError: bus error'], IN_A_FAULT),
        (
            BridgeStatus.INACTIVE,
            [],
            r'^bench bridge: the bridge is inactive; ~/activate',
        ),
        (BridgeStatus.EMERGENCY_STOP, ['emergency stop'], 'is stopped; ~/reset and ~/activate'),
        (9, [], 'the bridge is in mode 9'),  # of a newer version
    ],
)
def test_a_bridge_that_does_not_drive_is_told_with_its_way_out(node, mode, reasons, told):
    """Before anything is planned: an action would only be refused at the bridge."""

    async def driven(client):
        await client._waits.within(5.0, lambda: client._last_status > -1)
        await client.driven()

    FakeBridge(node, mode, [0.1, 0.2, 0.3], reasons)
    with pytest.raises(PerformError, match=told) as caught:
        outcome_of(node, driven)
    assert caught.value.status is Status.NOT_READY


def test_a_bridge_that_was_just_activated_is_waited_for(node):
    """An action that is sent right after the activation is not refused."""
    bridge = FakeBridge(node, BridgeStatus.INACTIVE, [0.1, 0.2, 0.3])

    async def driven(client):
        await client._waits.within(5.0, lambda: bool(client._undriven))
        bridge._report.mode = BridgeStatus.HOLDING
        await client.driven()
        return True

    assert outcome_of(node, driven)


def test_durations_are_told_by_a_clock_that_is_never_set(node):
    """Beside servos the wall clock may be set back by hours, and who sleeps must not sleep on."""
    assert duration_clock(node).clock_type is ClockType.STEADY_TIME
    node.set_parameters([Parameter('use_sim_time', value=True)])
    assert duration_clock(node) is node.get_clock()


class Broken:
    """A performer with a mistake in it."""

    def __init__(self):
        self.forgotten = 0

    async def begin(self):
        raise ValueError('y must contain only finite values')

    def forget(self):
        self.forgotten += 1


def test_an_unexpected_error_is_no_success():
    """It ends the command with a status of its own and forgets the state; others can follow."""

    async def at_rest():
        pass

    told, performer = [], Broken()
    director = Director(None, performer, at_rest, told.append)
    for count in (1, 2):
        with pytest.raises(PerformError, match=r'^reach: ValueError: y must contain') as caught:
            asyncio.run(director.perform(Task('reach'), None, None))
        assert caught.value.status is Status.INTERNAL_ERROR
        assert performer.forgotten == len(told) == count
        assert 'Traceback' in told[-1]
    assert not director.turns.busy


class Unseen(Broken):
    """A performer whose action misses its goal, and that cannot measure afterwards."""

    async def begin(self):
        pass

    async def perform(self, calls, announce, stop):
        raise PerformError(Status.GOAL_MISSED, 'elbow is not measured')

    async def facts(self):
        raise PerformError(Status.NOT_READY, 'not measured: elbow')


def test_a_missed_goal_stays_one_where_nothing_can_be_measured():
    """Whether the robot has fallen is not known then; the error tells why the action ended."""

    async def at_rest():
        pass

    director = Director(None, Unseen(), at_rest, print)
    with pytest.raises(PerformError, match='elbow is not measured') as caught:
        asyncio.run(director.perform(Task('reach'), None, None))
    assert caught.value.status is Status.GOAL_MISSED
