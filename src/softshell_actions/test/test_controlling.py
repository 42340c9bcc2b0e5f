"""How the performer runs controllers: how they begin and end, and what is known afterwards."""

import asyncio
import sys
from pathlib import Path

import pytest

from softshell_actions.facts import mode_of
from softshell_actions.language.grammar import JointsMove, SubAction
from softshell_actions.performing.call import Call, controller_call
from softshell_actions.performing.director import Director
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.robot import body_of
from softshell_common.outcome import Status
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

sys.path.insert(0, str(Path(__file__).parent))
from performer_rig import Motion, Upright

BODY = body_of(load_robot())
PLANNER = BODY.planner(BODY.library())
PACING = BODY.pacing()


class Run:
    """A run that is over some looks after it was begun, or after it was told to finish."""

    base = None

    def __init__(self, looks, error=None, refusal=None):
        self.looks, self.error, self.refusal, self.finished = looks, error, refusal, 0

    async def started(self):
        if self.refusal is not None:
            raise self.refusal

    async def reached(self):
        if self.error is not None:
            raise self.error

    @property
    def over(self):
        return self.looks <= 0

    def tell(self, references):
        pass

    def finish(self):
        self.finished += 1
        self.looks = min(self.looks, 3)


class Robot(Upright):
    """A closed ball that only rolls."""

    def __init__(self, run):
        self.last, self.asked, self.measured = run, [], 0
        self.ends_at = None

    async def measure(self):
        self.measured += 1
        return BODY.measured_state(BODY.model.poses['ball'])

    def run(self, controller, references, queue):
        self.asked.append((controller, dict(references), queue))
        return self.last

    async def sleep(self, duration):
        self.last.looks -= 1
        if self.last.looks == self.ends_at:
            raise PerformError(Status.STOPPED, 'the action manager is ending')


def perform(run, stop=lambda: False, ends_at=None):
    """Whether it was performed, by what robot, and whether a controller ran when announced."""
    robot = Robot(run)
    robot.ends_at = ends_at
    performer = Performer(PLANNER, robot, PACING)
    announced = []

    async def calls():
        yield controller_call('rolling', {'speed': 0.5})

    def announce(call):
        announced.append((call.name, performer.running is run))

    try:
        complete = asyncio.run(performer.perform(calls(), announce, stop))
    finally:
        assert performer.running is None
    return complete, robot, announced


def test_a_controller_is_waited_for_and_the_robot_measured_then():
    """It is begun once and announced when it runs; the joints are measured afterwards."""
    complete, robot, announced = perform(Run(looks=4))
    assert complete
    assert robot.asked == [('rolling', {'speed': 0.5}, False)]
    assert announced == [('rolling', True)]
    assert robot.last.looks == 0
    assert robot.measured == 2
    assert robot.last.finished == 0


def test_what_is_stopped_comes_to_rest_first():
    """It is told once to finish, and waited for; the rest of the command is left out."""
    asked = iter([False, False, True])
    complete, robot, _ = perform(Run(looks=1000), stop=lambda: next(asked, True))
    assert not complete
    assert robot.last.finished == 1
    assert robot.last.over


def test_what_is_cancelled_before_a_controller_begins_begins_none():
    """The command that it belongs to was given up while the move before it was under way."""
    asked = iter([False, True])
    complete, robot, announced = perform(Run(looks=1000), stop=lambda: next(asked, True))
    assert not complete
    assert (robot.asked, announced) == ([], [])


def test_a_run_that_nobody_waits_for_any_more_comes_to_rest():
    """The node that asked for it ends: else a ball would roll on alone."""
    run = Run(looks=1000)
    with pytest.raises(PerformError, match='the action manager is ending'):
        perform(run, ends_at=990)
    assert run.finished == 1


@pytest.mark.parametrize('when', ['error', 'refusal'])
def test_why_a_run_failed_is_told(when):
    """Whether it was refused, or missed its goal."""
    why = PerformError(Status.GOAL_MISSED, 'the IMU has fallen silent')
    with pytest.raises(PerformError, match='fallen silent'):
        perform(Run(looks=2, **{when: why}))


def test_a_run_is_waited_for_though_who_is_told_of_it_fails():
    """It comes to rest before anything else can begin."""
    run, waited = Run(looks=1000), []

    async def reached():
        waited.append(run.finished)

    run.reached = reached
    performer = Performer(PLANNER, Robot(run), PACING)

    def tell(call):
        raise ValueError('nobody listens')

    async def calls():
        yield controller_call('rolling', {'speed': 0.5})

    with pytest.raises(ValueError, match='nobody listens'):
        asyncio.run(performer.perform(calls(), tell))
    assert waited == [1]


class Opening(Robot):
    """A ball that swings out its upper panels, slowly."""

    def __init__(self, run):
        super().__init__(run)
        self.motion = Motion([], 0)

    def send(self, motion, queue):
        self.motion.has_started.set()
        asyncio.get_running_loop().call_later(0.05, self.motion.has_ended.set)
        return self.motion

    async def measure(self):
        poses = BODY.model.poses
        outside = 'stand' if self.motion.over else 'ball'
        opened = {name: poses[outside][name] for name in BODY.model.groups['upper'].joints}
        return BODY.measured_state({**poses['ball'], **opened})


@pytest.mark.parametrize(
    'refusal', [PerformError(Status.REJECTED, 'it needs an IMU'), SoftshellError('it needs time')]
)
def test_the_move_before_a_run_that_does_not_begin_ends_first(refusal):
    """What is measured then is where it ends, not where it was on its way."""
    robot = Opening(Run(looks=2, refusal=refusal))
    performer = Performer(PLANNER, robot, PACING)

    async def calls():
        move = JointsMove(group='upper', pose='stand')
        yield Call(SubAction(name='swing out', duration=1.0, moves=[move]), {})
        yield controller_call('rolling', {'speed': 0.5})

    async def joints_after_it():
        with pytest.raises(type(refusal), match='it needs'):
            await performer.perform(calls())
        assert robot.motion.over
        return (await performer.state()).joints

    joints, stand = asyncio.run(joints_after_it()), BODY.model.poses['stand']
    assert [queue for _, _, queue in robot.asked] == [True]
    upper = BODY.model.groups['upper'].joints
    assert [joints[name] for name in upper] == [stand[name] for name in upper]


def test_a_refusal_while_something_is_under_way_says_what_helps():
    """It names the action that requires it: `stand`, where `walk` is asked for."""
    performer = Performer(PLANNER, Robot(None), PACING)
    asyncio.run(performer.state())
    director = Director(BODY.library(), performer, performer.settle, print)
    director.turns._task = Task('open')
    told = r'^stand requires: .*; true now: ball; open helps; open is under way and goes on$'
    with pytest.raises(PerformError, match=told):
        director.refuse_in_vain('walk', director.library.action('walk').requires)


@pytest.mark.parametrize(
    ('facts', 'controlled', 'mode'),
    [
        (None, False, 'unknown'),
        (None, True, 'rolling'),
        (('ball', 'tilted'), False, 'shell'),
        (('transforming',), False, 'transforming'),
        (('standing', 'scattered'), False, 'hexapod'),
        ((), False, 'hexapod'),
    ],
)
def test_modes_follow_from_facts(facts, controlled, mode):
    """And from whether a controller moves the robot."""
    assert mode_of(facts, controlled) == mode
