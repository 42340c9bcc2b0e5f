"""The error of a sub-action that cannot be performed gives one reason, the decisive one."""

import asyncio

import numpy as np
import pytest

from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.solving import solved
from softshell_actions.planning.draft import PlanError
from softshell_actions.planning.reach import Question, UnreachableError
from softshell_actions.robot import body_of
from softshell_actions.trajectories.motion import Motion
from softshell_common.outcome import Status
from softshell_description.load import load_robot


class Robot:
    """A robot that reaches no goal, each time for another reason."""

    count = 0

    async def solve(self, question):
        self.count += 1
        raise PerformError(Status.UNREACHABLE, f'reason {self.count}')


def test_the_reason_is_that_which_the_preparation_ends_with():
    """The first of two reasons, if the preparation tried a second way in vain."""

    def preparation():
        try:
            yield Question({}, {})
        except UnreachableError as error:
            reason = error
        with pytest.raises(UnreachableError):
            yield Question({}, {})
        raise reason

    with pytest.raises(PerformError, match=r'^reason 1$') as caught:
        asyncio.run(solved(preparation(), Robot()))
    assert caught.value.status is Status.UNREACHABLE


def test_what_would_take_too_long_names_the_joint_that_is_too_fast():
    """A knee that turns by 9 rad/s for 100 s is allowed 5.87 rad/s: no sub-action is that long."""
    body = body_of(load_robot('shell'))
    (call,) = body.library().call('pose')
    times = np.linspace(0.0, 100.0, 101)[:, None]
    motion = Motion(('lower_0_knee',), times[:, 0], 9.0 * times, np.full_like(times, 9.0))
    with pytest.raises(PlanError, match=r'^pose: lower_0_knee: speed is 9'):
        body.pacing().too_fast(call, motion, 0)
    short = Motion(motion.joints, motion.times[:3], motion.positions[:3], motion.velocities[:3])
    assert body.pacing().too_fast(call, short, 0).slowdown == pytest.approx(9.0 / 5.87, rel=1e-3)
