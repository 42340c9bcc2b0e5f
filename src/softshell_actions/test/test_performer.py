"""The performer: what is planned, sent, announced and awaited, and when."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.state import Swing
from softshell_common.outcome import Status
from softshell_kinematics.errors import SoftshellError

sys.path.insert(0, str(Path(__file__).parent))
from performer_rig import BODY, LIBRARY, PACING, PLANNER, Robot, perform


def test_the_next_is_planned_while_one_moves_and_one_waits():
    """Each is sent as soon as the one before moves, and the one after it is planned at once."""
    robot = Robot()
    calls = LIBRARY.call('pose', {'z': 0.12}) * 4
    complete, announced, _ = perform(robot, calls)
    assert complete
    assert announced == ['pose'] * 4
    story = robot.story
    for number in range(1, 4):
        assert story.index(f'start {number - 1}') < story.index(f'send {number} queued')
        assert story.index(f'send {number} queued') < story.index(f'reach {number - 1}')
    plans = [index for index, what in enumerate(story) if what == 'plan']
    assert plans[2] < story.index('reach 0')


def test_a_plan_that_comes_late_is_told():
    """Nothing is late if planning keeps pace; if not, each sub-action the robot waited for is."""
    prompt = Robot()
    perform(prompt, LIBRARY.call('pose', {'z': 0.12}) * 3)
    assert not [what for what in prompt.story if what.startswith('late')]

    class Slow(Robot):
        async def solve(self, question):
            for _ in range(200):
                await asyncio.sleep(0)
            return await super().solve(question)

    slow = Slow()
    perform(slow, LIBRARY.call('pose', {'z': 0.12}) * 3)
    assert [what for what in slow.story if what.startswith('late')] == ['late pose'] * 2


def test_a_sub_action_is_announced_when_it_moves():
    """No sub-action is announced before it has started, and none is left out."""
    robot = Robot()
    perform(robot, LIBRARY.call('pose', {'z': 0.12}) * 3)
    told = [index for index, what in enumerate(robot.story) if what == 'announce']
    for number, index in enumerate(told):
        assert robot.story.index(f'start {number}') < index
    assert len(told) == 3


def test_a_stop_keeps_what_is_planned_from_being_sent():
    """Once a stop is asked for nothing more of the command is sent; the state is what was sent."""
    robot = Robot()
    calls = [LIBRARY.call('pose', {'z': z})[0] for z in (0.12, 0.11, 0.10, 0.09)]
    complete, announced, performer = perform(robot, calls, stop=lambda: len(robot.motions) == 2)
    assert not complete
    assert len(robot.motions) == 2
    assert announced == ['pose'] * 2
    state = asyncio.run(performer.state())
    assert state.base_position[2] == pytest.approx(0.11)


def test_what_cannot_be_reached_was_never_sent():
    """A sub-action without solution ends the command by name; those before it were performed."""
    robot = Robot()
    robot.refuses = 2
    with pytest.raises(PerformError, match='too far') as caught:
        perform(robot, LIBRARY.call('pose', {'z': 0.12}) * 4)
    assert caught.value.status is Status.UNREACHABLE
    assert len(robot.motions) == 2
    assert all(motion.has_ended.is_set() for motion in robot.motions)


def test_a_goal_that_is_missed_makes_the_state_unknown():
    """After a failure of the bridge the state is measured anew."""

    class Missed(Robot):
        def send(self, motion, queue):
            sent = super().send(motion, queue)
            if sent.number == 1:
                sent.error = PerformError(Status.GOAL_MISSED, 'a foot is stuck')
            return sent

    missed = Missed()
    performer = Performer(PLANNER, missed, PACING)
    with pytest.raises(PerformError, match='a foot is stuck'):
        perform(missed, LIBRARY.call('pose', {'z': 0.09}) * 3, performer=performer)
    height = asyncio.run(performer.state()).base_position[2]
    assert height == pytest.approx(BODY.stance.stand_height, abs=1e-3)


def test_a_motion_that_failed_is_told_rather_than_the_plan_after_it():
    """The bridge refuses the first, and the second cannot be planned: the first is the reason."""

    class Stopped(Robot):
        def send(self, motion, queue):
            sent = super().send(motion, queue)
            sent.error = PerformError(Status.REJECTED, 'the bridge is stopped')
            return sent

    stopped = Stopped()
    stopped.refuses = 1
    performer = Performer(PLANNER, stopped, PACING)
    with pytest.raises(PerformError, match='the bridge is stopped') as caught:
        perform(stopped, LIBRARY.call('pose', {'z': 0.09}) * 3, performer=performer)
    assert caught.value.status is Status.REJECTED
    height = asyncio.run(performer.state()).base_position[2]
    assert height == pytest.approx(BODY.stance.stand_height, abs=1e-3)


def test_every_command_begins_its_gait_anew():
    """A gait starts with the first part of its cycle, unless a foot is in the air."""
    robot = Robot()
    performer = Performer(PLANNER, robot, PACING)

    async def begun(**changes):
        performer._state = replace(await performer.state(), parts={'crawl': 3}, **changes)
        await performer.begin()
        return (await performer.state()).parts

    assert asyncio.run(begun()) == {}
    swing = Swing(np.zeros(3), np.zeros(3), 0.02, 0.0, np.zeros(3), np.zeros(3))
    assert asyncio.run(begun(swings={'front_left': swing})) == {'crawl': 3}


@pytest.mark.parametrize('disturbed', [False, True])
def test_a_robot_that_something_else_moved_is_measured_before_a_command(disturbed):
    """The commanded state counts only for as long as nothing else moves the robot."""

    class Moved(Robot):
        def disturbed(self):
            return disturbed

    performer = Performer(PLANNER, Moved(), PACING)

    async def height():
        state = await performer.state()
        performer._state = replace(state, base_position=np.array([0.0, 0.0, 0.5]))
        await performer.begin()
        return (await performer.state()).base_position[2]

    assert (asyncio.run(height()) == 0.5) is not disturbed


def test_an_expression_without_value_ends_the_command():
    """An error of planning reaches the caller, and the robot stands still."""
    robot = Robot()
    good, bad = LIBRARY.call('pose', {'z': 0.12})[0], LIBRARY.call('pose')[0]
    bad = replace(bad, values={})
    with pytest.raises(SoftshellError, match='unknown name'):
        perform(robot, [good, bad])
    assert [motion.has_ended.is_set() for motion in robot.motions] == [True]


def test_a_halt_that_cannot_be_planned_waits_for_what_moves():
    """The robot stands where the last motion that was sent ends, not where it is on its way."""

    class Stuck(Robot):
        async def solve(self, question):
            if len(self.motions) >= 1:
                raise PerformError(Status.UNREACHABLE, 'too far')
            return await super().solve(question)

    robot = Stuck()
    performer = Performer(PLANNER, robot, PACING)
    with pytest.raises(PerformError, match='too far'):
        perform(robot, LIBRARY.call('walk', {'distance': 0.2}), performer=performer)
    assert [motion.has_ended.is_set() for motion in robot.motions] == [True]
    state = asyncio.run(performer.state())
    assert not state.velocity.any()
    assert not state.swings
