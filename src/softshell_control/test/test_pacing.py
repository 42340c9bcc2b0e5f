"""A paced loop neither drifts nor rushes; a clock of our own makes it exact."""

import itertools

import pytest

from softshell_control.pacing import BREATH, CATCH_UP, FORGIVEN, Pacer, StackClock


class Wall:
    """A clock that passes only by sleeping and working."""

    def __init__(self):
        self.now = 100.0

    def clock(self):
        return self.now

    def until(self, when):
        self.now = max(self.now, when)


def paced(factor=1.0):
    wall = Wall()
    return wall, Pacer(0.004, factor, wall.clock, wall.until)


@pytest.mark.parametrize('factor', [0.5, 1.0, 4.0])
def test_no_drift(factor):
    """A thousand steps of uneven work take a thousand periods over the factor, exactly."""
    wall, pacer = paced(factor)
    for step in range(1000):
        wall.now += (0.0002, 0.0009)[step % 2]
        pacer.wait()
    assert wall.now - 100.0 == pytest.approx(1000 * 0.004 / factor, abs=1e-9)
    assert pacer.report().real_time_factor == pytest.approx(factor)


def test_late_wakes_do_not_add_up():
    """A sleep that always wakes 0.1 ms late delays the loop by 0.1 ms in all."""
    wall = Wall()
    pacer = Pacer(0.004, 1.0, wall.clock, lambda when: wall.until(when + 1e-4))
    for _ in range(500):
        pacer.wait()
    assert wall.now - 100.0 == pytest.approx(2.0 + 1e-4, abs=1e-9)


def test_short_stall_is_made_up_for_gently():
    """After 50 ms lost the loop is back on time, with no step shorter than CATCH_UP periods."""
    wall, pacer = paced()
    wall.now += 0.05
    pacer.wait()
    stamps = [wall.now]
    for _ in range(200):
        wall.now += 0.0002
        pacer.wait()
        stamps.append(wall.now)
    steps = [b - a for a, b in itertools.pairwise(stamps)]
    assert min(steps) >= CATCH_UP * 0.004 - 1e-12
    assert stamps[-1] - 100.0 == pytest.approx(201 * 0.004, abs=1e-9)


def test_long_stall_is_given_up():
    """After a stall longer than FORGIVEN the loop goes on at its pace: no time is made up for."""
    wall, pacer = paced()
    wall.now += FORGIVEN + 1.0
    pacer.wait()
    begin = wall.now
    for _ in range(100):
        pacer.wait()
    assert wall.now - begin == pytest.approx(100 * 0.004, abs=0.0009)


def test_as_fast_as_possible():
    """Factor 0 never sleeps, and reports what was achieved."""
    wall, pacer = paced(0.0)
    for _ in range(100):
        wall.now += 0.001
        pacer.wait()
    assert wall.now == pytest.approx(100.1)
    report = pacer.report()
    assert report.real_time_factor == pytest.approx(4.0)
    assert report.busy == pytest.approx(0.001)
    assert pacer.report() is None


@pytest.mark.parametrize('factor', [0.0, 1.0])
def test_others_may_run_although_it_is_never_early(factor):
    """A loop that is late at every step gives way once in each BREATH, and not at every step."""
    wall, rests = Wall(), []
    pacer = Pacer(1e-5, factor, wall.clock, rests.append)
    for _ in range(1000):
        wall.now += 1e-4
        pacer.wait()
    assert len(rests) == pytest.approx(0.1 / BREATH, abs=2)


@pytest.mark.parametrize('factor', [0.0, 50.0])
def test_while_no_time_passes_a_step_takes_a_period(factor):
    """As fast as possible, or fast, it would do nothing thousands of times a second."""
    wall, pacer = paced(factor)
    for _ in range(100):
        wall.now += 1e-4
        pacer.wait(idle=True)
    assert wall.now - 100.0 == pytest.approx(100 * 0.0041, rel=0.01)
    pacer.wait()
    assert wall.now - 100.0 == pytest.approx(0.41 + (0.004 / factor if factor else 0.0), rel=0.01)


