"""Finger commands one after another: what is on the way goes on, what was ended does not."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_control.bridge import BridgeCore
from softshell_control.channel import Channel, Limits, limits_of
from softshell_control.gate import Command
from softshell_control.mock import MockBackend
from softshell_control.ros.fingers import FingerInput
from softshell_control.trajectories.check import check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.form import ChannelKind
from softshell_description.load import load_robot
from softshell_interfaces.msg import FingerCommand

NAMES = ('bend', 'curl')


@pytest.fixture
def fingers():
    """Two tendons that have been told to pull; `tell` gives the channels of a new trajectory."""
    channels = [
        Channel(name, ChannelKind.TENSION, 'N', 0.0, 9.0, 10.0, 99.0, 1.0) for name in NAMES
    ]
    core = SimpleNamespace(
        now=0, period=0.02, limits=Limits(tuple(channels)), command=Command.at_rest(np.zeros(2)),
        follower=SimpleNamespace(is_active=lambda identity: False),
        following=SimpleNamespace(stops=0),
    )  # fmt: skip
    node = SimpleNamespace(create_subscription=lambda *given: None)
    sent = []
    taker = FingerInput(node, SimpleNamespace(channels=dict.fromkeys(NAMES)), core, sent.append)

    def tell(name):
        taker._on_command(FingerCommand(channels=[name], values=[5.0], duration=5.0))
        return sent[-1].names

    assert tell('bend') == ['bend']
    return core, tell


def test_what_is_on_the_way_goes_on(fingers):
    """Of two commands within one period the first is not lost."""
    _, tell = fingers
    assert tell('curl') == ['bend', 'curl']


def test_what_was_followed_and_has_ended_does_not_come_back(fingers):
    """The bridge does not follow it any more a second later."""
    core, tell = fingers
    core.now = 10**9
    assert tell('curl') == ['curl']


def test_what_a_stop_has_ended_does_not_come_back(fingers):
    """Neither while simulated time stands still, in which a bridge may be stopped and started."""
    core, tell = fingers
    core.following.stops += 1
    assert tell('curl') == ['curl']


def test_a_clock_that_went_back_makes_no_old_command_new(fingers):
    core, tell = fingers
    core.now = -(10**10)
    assert tell('curl') == ['curl']


HAND = load_robot('hand')
TENDONS = tuple(HAND.channels)[:2]
PERIOD = 0.02


class Hand:
    """A bridge of a hand that follows exactly, told by finger commands."""

    def __init__(self):
        limits = limits_of(HAND)
        self.core = core = BridgeCore(MockBackend(HAND), limits, PERIOD, FollowerSettings())
        core.request(core.activate)
        core.tick()
        node = SimpleNamespace(create_subscription=lambda *given: None)
        self._input = FingerInput(
            node, HAND, core, lambda request: core.offer(check_trajectory(request, limits.names))
        )
        self._columns = [limits.names.index(name) for name in TENDONS]

    def tell(self, values, duration):
        names = list(values)
        message = FingerCommand(channels=names, values=list(values.values()), duration=duration)
        self._input._on_command(message)

    def run(self, seconds):
        """(ticks + 1, 2) commands, from the present one on."""
        rows = [self.core.command.value[self._columns]]
        for _ in range(round(seconds / PERIOD)):
            self.core.tick()
            rows.append(self.core.command.value[self._columns])
        return np.array(rows)


def test_a_short_pull_beside_a_long_one_is_no_harder_than_told():
    """Each goes to its value and no further: 1 N in 0.2 s, while another goes to 2 N in 5 s."""
    hand = Hand()
    hand.tell({TENDONS[0]: 2.0}, 5.0)
    hand.run(0.5)
    hand.tell({TENDONS[1]: 1.0}, 0.2)
    pulls = hand.run(5.0)
    assert (np.diff(pulls, axis=0) >= -1e-9).all()
    assert pulls.max(axis=0) == pytest.approx([2.0, 1.0], abs=1e-9)
    # Each is there in its time, taken a period later, and one stays as the other goes on.
    assert pulls[round(0.2 / PERIOD) + 1 :, 1] == pytest.approx(1.0, abs=1e-9)
    assert pulls[round(4.5 / PERIOD) + 1, 0] == pytest.approx(2.0, abs=1e-9)


def test_a_quick_pull_that_is_told_to_end_slowly_does_not_go_on():
    """Told to go back from full speed, it turns within the period in which it hears of it."""
    hand = Hand()
    hand.tell({TENDONS[0]: 10.0}, 1.0)
    here = hand.run(0.5)[-1, 0]
    hand.tell({TENDONS[0]: 0.0}, 10.0)
    pulls = hand.run(10.5)[:, 0]
    assert pulls.max() <= here + 1e-9
    assert pulls[-1] == pytest.approx(0.0, abs=1e-9)


ORDERS = st.lists(
    st.tuples(
        st.sampled_from(TENDONS),
        st.floats(0.0, 10.0),
        st.floats(0.1, 5.0),
        st.floats(0.0, 1.0),
    ),
    min_size=1,
    max_size=6,
)


#: The second comes within the last period of the first.
LAST_MOMENT = [(TENDONS[0], 1.0, 1.015625, 1.0), (TENDONS[1], 0.0, 1.0, 0.0)]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@example(LAST_MOMENT)
@given(ORDERS)
def test_no_pull_turns_back_or_passes_its_value(orders):
    """Whatever is told meanwhile: each goes monotonically from where it is to its newest value."""
    hand = Hand()
    goals = hand.run(0.0)[-1]
    for name, value, duration, later in orders:
        goals[TENDONS.index(name)] = value
        hand.tell({name: value}, duration)
        pulls = hand.run(later)
        towards = goals - pulls[0]
        assert (np.diff(pulls, axis=0) * np.sign(towards) >= -1e-9).all()
        assert (np.abs(pulls - pulls[0]) <= np.abs(towards) + 1e-9).all()
    assert hand.run(5.1)[-1] == pytest.approx(goals, abs=1e-9)
