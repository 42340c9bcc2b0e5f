"""Finger commands one after another: what is still on the way goes on, what was ended does not."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_control.channel import Channel, Limits
from softshell_control.gate import Command
from softshell_control.ros.fingers import FingerInput
from softshell_description.form import ChannelKind
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
