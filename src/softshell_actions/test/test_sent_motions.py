"""Motions that were sent to the bridge: how each ends, and what whoever waits for it is told."""

import asyncio

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from softshell_actions.performing.robot import PerformError
from softshell_actions.ros.motions import Motions
from softshell_actions.trajectories.motion import Motion
from softshell_common.outcome import Status
from softshell_common.reason import ReasonCode
from softshell_common.ros import qos
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand, TrajectoryState


@pytest.fixture
def node(domains):
    context = Context()
    rclpy.init(context=context, domain_id=domains())
    yield Node('manager', context=context, start_parameter_services=False)
    context.try_shutdown()


def test_what_is_dropped_from_the_queue_ends_with_the_reason_of_the_one_before(node):
    """The caller is told that the motion before missed its goal, which is the cause."""
    sent = []
    node.create_subscription(TrajectoryCommand, 'trajectory_command', sent.append, qos.ORDERS)
    motions = Motions(node)
    motion = Motion(('elbow',), np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    first, second = motions.send(motion, queue=False), motions.send(motion, queue=True)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    while len(sent) < 2:
        executor.spin_once(timeout_sec=10)
    executor.shutdown()
    assert not any(sent[0].after.uuid)
    assert sent[1].after == sent[0].id
    for command, state, reason in (
        (sent[0], TrajectoryState.MISSED, 'elbow is off its goal'),
        (sent[1], TrajectoryState.REJECTED, 'dropped: the trajectory before it'),
    ):
        report = TrajectoryState(id=command.id, state=state, reasons=[reason])
        motions.on_status(BridgeStatus(bridge='bench', trajectory=report))
    for one in (first, second):
        with pytest.raises(PerformError, match=r'^bench bridge: elbow is off its goal$') as caught:
            asyncio.run(one.reached())
        assert caught.value.status is Status.GOAL_MISSED


def test_what_ended_on_its_way_is_not_under_way(node):
    """Whoever goes on from a motion is told that another trajectory took over, or that it failed,
    although it had begun to move."""
    motions = Motions(node)
    motion = Motion(('elbow',), np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    sent = motions.send(motion, queue=False)
    moves, replaced = (
        TrajectoryState(
            id=sent.identity,
            sender=node.get_fully_qualified_name(), state=state, reasons=['replaced'],
        )
        for state in (TrajectoryState.ACTIVE, TrajectoryState.REPLACED)
    )  # fmt: skip
    motions.on_status(BridgeStatus(bridge='bench', trajectory=moves))
    asyncio.run(sent.started())
    motions.on_status(BridgeStatus(bridge='bench', trajectory=replaced))
    for ask in (sent.started, sent.reached):
        with pytest.raises(PerformError, match=r'^bench bridge: replaced$') as caught:
            asyncio.run(ask())
        assert caught.value.status is Status.PREEMPTED


def test_what_came_too_late_was_preempted(node):
    """The one before had reached its goal when another sender's trajectory came."""
    motions = Motions(node)
    motion = Motion(('elbow',), np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    before, late = motions.send(motion, queue=False), motions.send(motion, queue=True)
    for sent, state, codes in (
        (before, TrajectoryState.REACHED, []),
        (late, TrajectoryState.REJECTED, [ReasonCode.OVERTAKEN]),
    ):
        report = TrajectoryState(id=sent.identity, state=state, codes=codes)
        motions.on_status(BridgeStatus(bridge='bench', trajectory=report))
    assert before.error is None
    assert late.error.status is Status.PREEMPTED


def test_what_was_sent_to_a_bridge_ends_when_another_one_is_there(node):
    """A new bridge is inactive and has had no trajectory; of one that drives, that means nothing:
    the first may be on its way."""
    motions = Motions(node)
    motion = Motion(('elbow',), np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    sent = [motions.send(motion, queue=False), motions.send(motion, queue=True)]
    motions.on_status(BridgeStatus(bridge='bench', mode=BridgeStatus.HOLDING))
    assert not any(one.over for one in sent)
    motions.on_status(BridgeStatus(bridge='bench', mode=BridgeStatus.INACTIVE))
    assert all(one.over for one in sent)
    for one in sent:
        with pytest.raises(PerformError, match=r'^bench bridge: it was started anew') as caught:
            asyncio.run(one.started())
        assert caught.value.status is Status.STOPPED
    assert not motions


def test_a_new_bridge_that_drives_at_once_has_had_no_trajectory(node):
    """What was sent to the one before it ends, and the robot may be anywhere."""
    motions = Motions(node)
    motion = Motion(('elbow',), np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    sent = [motions.send(motion, queue=False), motions.send(motion, queue=True)]
    active = TrajectoryState(
        id=sent[0].identity, sender=motions._name, state=TrajectoryState.ACTIVE
    )
    motions.disturbed = False
    motions.on_status(BridgeStatus(mode=BridgeStatus.HOLDING))
    motions.on_status(BridgeStatus(mode=BridgeStatus.EXECUTING, trajectory=active))
    assert not motions.disturbed
    assert not any(one.over for one in sent)
    motions.on_status(BridgeStatus(bridge='bench', mode=BridgeStatus.HOLDING))
    assert motions.disturbed
    assert [one.error.status for one in sent] == [Status.STOPPED, Status.STOPPED]
    assert not motions
    again = motions.send(motion, queue=False)
    motions.on_status(BridgeStatus(bridge='bench', mode=BridgeStatus.HOLDING))
    assert not again.over
