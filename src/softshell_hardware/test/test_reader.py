"""Servos are read in turn; who is silent costs the others little, and is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_hardware.bus.bus import Answer, Failure
from softshell_hardware.bus.families import AX, X
from softshell_hardware.driving.reader import PATIENCE, Reader, Station, exchange_time, goal_time


class Line:
    """A bus whose servos answer, or do not, without any time passing."""

    def __init__(self, family, baud=1_000_000, latency=0.001):
        self.family, self.baud, self.latency = family, baud, latency
        self.silent = set()
        self.asked = []

    def read_all(self, servos, registers):
        self.asked.append(tuple(servos))
        answers, heard = {}, True
        for servo in servos:
            heard = heard and servo not in self.silent
            answers[servo] = Answer({}) if heard else Answer({}, failure=Failure.SILENT)
        return answers

    def read(self, servo, registers):
        return self.read_all([servo], registers)[servo]


def reader_of(family, groups=(3, 3, 1), most_missed=3):
    """A reader of groups of servos; ids from 1 on."""
    line, taken = Line(family), []
    stations, number = [], 0
    for group, size in enumerate(groups):
        for _ in range(size):
            number += 1
            stations.append(Station(number, group, number - 1, f'servo {number}'))
    clock = iter(range(10**9))
    take = lambda station, answer: taken.append(station.id)  # noqa: E731
    return Reader(line, stations, most_missed, take, lambda: next(clock)), line, taken


@given(st.sampled_from([AX, X]), st.integers(1, 40), st.integers(1, 40))
def test_every_servo_is_read_once_a_cycle(family, count, turn):
    """Whatever the number of servos, and of those read in one period."""
    reader, _, taken = reader_of(family, groups=(1,) * count)
    for _ in range(-(-count // turn)):
        reader.turn(min(turn, count))
    assert set(taken) == set(range(1, count + 1))


def test_of_x_a_leg_is_one_question_of_ax_each_servo():
    """A leg whose first servo is silent is not heard at all; the others do not count as gone."""
    reader, line, taken = reader_of(X)
    reader.turn(3)
    assert line.asked == [(1, 2, 3), (4, 5, 6), (7,)]
    line.silent = {1}
    for _ in range(4):
        reader.turn(3)
    assert [station.id for station in reader.stations if station.lost] == [1]
    line.asked.clear()
    reader.turn(3)
    assert line.asked == [(2, 3), (4, 5, 6), (7,)]
    assert taken[-6:] == [2, 3, 4, 5, 6, 7]


def test_a_servo_that_is_gone_is_tried_now_and_then_and_welcome():
    """Once in `PATIENCE` turns; when it answers it is as any other."""
    reader, line, taken = reader_of(AX, groups=(1, 1, 1))
    line.silent = {2}
    reader.turn(3 * 3)
    assert reader.stations[1].lost
    line.asked.clear()
    for _ in range(3 * PATIENCE):
        reader.turn(1)
    assert 1 <= line.asked.count((2,)) <= 3
    line.silent = set()
    for _ in range(3 * PATIENCE):
        reader.turn(1)
    assert not reader.stations[1].lost
    assert 2 in taken


def test_a_robot_that_bears_no_missed_reading_can_be_driven():
    """Read in every period, it was heard a little while ago; only if it fell silent not since."""
    now, period = [0], 20_000_000
    line = Line(AX)
    station = Station(1, 0, 0, 'servo 1')
    reader = Reader(line, [station], 1, lambda station, answer: None, lambda: now[0])
    reader.judge_by(10)
    for _ in range(5):
        now[0] += period
        reader.turn(1)
        now[0] += 1_000_000
        assert reader.complaint(period * 1e-9, period * 1e-9) is None
    line.silent = {1}
    now[0] += period
    reader.turn(1)
    assert 'nobody answered for 0.02' in reader.complaint(period * 1e-9, period * 1e-9).text


def test_times_are_those_of_the_bytes():
    """At 1 Mbaud: AX 8 + 14 bytes and 1 ms; a goal with speed 5 bytes for each of 31 servos.

    Around the goals of up to 27 AX or 8 X are 8 or 14 bytes; currents have packets of their own.
    """
    line = Line(AX)
    assert exchange_time(line) == pytest.approx(0.001 + 22e-5)
    assert goal_time(line, 27) == pytest.approx((8 + 27 * 5) * 1e-5)
    assert goal_time(line, 31) == pytest.approx((2 * 8 + 31 * 5) * 1e-5)
    line = Line(X)
    assert exchange_time(line, 3) == pytest.approx(0.001 + (14 + 3 + 3 * (21 + 11)) * 1e-5)
    assert exchange_time(line, registers=X.state) == pytest.approx(0.001 + (15 + 35 + 11) * 1e-5)
    assert goal_time(line, 31) == pytest.approx((4 * 14 + 31 * 9) * 1e-5)
    assert goal_time(line, 1, 2) == pytest.approx((14 + 9 + 14 + 2 * 3) * 1e-5)


def test_the_stated_cycle_is_the_one_that_happens():
    """So many periods pass until all have been read."""
    reader, _, taken = reader_of(AX, groups=(1,) * 31)
    busy = goal_time(reader.bus, 31) + 2 * exchange_time(reader.bus)
    turns = 0
    while len(set(taken)) < 31:
        reader.turn(reader.per_period(0.8 * 0.02 - busy))
        turns += 1
    assert reader.cycle(0.02, 0.8 * 0.02 - busy) == pytest.approx(turns * 0.02)


def test_of_a_leg_that_was_gone_those_come_back_that_do():
    """Though the first of them, for which the others would wait, stays gone."""
    reader, line, taken = reader_of(X)
    line.silent = {1, 2, 3}
    for _ in range(40):
        reader.turn(3)
    assert [station.lost for station in reader.stations[:3]] == [True, True, True]
    line.silent = {1}
    taken.clear()
    for _ in range(3 * PATIENCE):
        reader.turn(3)
    assert [station.lost for station in reader.stations[:3]] == [True, False, False]
    assert {2, 3} <= set(taken)
