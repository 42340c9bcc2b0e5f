"""How long the bus is busy, by its bytes: each control period of a whole robot leaves time over.

The emulated bus counts what bytes, answers and the adapter take; no time of the wall is measured.
"""

import re

import numpy as np
import pytest
from contract_bridges import BRIDGES
from contract_rig import Rig

MILLISECOND = 1e-3
PERIODS = 40


@pytest.fixture(scope='module', params=['hardware-ax', 'hardware-x'])
def driven_shell(request, tmp_path_factory):
    """Shell on emulated servos, in the middle of a motion of all joints."""
    rig = Rig(BRIDGES[request.param], 'shell', tmp_path_factory.mktemp('wiring'))
    rig.ask('activate')
    rig.offer(dict.fromkeys(rig.names, -0.1), 10.0)
    rig.ticks(4)
    yield rig
    rig.close()


def bus_of(rig):
    (port,) = rig.plant.emulated.ports.values()
    return port.bus


def spent(rig, action):
    """Time that the bus was busy with an action and a reading after it, which waits for it [s]."""
    before = bus_of(rig).busy
    action()
    read_one(rig)
    return bus_of(rig).busy - before


def read_one(rig):
    (line,) = rig.backend.crew.lines
    answer = line.bus.read(line.reader.stations[0].id, line.bus.family.motion)
    assert answer.failure is None


def stated_cycle(rig):
    """The read cycle as the diagnostics tell it [s]."""
    text = rig.backend.diagnostics()['body: read cycle']
    return float(re.fullmatch(r'(\d+) ms', text)[1]) * MILLISECOND


def test_each_control_period_leaves_time_over(driven_shell):
    """Goals of 31 servos, readings and states take less than the period, each time."""
    rig = driven_shell
    busy = []
    for _ in range(PERIODS):
        before = bus_of(rig).busy
        rig.ticks()
        busy.append(bus_of(rig).busy - before)
    assert 0.4 * rig.period < min(busy)
    assert max(busy) < 0.9 * rig.period


def test_goals_of_all_servos_are_few_packets_each_period(driven_shell):
    """Of AX two for 31 servos, however many move: 27 goals fill its 143 bytes; of X one for 8."""
    rig = driven_shell
    before = bus_of(rig).goals
    rig.ticks(PERIODS)
    packets = {'hardware-ax': 2, 'hardware-x': 4}[kind_of(rig)]
    assert bus_of(rig).goals - before == packets * PERIODS


def test_a_sync_write_takes_what_its_bytes_take(driven_shell):
    """At 1 Mbaud, of AX 2·8 + 31·5 bytes: 1.71 ms; of X 4·14 + 31·9: 3.35 ms."""
    rig = driven_shell
    reading = spent(rig, lambda: None)
    writing = spent(rig, lambda: rig.backend.crew.command(rig.core.command, 1.0)) - reading
    expected = {'hardware-ax': 1.71, 'hardware-x': 3.35}[kind_of(rig)]
    assert writing / MILLISECOND == pytest.approx(expected, abs=0.01)


def test_a_reading_takes_its_bytes_and_the_latency_of_the_adapter(driven_shell):
    """Of AX, one servo: 1.2 to 1.4 ms; of X, one servo: 14 + 32 bytes and 1 ms."""
    rig = driven_shell
    reading = spent(rig, lambda: None) / MILLISECOND
    low, high = {'hardware-ax': (1.2, 1.4), 'hardware-x': (1.4, 1.5)}[kind_of(rig)]
    assert low <= reading <= high


def kind_of(rig):
    return next(name for name, kind in BRIDGES.items() if kind is rig.kind)


def test_every_servo_is_read_within_the_stated_cycle(driven_shell):
    """No value of any joint is ever older than the cycle and two periods; each is read in turn."""
    rig = driven_shell
    cycle = stated_cycle(rig)
    assert cycle <= 5 * rig.period
    mark = len(rig.trace)
    rig.ticks(PERIODS)
    ages = rig.array('age', mark)
    assert ages.max() <= cycle + 2 * rig.period + 1e-9
    fresh = ages == 0.0
    turns = PERIODS * rig.period / cycle
    assert fresh.sum(axis=0).min() >= np.floor(turns)
    gaps = [np.diff(np.flatnonzero(column)).max() * rig.period for column in fresh.T]
    assert max(gaps) <= cycle + 1e-9


def test_the_ages_grow_by_a_period_till_the_next_reading(driven_shell):
    """The age of each joint is 0 where it was just read, and a period more otherwise."""
    rig = driven_shell
    mark = len(rig.trace)
    rig.ticks(PERIODS)
    ages = rig.array('age', mark)
    grown = np.isclose(ages[1:], ages[:-1] + rig.period)
    assert (grown | (ages[1:] == 0.0)).all()


def test_of_a_small_robot_every_servo_is_read_in_every_period(tmp_path):
    """The three servos of the arm are never older than this period."""
    for name in ('hardware-ax', 'hardware-x'):
        rig = Rig(BRIDGES[name], 'arm', tmp_path)
        rig.ask('activate')
        mark = len(rig.trace)
        rig.ticks(10)
        assert rig.array('age', mark).max() == 0.0
        assert stated_cycle(rig) == rig.period
        rig.close()
