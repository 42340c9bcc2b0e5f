"""A sender that does not know yet that another one took over: what it sent is refused."""

import pytest
from bridge_rig import Rig

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import ReasonCode
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.trajectory import Identity

OURS, OTHER = 1, 9


def offer(rig, number, sender='policy', after=None, queued=False):
    """Hand in a trajectory of one joint; its id is made of the number."""
    names = rig.core.limits.names
    request = Request(
        Identity(sender, bytes([number]) * 16), 0, names[:1], [1.0], [[0.1]], [[]], queued=queued,
        after=None if after is None else bytes([after]) * 16,
    )  # fmt: skip
    rig.core.offer(check_trajectory(request, names))


def goals(reports):
    return [(each.goal.identity.id[0], each.goal.state) for each in reports]


@pytest.fixture
def rig():
    rig = Rig().bring(BridgeMode.HOLDING)
    offer(rig, OURS)
    assert goals(rig.run(1)) == [(1, GoalState.ACTIVE)]
    return rig


@pytest.mark.parametrize('queued', [False, True], ids=['at once', 'queued'])
def test_what_follows_the_last_one_is_taken(rig, queued):
    """Nobody came between."""
    offer(rig, 2, after=OURS, queued=queued)
    offer(rig, 3, after=2, queued=queued)
    assert (3, GoalState.REJECTED) not in goals(rig.run(3))


@pytest.mark.parametrize('queued', [False, True], ids=['at once', 'queued'])
def test_what_follows_another_than_the_last_one_is_refused(rig, queued):
    """The action that took over goes on; the sender is told who took over, each time."""
    offer(rig, OTHER, sender='manager')
    offer(rig, 2, after=OURS, queued=queued)
    offer(rig, 3, after=2, queued=queued)
    reports = rig.run(4)
    assert goals(reports) == [
        (OURS, GoalState.REPLACED),
        (OTHER, GoalState.ACTIVE),
        (2, GoalState.REJECTED),
        (3, GoalState.REJECTED),
    ]
    (reason,) = reports[-1].goal.reasons
    assert reason.code is ReasonCode.OVERTAKEN
    assert reason.text == 'a trajectory of manager came after the one that this was to follow'


def test_what_reached_its_goal_may_be_followed(rig):
    """It is still the last one, however long ago."""
    rig.run(600)
    offer(rig, 2, after=OURS)
    assert goals(rig.run(1)) == [(2, GoalState.ACTIVE)]


@pytest.mark.parametrize('stop', ['cancel', 'fault'])
def test_nothing_follows_what_was_stopped(rig, stop):
    """A cancellation or a fault ends all that was to come after it."""
    if stop == 'cancel':
        rig.core.cancel(Identity('policy', bytes([OURS]) * 16))
    else:
        rig.core.request(rig.core.emergency_stop)
        rig.run(1)
        rig.core.request(rig.core.reset)
        rig.core.request(rig.core.activate)
    rig.run(2)
    offer(rig, 2, after=OURS)
    (report,) = rig.run(1)
    assert report.goal.state is GoalState.REJECTED
    (reason,) = report.goal.reasons
    assert reason.text == 'a stop came after the one that this was to follow'