def test_a_clock_that_jumped_back_begins_anew():
    """The loop goes on at its pace from there."""
    wall, pacer = paced()
    pacer.wait()
    wall.now = 50.0
    pacer.wait()
    begin = wall.now
    assert begin <= 50.004
    for _ in range(100):
        pacer.wait()
    assert wall.now - begin == pytest.approx(0.4, abs=0.004)


def test_missed_deadlines_are_counted():
    """Each step that ends after the next one was due is one; the count begins anew each time."""
    wall, pacer = paced()
    for step in range(100):
        wall.now += 0.005 if step % 10 == 9 else 0.001
        pacer.wait()
    report = pacer.report()
    assert (report.steps, report.missed) == (100, 10)
    pacer.wait()
    assert (pacer.report().steps, pacer.report()) == (1, None)


def test_a_step_in_time_misses_nothing():
    """A step that takes almost all of its period is in time, and so is every one after it."""
    wall, pacer = paced()
    for _ in range(50):
        wall.now += 0.00399
        pacer.wait()
    assert pacer.report().missed == 0


def test_as_fast_as_possible_has_no_deadlines():
    """With factor 0 nothing is due, so nothing is missed."""
    wall, pacer = paced(0.0)
    for _ in range(10):
        wall.now += 1.0
        pacer.wait()
    assert pacer.report().missed == 0


def test_a_change_of_the_factor_counts_from_the_next_step():
    """A loop told to run twice as fast takes half the time for each further step."""
    wall, pacer = paced()
    pacer.wait()
    pacer.factor = 2.0
    begin = wall.now
    for _ in range(100):
        pacer.wait()
    assert wall.now - begin == pytest.approx(0.2, abs=1e-9)


class Stack:
    """A clock of somebody else, which advances with the wall's at a pace."""

    def __init__(self, pace=1.0):
        self.wall = self.now = 0.0
        self.pace = pace
        self.clock = StackClock(lambda: self.now, lambda: False, self.nap)

    def nap(self, seconds):
        self.wall += seconds
        self.now += self.pace * seconds


@pytest.mark.parametrize('pace', [0.1, 1.0, 5.0])
def test_waiting_goes_by_the_clock_of_the_stack(pace):
    """However fast that is; at most the longest nap is waited too long."""
    stack = Stack(pace)
    stack.clock.wait_until(0.02)
    assert 0.02 <= stack.now <= 0.02 + 0.005 * pace


def test_a_clock_that_stands_still_or_goes_back_is_not_waited_for_for_ever():
    """After half a second of wall time the loop goes on, and can say so."""
    stack = Stack(0.0)
    stack.clock.wait_until(0.02)
    assert 0.45 <= stack.wall <= 0.6
    stack = Stack(-1.0)
    stack.clock.wait_until(0.02)
    assert stack.wall < 0.02


def test_a_period_ends_with_the_time_that_is_due():
    """No wait begins once the clock shows that time, up to rounding, also if it did before.

    The node that advances the clock may itself wait for what is done then.
    """
    times = iter([0.28, 0.3, 0.3, 0.3])
    clock = StackClock(lambda: next(times), lambda: False, lambda seconds: pytest.fail('waits'))
    clock.wait_until(0.1 + 0.2)
    clock.wait_until(0.1 + 0.2)


def test_while_the_clock_stands_still_there_is_no_pace():
    """As of a stack whose clock has not begun yet, and of one that was set back."""
    times = iter([5.0] * 3 + [1.0] * 9)
    pacer = Pacer(0.01, 1.0, lambda: next(times), lambda when: None)
    pacer.wait()
    assert pacer.report().real_time_factor == 0.0
    pacer.wait()
    assert pacer.report().real_time_factor == 0.0


def test_nobody_waits_at_the_end():
    """If the process is ending, `wait_until` returns at once."""
    clock = StackClock(lambda: 0.0, lambda: True, lambda seconds: pytest.fail('waits'))
    clock.wait_until(10.0)
