"""Signals that ask a program to end."""

import os
import signal

import pytest

from softshell_bringup.ending import ENDING, on_ending


@pytest.fixture(autouse=True)
def handlers():
    """Those of this process are as before afterwards."""
    before = {number: signal.getsignal(number) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize('number', ENDING)
def test_each_asks_for_the_end(number):
    """The handler gets its number."""
    received = []
    on_ending(lambda number, frame: received.append(number))
    os.kill(os.getpid(), number)
    assert received == [number]


def test_what_nohup_has_started_outlives_its_terminal():
    """`nohup` has SIGHUP ignored, and so it stays; the other signals end the program as ever."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    received = []
    on_ending(lambda number, frame: received.append(number))
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)
    assert received == [signal.SIGTERM]
