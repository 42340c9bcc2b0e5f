"""What the action manager tells whoever gave it a goal, and of the robot at rest."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import rclpy
from rclpy.duration import Duration

from softshell_actions.performing.robot import PerformError
from softshell_actions.ros.manager_node import ActionManager
from softshell_common.outcome import Status

sys.path.insert(0, str(Path(__file__).parent))

from performer_rig import BODY, Robot


@pytest.fixture
def manager(domains):
    """A manager of the quadruped, which stands."""
    rclpy.init(args=['--ros-args', '-p', 'robot:=quadruped'], domain_id=domains())
    node = ActionManager()
    node._director.performer._robot = Robot()
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


class Goal:
    """A goal; what it is told is kept."""

    is_cancel_requested = False

    def __init__(self, name):
        self.request = SimpleNamespace(name=name, parameters=[], gait='', queue=False)
        self.told, self.ended = [], None

    def publish_feedback(self, feedback):
        self.told.append((feedback.sub_action, feedback.index, feedback.count, feedback.progress))

    def succeed(self):
        self.ended = Status.SUCCEEDED

    def abort(self):
        self.ended = Status.UNKNOWN_ACTION


def answer(manager, goal):
    """The result of a goal."""

    async def main():
        moving = asyncio.create_task(manager._director.performer._robot.go())
        try:
            return await asyncio.wait_for(manager._answer(goal), 20)
        finally:
            moving.cancel()

    return asyncio.run(main())


def test_progress_counts_what_is_left_out(manager):
    """Who stands already is told that rising is the third of all sub-actions of `stand`."""
    goal = Goal('stand')
    answer(manager, goal)
    assert goal.ended is Status.SUCCEEDED
    assert goal.told == [('rise', 2, 11, pytest.approx(2 / 11))]


def test_progress_tells_repetitions_apart(manager):
    """Each has a place of its own, whatever was left out before it."""
    goal = Goal('idle')
    answer(manager, goal)
    names, places, counts, _ = zip(*goal.told, strict=True)
    assert names == ('level', *['spread feet'] * (len(names) - 3), 'lie down', 'rest')
    assert places == tuple(range(counts[0]))


def test_the_duration_is_positive_though_the_wall_clock_is_set_back(manager, monkeypatch):
    """By an hour, while the goal is performed."""
    clock, hours = manager.get_clock(), iter(range(100, 0, -1))

    def now():
        return clock.now() + Duration(seconds=3600.0 * next(hours))

    monkeypatch.setattr(manager, 'get_clock', lambda: SimpleNamespace(now=now))
    goal = Goal('fly')
    assert 0.0 <= answer(manager, goal).duration < 20.0
    assert goal.ended is Status.UNKNOWN_ACTION


def test_the_posture_is_told_anew_once_the_robot_is_driven_again(manager, monkeypatch):
    """It has sunk down meanwhile, which no command has told; what fails is tried again."""
    performer, heights = manager._director.performer, []
    monkeypatch.setattr(
        manager._posture, 'publish', lambda message: heights.append(message.pose.position.z)
    )
    monkeypatch.setattr(manager, '_begin', lambda coroutine: asyncio.run(coroutine()))
    stand, lying = (BODY.measured_state(BODY.model.poses[name]) for name in ('stand', 'rest'))
    performer._state = stand

    measurements = iter([PerformError(Status.NOT_READY, 'no time passes'), lying])

    async def measure():
        if isinstance(found := next(measurements), PerformError):
            raise found
        return found

    monkeypatch.setattr(performer._robot, 'measure', measure)
    for driven in (True, False, False, True, True, True):
        manager._watch.look(driven)
    assert heights == [pytest.approx(lying.base_position[2])]
