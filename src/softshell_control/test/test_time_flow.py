"""The time of a bridge: paused, stepped, resumed, and never caught up with."""

import pytest

from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.mock import MockBackend
from softshell_control.time_flow import TimeFlow
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

PERIOD, TICK = 0.004, 4_000_000


@pytest.fixture
def core():
    robot = load_robot('arm')
    return BridgeCore(MockBackend(robot), limits_of(robot), PERIOD, FollowerSettings())


def test_while_paused_ticks_let_no_time_pass(core):
    """Requests are answered all the same, and time goes on from where it stood still."""
    core.tick()
    assert core.flow.pause() == 'simulated time stands still; ~/resume goes on'
    assert core.flow.pause() == 'paused already'
    activated = core.request(core.activate)
    for _ in range(100):
        core.tick()
    assert core.now == TICK
    assert activated.result(0).startswith('the joints are driven')
    core.flow.resume()
    core.tick()
    assert core.now == 2 * TICK


def test_steps_let_their_periods_pass_in_turn(core):
    """Each is answered with its own last period; then time stands still again."""
    core.flow.pause()
    first, second = core.flow.step(2), core.flow.step(3)
    ends = []
    for _ in range(8):
        core.tick()
        ends.append((first.done(), second.done()))
    assert core.now == 5 * TICK
    assert ends.index((True, False)) == 1
    assert ends.index((True, True)) == 4


def test_steps_that_are_cut_short_say_so(core):
    """Whoever resumes ends the steps of others, who learn why."""
    core.flow.pause()
    step = core.flow.step(5)
    core.tick()
    core.flow.resume()
    with pytest.raises(SoftshellError, match='resumed before all of the time had passed'):
        step.result(0)
    assert core.flow.resume() == 'was not paused'
    core.flow.pause()
    core.tick()
    assert core.now == TICK


@pytest.mark.parametrize(('paused', 'periods', 'text'), [
    (False, 1, 'simulated time passes; ~/pause it before single steps'),
    (True, 0, '0 control periods; expected 1 or more'),
    (True, -3, '-3 control periods; expected 1 or more'),
])  # fmt: skip
def test_steps_that_there_are_not(paused, periods, text):
    """Are refused, and nothing passes."""
    flow = TimeFlow(0, PERIOD)
    flow.paused = paused
    with pytest.raises(SoftshellError, match=text):
        flow.step(periods)
    assert flow.begins(TICK) == (not paused)
