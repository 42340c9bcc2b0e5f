"""Emulated servos wait for a host on the same computer, and not for one that has gone."""

from types import SimpleNamespace

import pytest

from softshell_hardware.emulator.host import GONE, WAITED, WAITS, Host

MS = 1_000_000


class Clocks:
    """A host, the buses that it uses, and both clocks."""

    def __init__(self, lead=0.02):
        self.bus = SimpleNamespace(goals=0, packets=0)
        self.wall = 0.0
        ports = {'body': SimpleNamespace(bus=self.bus)}
        self.host = Host(SimpleNamespace(ports=ports), lead, lambda: self.wall)


def test_nobody_is_waited_for_before_anyone_spoke():
    """Time passes for servos that nobody drives."""
    clocks = Clocks()
    assert not any(clocks.host.is_late(4 * MS * tick) for tick in range(1000))


def test_time_stands_still_until_the_next_goals():
    """However often servos are read meanwhile; with the goals it goes on."""
    clocks = Clocks()
    clocks.bus.goals += 1
    assert not clocks.host.is_late(1000 * MS)
    assert not clocks.host.is_late(1016 * MS)
    clocks.bus.packets += 5
    assert clocks.host.is_late(1020 * MS)
    clocks.bus.goals += 1
    assert not clocks.host.is_late(1020 * MS)


def test_a_host_that_only_reads_is_waited_for_after_its_last_question():
    """As one whose bridge is inactive, or in a fault."""
    clocks = Clocks()
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1000 * MS)
    assert clocks.host.is_late(1030 * MS)
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1030 * MS)


def test_time_goes_on_without_a_host_that_has_gone():
    """After a while on the wall's clock, so that watchdogs trip and nothing hangs."""
    clocks = Clocks()
    clocks.bus.goals += 1
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1000 * MS)
    clocks.wall = 0.9 * WAITS
    assert clocks.host.is_late(1030 * MS)
    clocks.wall = 1.1 * GONE
    assert not clocks.host.is_late(1030 * MS)


@pytest.mark.parametrize('packets', [1, 3])
def test_a_host_with_a_longer_control_period_is_found_out(packets):
    """It waits for the clock that waits for it; after some waits it gets its period at once."""
    clocks = Clocks()
    for period in range(1, 10):
        begin = clocks.wall
        for _ in range(packets):
            clocks.bus.goals += 1
            assert not clocks.host.is_late(40 * MS * period)
        for now in range(40 * MS * period, 40 * MS * (period + 1), 4 * MS):
            while clocks.host.is_late(now):
                clocks.wall += 0.01
        assert clocks.wall - begin < (GONE if period <= WAITED else 0.01)


def test_a_host_that_stopped_is_given_no_more_than_the_longest_period():
    """Until it has gone."""
    clocks = Clocks()
    clocks.bus.goals += 1
    assert not clocks.host.is_late(0)
    clocks.wall = 2.0 * WAITS
    now = 0
    while not clocks.host.is_late(now):
        now += 4 * MS
    assert now == 100 * MS


def test_one_long_wait_changes_nothing_for_good():
    """As that of a bridge which has just been activated, or of a computer that was busy."""
    clocks = Clocks()
    clocks.bus.goals += 1
    assert not clocks.host.is_late(0)
    clocks.wall = 1.5 * WAITS
    assert not clocks.host.is_late(60 * MS)
    clocks.bus.goals += 1
    assert not clocks.host.is_late(60 * MS)
    assert clocks.host.is_late(80 * MS)
