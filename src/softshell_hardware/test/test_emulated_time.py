"""Emulated servos wait for a host on the same computer, and not for one that has gone."""

from types import SimpleNamespace

from softshell_hardware.emulator.host import GONE, Host


class Clocks:
    """A host, the buses that it uses, and both clocks."""

    def __init__(self, lead=0.024):
        self.bus = SimpleNamespace(goals=0, packets=0)
        self.wall = 0.0
        ports = {'body': SimpleNamespace(bus=self.bus)}
        self.host = Host(SimpleNamespace(ports=ports), lead, lambda: self.wall)


def test_nobody_is_waited_for_before_anyone_spoke():
    """Time passes for servos that nobody drives."""
    clocks = Clocks()
    assert not any(clocks.host.is_late(0.004 * tick) for tick in range(1000))


def test_time_stands_still_until_the_next_goals():
    """However often servos are read meanwhile; with the goals it goes on."""
    clocks = Clocks()
    clocks.bus.goals += 1
    assert not clocks.host.is_late(1.0)
    assert not clocks.host.is_late(1.020)
    clocks.bus.packets += 5
    assert clocks.host.is_late(1.024)
    clocks.bus.goals += 1
    assert not clocks.host.is_late(1.024)


def test_a_host_that_only_reads_is_waited_for_after_its_last_question():
    """As one whose bridge is inactive, or in a fault."""
    clocks = Clocks()
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1.0)
    assert clocks.host.is_late(1.03)
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1.03)


def test_time_goes_on_without_a_host_that_has_gone():
    """After a while on the wall's clock, so that watchdogs trip and nothing hangs."""
    clocks = Clocks()
    clocks.bus.goals += 1
    clocks.bus.packets += 1
    assert not clocks.host.is_late(1.0)
    clocks.wall = 0.9 * GONE
    assert clocks.host.is_late(1.03)
    clocks.wall = 1.1 * GONE
    assert not clocks.host.is_late(1.03)
