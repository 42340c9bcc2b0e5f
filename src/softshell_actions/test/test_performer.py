"""The performer: what is planned, sent, announced and awaited, and when."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.language.grammar import GaitMove, SubAction, TravelMove
from softshell_actions.performing.call import Call
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.robot import body_of
from softshell_actions.state import Swing
from softshell_common.outcome import Status
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

BODY = body_of(load_robot('quadruped'))
LIBRARY = BODY.library()
PLANNER = BODY.planner(LIBRARY)
PACING = BODY.pacing()


class Motion:
    """A motion that the robot was sent."""

    base = None

    def __init__(self, story, number):
        self.story, self.number = story, number
        self.has_started, self.has_ended = asyncio.Event(), asyncio.Event()
        self.error = None

    async def started(self):
        await self.has_started.wait()
        self._raise()

    async def reached(self):
        await self.has_ended.wait()
        self._raise()

    @property
    def over(self):
        return self.has_ended.is_set()

    def _raise(self):
        if self.error is not None:
            raise self.error


class Robot:
    """A robot that starts each motion when the one before is reached."""

    def __init__(self):
        self.story, self.motions, self.refuses = [], [], None

    async def solve(self, limbs, seed):
        self.story.append('plan')
        if self.refuses == len(self.motions):
            raise PerformError(Status.UNREACHABLE, 'too far')
        return {
            joint: np.full(len(path), seed[joint])
            for chain, path in limbs.items()
            for joint in BODY.model.own_joints(chain)
        }

    async def measure(self):
        stand = BODY.model.poses['stand']
        return BODY.measured_state(stand)

    async def tilt(self):
        return 0.0

    async def driven(self):
        pass

    def disturbed(self):
        return False

    def adapted(self, remark):
        self.story.append(remark)

    def late(self, name):
        self.story.append(f'late {name}')

    def send(self, motion, queue):
        number = len(self.motions)
        self.story.append(f'send {number}' + (' queued' if queue else ''))
        self.motions.append(Motion(self.story, number))
        return self.motions[-1]

    async def go(self):
        """Perform every motion that is sent, one after another."""
        number = 0
        while True:
            if number == len(self.motions):
                await asyncio.sleep(0)
                continue
            motion = self.motions[number]
            motion.has_started.set()
            self.story.append(f'start {number}')
            for _ in range(20):
                await asyncio.sleep(0)
            motion.has_ended.set()
            self.story.append(f'reach {number}')
            number += 1


def perform(robot, calls, stop=lambda: False, performer=None):
    """Whether all were performed, names of sub-actions as they were announced, the performer."""
    performer = performer or Performer(PLANNER, robot, PACING)
    announced = []

    async def each():
        for call in calls:
            yield call

    def announce(call):
        announced.append(call.name)
        robot.story.append('announce')

    async def main():
        moving = asyncio.create_task(robot.go())
        try:
            return await asyncio.wait_for(performer.perform(each(), announce, stop), 20)
        finally:
            moving.cancel()

    return asyncio.run(main()), announced, performer


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
        async def solve(self, limbs, seed):
            for _ in range(200):
                await asyncio.sleep(0)
            return await super().solve(limbs, seed)

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


def test_walking_ends_on_all_feet():
    """After a stop in mid-walk the robot halts, lands, and brings its base back from its sway."""
    robot = Robot()
    calls = LIBRARY.call('walk', {'distance': 0.4})
    complete, _, performer = perform(robot, calls, stop=lambda: len(robot.motions) >= 6)
    assert not complete
    assert asyncio.run(performer.state()).at_rest


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


def test_a_command_that_fails_ends_when_the_robot_rests():
    """Kinematics has gone: what is measured on the way would be no place to begin the next one."""

    class Alone(Robot):
        async def solve(self, limbs, seed):
            if len(self.motions) == 2:
                raise PerformError(Status.NOT_READY, 'solve_ik has not answered')
            return await super().solve(limbs, seed)

    alone = Alone()
    with pytest.raises(PerformError, match='solve_ik has not answered'):
        perform(alone, LIBRARY.call('pose', {'z': 0.12}) * 4)
    assert len(alone.motions) == 2
    assert all(motion.has_ended.is_set() for motion in alone.motions)


def test_the_tilt_is_measured_anew_where_that_is_asked_for():
    """An action ensures that the robot has not fallen on the way."""

    class Tipping(Robot):
        angle = 0.0

        async def tilt(self):
            return self.angle

    async def falls(robot):
        performer = Performer(PLANNER, robot, PACING)
        await performer.begin()
        robot.angle = 1.5
        return [await performer.holds('fallen', anew) for anew in (False, True)]

    assert asyncio.run(falls(Tipping())) == [False, True]


def test_travel_without_a_gait_ends_at_rest():
    """Cancelled on the way: the base comes to rest over its feet, and the state says so."""
    robot = Robot()
    travel = SubAction(
        name='slide', duration=0.5, moves=[TravelMove(velocity={'x': 0.02})]
    )  # fmt: skip
    calls = [Call(travel, {}), *LIBRARY.call('pose', {'z': 0.12})]
    complete, _, performer = perform(robot, calls, stop=lambda: len(robot.motions) == 1)
    assert not complete
    assert asyncio.run(performer.state()).at_rest


def test_the_halt_of_a_stride_is_under_no_condition():
    """Else a robot in mid-walk, of which `standing` is not true, would not come to rest."""
    robot = Robot()
    strides = [
        replace(call, sub_action=call.sub_action.model_copy(update={'when': 'not scattered'}))
        for call in LIBRARY.call('walk', {'distance': 0.4})
    ]
    _, _, performer = perform(robot, strides[:2])
    assert robot.motions
    assert asyncio.run(performer.state()).at_rest


def test_a_part_of_a_gait_in_which_nothing_moves_passes():
    """All legs stand in the second part of a trot; without a velocity they hold."""
    robot = Robot()
    still = SubAction(
        name='still', repeat=1, moves=[GaitMove(gait='trot', cycle=0.7, height=0.015)]
    )  # fmt: skip
    complete, _, performer = perform(robot, [Call(still, {})] * 4)
    assert complete
    assert asyncio.run(performer.state()).at_rest


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


def test_what_is_measured_does_not_overwrite_what_was_commanded_meanwhile():
    """Two coroutines may measure at once; the one that is told later is the older one by then."""
    told, robot = asyncio.Event(), Robot()
    measure = robot.measure

    async def late():
        await told.wait()
        return await measure()

    async def states():
        performer = Performer(PLANNER, robot, PACING)
        robot.measure = late
        looking = asyncio.create_task(performer.state())
        await asyncio.sleep(0.0)
        performer._state = commanded = replace(await measure(), parts={'crawl': 3})
        told.set()
        return await looking is commanded

    assert asyncio.run(states())


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
        async def solve(self, limbs, seed):
            if len(self.motions) >= 1:
                raise PerformError(Status.UNREACHABLE, 'too far')
            return await super().solve(limbs, seed)

    robot = Stuck()
    performer = Performer(PLANNER, robot, PACING)
    with pytest.raises(PerformError, match='too far'):
        perform(robot, LIBRARY.call('walk', {'distance': 0.2}), performer=performer)
    assert [motion.has_ended.is_set() for motion in robot.motions] == [True]
    state = asyncio.run(performer.state())
    assert not state.velocity.any()
    assert not state.swings
