"""Poses of the base that are asked for while the robot walks, or while it goes to another one."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from geometry_msgs.msg import PoseStamped, Twist, Vector3

from softshell_actions.performing.call import base_call
from softshell_actions.performing.director import Director
from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import Pace, Strides, base_move, standing_up
from softshell_actions.planning.reach import UnreachableError
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.ros.streamed import Posing, Walking
from softshell_common.outcome import Status
from softshell_description.load import load_robot
from softshell_interfaces.srv import SetBodyPose

#: Period of the loop that runs all coroutines [s].
TICK = 0.01


class Wait:
    """Awaited, it lets a tick pass."""

    def __await__(self):
        yield


class Moment(SimpleNamespace):
    """A time of the clock."""

    def __sub__(self, other):
        return SimpleNamespace(nanoseconds=(self.time - other.time) * 1e9)


class Sent:
    """A motion on its way, which lasts as long as it is planned."""

    base = None

    def __init__(self, stage, motion):
        self._stage = stage
        self.begin = max(stage.time, stage.free)
        self.end = stage.free = self.begin + motion.duration

    @property
    def over(self):
        return self._stage.time >= self.end

    async def started(self):
        await self._stage.until(lambda: self._stage.time >= self.begin)

    async def reached(self):
        await self._stage.until(lambda: self.over)


class Stage:
    """A standing robot, its clock, and a node for what streams in."""

    def __init__(self, robot='shell'):
        self.time = self.free = 0.0
        self.running, self.said = [], []
        model = load_robot(robot)
        self._rehearsal = rehearsal = Rehearsal(model, 'stand')
        body, library = rehearsal.body, rehearsal.library
        stand = standing_up(library, model.commands.cmd_vel)
        self.performer = Performer(body.planner(library), self, body.pacing(), stand)
        self.performer.holds_heading = False
        director = Director(library, self.performer, self.nothing, print)
        given = (0.15, self.sleep, lambda coroutine: self.running.append(coroutine()))
        pose = (model.commands.body_pose, model.base.footprint, 0.08)
        self.posing = Posing(self, director, *pose, *given)
        strides = Strides(library, Pace(model.commands.cmd_vel))
        self.walking = Walking(self, director, strides, self.posing, 0.5, *given)

    def go(self, seconds, speed=0.0):
        """Let time pass, in which a velocity is streamed, if any."""
        end = self.time + seconds
        while self.time < end:
            if speed:
                message = Twist()
                message.linear.x = speed
                self.walking._on_velocity(message)
            for coroutine in list(self.running):
                try:
                    coroutine.send(None)
                except StopIteration:
                    self.running.remove(coroutine)
            self.time += TICK

    def ask(self, name, z):
        """Have the base brought to a height by the service; what it answers is noted."""
        request = SetBodyPose.Request(pose=stamped(z))

        async def serve():
            answer = await self.posing._serve(request, SetBodyPose.Response())
            self.said.append((name, Status(answer.outcome.status), round(self.height(), 4)))

        self.running.append(serve())

    def height(self):
        return float(self.performer._state.base_position[2])

    # What a node does.

    def create_subscription(self, *_, **__):
        pass

    create_service = create_subscription

    def get_parameter(self, name):
        return SimpleNamespace(value=name == 'use_sim_time')

    def get_clock(self):
        return SimpleNamespace(now=lambda: Moment(time=self.time))

    def get_logger(self):
        return SimpleNamespace(warning=lambda text, **_: self.said.append(text))

    # What a robot does.

    async def until(self, condition):
        while not condition():
            await Wait()

    async def sleep(self, duration):
        end = self.time + duration
        await self.until(lambda: self.time >= end)

    async def solve(self, question):
        try:
            return self._rehearsal.solved(question)
        except UnreachableError as error:
            raise PerformError(Status.UNREACHABLE, str(error)) from None

    async def measure(self):
        return self._rehearsal.state

    async def tilt(self):
        return 0.0

    async def nothing(self):
        pass

    driven = nothing

    def disturbed(self):
        return False

    def send(self, motion, queue):
        return Sent(self, motion)

    def adapted(self, remark):
        self.said.append(remark)

    def late(self, name):
        self.said.append(f'{name} is late')


def stamped(z):
    message = PoseStamped()
    message.pose.position.z, message.pose.orientation.w = z, 1.0
    return message


@pytest.fixture
def stage():
    return Stage()


def test_a_pose_that_takes_over_is_reached(stage):
    """The move under way ends; the newer pose is not lost with it."""
    stage.go(0.01)
    stage.ask('first', 0.115)
    stage.go(0.1)
    stage.ask('second', 0.175)
    stage.go(6.0)
    assert stage.said[-1] == ('second', Status.SUCCEEDED, 0.175)
    assert len(stage.said) == 2


def test_a_pose_is_reached_while_the_robot_walks_on(stage):
    stage.go(2.0, speed=0.08)
    stage.ask('lower', 0.145)
    stage.go(2.0, speed=0.08)
    assert stage.said == [('lower', Status.SUCCEEDED, 0.145)]
    assert stage.performer._state.velocity[0] == pytest.approx(0.08)


def test_a_pose_that_comes_while_a_walk_takes_over_from_another_is_reached(stage):
    """The move to the first gives way to the walk, which brings the base to the second."""
    stage.posing._on_pose(stamped(0.12))
    stage.go(0.3)
    stage.go(0.05, speed=0.08)
    stage.posing._on_pose(stamped(0.145))
    stage.go(6.0, speed=0.08)
    assert stage.height() == pytest.approx(0.145)
    assert stage.performer._state.velocity[0] == pytest.approx(0.08)


def test_a_pose_is_reached_though_the_walk_ends(stage):
    """Also if it was asked for too late for the last stride."""
    stage.go(2.0, speed=0.08)
    stage.go(0.45)
    stage.ask('lower', 0.145)
    stage.go(6.0)
    assert stage.said[-1] == ('lower', Status.SUCCEEDED, 0.145)
    assert stage.performer._state.at_rest


@pytest.mark.long
@pytest.mark.parametrize('by', ['topic', 'service'])
def test_a_pose_out_of_reach_does_not_stop_the_walk(stage, by):
    """Asked for by the topic or by the service, it is refused, and the robot walks on."""
    stage.go(2.0, speed=0.08)
    if by == 'topic':
        stage.posing._on_pose(stamped(0.275))
    else:
        stage.ask('high', 0.275)
    stage.go(2.0, speed=0.08)
    assert any('the base stays as it is: lower_' in str(said) for said in stage.said)
    if by == 'service':
        assert stage.said[-1] == ('high', Status.UNREACHABLE, 0.155)
    assert stage.performer._state.velocity[0] == pytest.approx(0.08)


@pytest.mark.parametrize(('later', 'followed'), [(0.4, True), (0.6, False), (-3600.0, False)])
def test_a_velocity_is_followed_for_its_time_alone(stage, later, followed):
    """Then nobody drives any more; nor where the clock was set back, which may be for an hour."""
    stage.walking._on_velocity(Twist(linear=Vector3(x=0.05)))
    stage.time += later
    assert stage.walking._commanded().any() == followed
    for coroutine in stage.running:
        coroutine.close()


@pytest.mark.parametrize('delay', [0.1, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7])
def test_the_last_pose_that_came_is_reached(stage, delay):
    """Whenever it comes: before the move to the first is decided, on its way, or at its end."""
    stage.posing._on_pose(stamped(0.12))
    stage.go(delay)
    stage.posing._on_pose(stamped(0.17))
    stage.go(6.0)
    assert stage.height() == pytest.approx(0.17)
    assert stage.said == []


@pytest.mark.parametrize('late', [0.3, 0.5, 0.7, 0.9, 1.1])
def test_a_pose_that_comes_while_a_walk_ends_is_reached(stage, late):
    stage.go(2.0, speed=0.08)
    stage.go(late)
    stage.posing._on_pose(stamped(0.145))
    stage.go(6.0)
    assert stage.height() == pytest.approx(0.145)


def test_a_pose_that_was_refused_is_none_for_later(stage):
    """The bridge was stopped when it came; the walk a minute later is at the usual height."""

    async def refuse():
        raise PerformError(Status.NOT_READY, 'the bridge is stopped')

    stage.go(3.0, speed=0.08)
    stage.go(3.0)
    usual, stage.driven = stage.height(), refuse
    stage.posing._on_pose(stamped(0.12))
    stage.go(1.0)
    assert stage.said == ['body_pose: the bridge is stopped']
    stage.driven = stage.nothing
    stage.go(60.0)
    stage.go(3.0, speed=0.08)
    assert stage.height() == pytest.approx(usual)


def test_a_pose_does_not_take_over_from_a_newer_command(stage):
    """One that waits for the next stride ends with the walk, which the newer command has ended."""

    async def nod():
        yield base_call('nod', 1.0, base_move(np.array([0.0, 0.0, 0.15, 0.0, 0.0, 0.0])))

    async def newer():
        stage.said.append(await stage.posing._director.perform(Task('nod'), None, nod()))

    stage.go(2.0, speed=0.08)
    stage.ask('lower', 0.145)
    stage.running.insert(0, newer())
    stage.go(6.0)
    answers = [said for said in stage.said if isinstance(said, tuple)]
    assert [answer[:2] for answer in answers] == [('lower', Status.PREEMPTED)]
    assert True in stage.said
    assert stage.height() == pytest.approx(0.15)


def test_a_pose_is_answered_while_the_robot_rolls(stage):
    """A roll takes no pose with it, however long it lasts: the pose is a command of its own."""

    class Roll:
        foreseen = staticmethod(lambda: True)
        tell = staticmethod(lambda velocity: None)

        async def is_ball(self):
            return True

        async def calls(self, commanded):
            while commanded().any():
                await Wait()
            for none in ():
                yield none

    stage.walking._rolled = Roll()
    stage.go(1.0, speed=0.3)
    assert not stage.posing.walking()
    stage.ask('lower', 0.145)
    stage.go(1.0, speed=0.3)
    stage.go(6.0)
    assert [said[0] for said in stage.said if isinstance(said, tuple)] == ['lower']
