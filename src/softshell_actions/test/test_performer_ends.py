"""How commands end: at rest, whatever went wrong on the way, and with the state that is true."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from softshell_actions.language.grammar import BaseMove, GaitMove, SubAction, TravelMove
from softshell_actions.performing.call import Call
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status

sys.path.insert(0, str(Path(__file__).parent))
from performer_rig import LIBRARY, PACING, PLANNER, Robot, perform


def test_walking_ends_on_all_feet():
    """After a stop in mid-walk the robot halts, lands, and brings its base back from its sway."""
    robot = Robot()
    calls = LIBRARY.call('walk', {'distance': 0.4})
    complete, _, performer = perform(robot, calls, stop=lambda: len(robot.motions) >= 6)
    assert not complete
    assert asyncio.run(performer.state()).at_rest


def test_a_command_that_fails_ends_when_the_robot_rests():
    """Kinematics has gone: what is measured on the way would be no place to begin the next one."""

    class Alone(Robot):
        async def solve(self, question):
            if len(self.motions) == 2:
                raise PerformError(Status.NOT_READY, 'solve_ik has not answered')
            return await super().solve(question)

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


def test_after_an_unexpected_error_the_robot_rests_and_is_measured_anew():
    """What was sent before it ends first; nothing of what was believed is left."""

    class Mistaken(Robot):
        async def solve(self, question):
            if len(self.motions) == 2:
                raise ValueError('y must contain only finite values')
            return await super().solve(question)

    robot, performers = Mistaken(), []
    performers.append(Performer(PLANNER, robot, PACING))
    with pytest.raises(ValueError, match='finite values'):
        perform(robot, LIBRARY.call('pose', {'z': 0.12}) * 4, performer=performers[0])
    assert all(motion.has_ended.is_set() for motion in robot.motions)
    assert performers[0].known_facts is None


@pytest.mark.parametrize(('count', 'refuses'), [(2, None), (3, None), (3, 2)])
def test_what_moves_ends_before_a_refusal_of_what_follows_is_told(count, refuses):
    """Whether it is the last one, or another follows, or one that cannot be planned."""

    class Full(Robot):
        def send(self, motion, queue):
            sent = super().send(motion, queue)
            if sent.number == 1:
                sent.error = PerformError(Status.REJECTED, 'the queue is full')
                sent.has_started.set()
                sent.has_ended.set()
            return sent

    robot = Full()
    robot.refuses = refuses
    with pytest.raises(PerformError, match='the queue is full'):
        perform(robot, LIBRARY.call('pose', {'z': 0.12}) * count)
    assert robot.motions[0].over


def test_a_stop_while_the_robot_stands_up_for_a_stride_ends_that():
    """Nothing more is sent, neither of standing up nor of the walk."""

    class Short(Robot):
        async def solve(self, question):
            if not any('stands up first' in what for what in self.story):
                raise PerformError(Status.UNREACHABLE, 'too far')
            return await super().solve(question)

    robot = Short()
    rising = LIBRARY.call('pose', {'z': 0.12}) * 2
    performer = Performer(PLANNER, robot, PACING, rising)
    walk = LIBRARY.call('walk', {'distance': 0.2})
    complete, _, _ = perform(robot, walk, lambda: bool(robot.motions), performer)
    assert not complete
    assert len(robot.motions) == 1


def test_a_stop_while_feet_go_to_their_places_ends_that(monkeypatch):
    """The stride that was to follow is not even planned, as its feet are out of place."""
    robot, planned = Robot(), []
    performer = Performer(PLANNER, robot, PACING)
    state = asyncio.run(performer.state())
    performer._state = replace(state, feet=state.feet * [1.5, 1.5, 1.0])
    prepared = performer._prepared

    async def noting(call, *given):
        planned.append(call.travels)
        return await prepared(call, *given)

    monkeypatch.setattr(performer, '_prepared', noting)
    walk = LIBRARY.call('walk', {'distance': 0.2})
    complete, _, _ = perform(robot, walk, lambda: bool(robot.motions), performer)
    assert not complete
    assert planned
    assert not any(planned)


@pytest.mark.parametrize('last', [0, 2])
def test_who_is_told_may_fail(last):
    """Also of the last that begins: all that moves ends first."""
    robot, begun = Robot(), []
    performer = Performer(PLANNER, robot, PACING)

    def tell(call):
        begun.append(call)
        if len(begun) > last:
            raise ValueError('nobody listens')

    async def calls():
        for call in LIBRARY.call('pose', {'z': 0.12}) * 3:
            yield call

    async def main():
        moving = asyncio.create_task(robot.go())
        try:
            await asyncio.wait_for(performer.perform(calls(), tell), 20)
        finally:
            moving.cancel()

    with pytest.raises(ValueError, match='nobody listens'):
        asyncio.run(main())
    assert all(motion.has_ended.is_set() for motion in robot.motions)
    assert performer.known_facts is None


def test_a_halt_that_is_out_of_reach_is_no_stride_at_full_speed():
    """A stride that also moves the base may be done without that; a halt of it may not."""
    stride = LIBRARY.call('stride', {'x': 0.1})[0].with_move(BaseMove(base=[{'z': 0.1}]))
    assert stride.plain is not None
    assert stride.halting().plain is None
    assert stride.halting().landing().plain is None
