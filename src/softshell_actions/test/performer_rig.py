"""A robot on which a performer performs, and the story of what it was told."""

import asyncio

import numpy as np

from softshell_actions.performing.performer import Performer
from softshell_actions.performing.robot import PerformError
from softshell_actions.robot import body_of
from softshell_common.outcome import Status
from softshell_description.load import load_robot

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


class Upright:
    """What robots that are driven, and that nothing else moves, answer."""

    async def tilt(self):
        return 0.0

    async def driven(self):
        pass

    def disturbed(self):
        return False


class Robot(Upright):
    """A robot that starts each motion when the one before is reached."""

    def __init__(self):
        self.story, self.motions, self.refuses = [], [], None

    async def solve(self, question):
        self.story.append('plan')
        if self.refuses == len(self.motions):
            raise PerformError(Status.UNREACHABLE, 'too far')
        return {
            joint: np.full(len(path), question.seed[joint])
            for chain, path in question.limbs.items()
            for joint in BODY.model.own_joints(chain)
        }

    async def measure(self):
        stand = BODY.model.poses['stand']
        return BODY.measured_state(stand)

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
