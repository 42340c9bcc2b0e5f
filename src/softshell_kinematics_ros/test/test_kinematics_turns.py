"""Slices and turns, without ROS: an executor is a loop over what has not ended."""

import numpy as np
import pytest

pytest.importorskip('softshell_interfaces.srv', reason='needs the built workspace')

from softshell_kinematics import IkOptions, Limbs
from softshell_kinematics.examples import goals_of, lower_leg
from softshell_kinematics_ros import slices
from softshell_kinematics_ros.slices import Clock, Turns, solve_in_slices


class Executor:
    """Runs coroutines in turns, newest first as rclpy does, and only while it is woken."""

    def __init__(self):
        self.turns = Turns(self.wake)
        self.tasks = []
        self.woken = True

    def wake(self):
        """Look for work again."""
        self.woken = True

    def add(self, task):
        """Begin a task, as a callback does."""
        self.tasks.append(self.turns.run(task))
        self.woken = True

    def spin(self, most=1000):
        """Come by all tasks, as often as somebody wakes it; how often that was."""
        for loops in range(most):
            if not self.woken:
                return loops
            self.woken = False
            for task in list(reversed(self.tasks)):
                try:
                    task.send(None)
                except StopIteration:
                    self.tasks.remove(task)
        raise AssertionError('it never ends')


def counted(name, slices, log):
    """A task of so many slices that notes each."""
    for left in range(slices - 1, -1, -1):
        log.append(name)
        if left:
            yield left


def test_a_task_of_one_slice_never_waits():
    """It is done when its callback returns, also while others wait."""
    executor, log = Executor(), []
    executor.add(counted('large', 5, log))
    executor.spin()
    executor.add(counted('small', 1, log))
    executor.spin()
    assert log == ['large'] * 5 + ['small']
    assert not executor.tasks


def test_what_has_least_left_goes_on_and_what_came_first_among_equals():
    """A small one passes a large one; of two equal ones the first ends first."""
    executor, log = Executor(), []
    executor.add(counted('large', 6, log))
    for _ in range(2):
        executor.woken = False
        executor.tasks[0].send(None)
    assert log == ['large'] * 2
    executor.add(counted('second', 3, log))
    executor.add(counted('first', 3, log))
    executor.spin()
    assert log[2:] == ['first', 'second'] + ['first'] * 2 + ['second'] * 2 + ['large'] * 4


@pytest.mark.parametrize('order', [('small', 'large'), ('large', 'small')])
def test_the_next_in_line_goes_on_when_one_has_ended(order):
    """Whichever came first and whichever the executor comes by first."""
    executor, log = Executor(), []
    for name in order:
        executor.add(counted(name, {'small': 3, 'large': 6}[name], log))
    executor.spin()
    assert not executor.tasks
    assert [log.count(name) for name in order] == [{'small': 3, 'large': 6}[n] for n in order]


def test_between_two_slices_everything_else_has_its_turn():
    """The executor comes by once for each slice, and sleeps when all is done."""
    executor, log = Executor(), []
    executor.add(counted('large', 20, log))
    assert executor.spin() == 20
    assert len(log) == 20


def test_a_task_that_fails_raises_and_the_others_go_on():
    """What a slice raises reaches its caller; the next in line is woken."""

    def failing():
        yield 1
        raise ValueError('in its second slice')

    executor, log = Executor(), []
    executor.add(counted('large', 3, log))
    executor.add(failing())
    with pytest.raises(ValueError, match='second slice'):
        executor.spin()
    executor.tasks = executor.tasks[:1]
    executor.spin()
    assert log == ['large'] * 3


def test_slices_last_as_long_as_said_and_answer_the_same(monkeypatch):
    """By a clock that counts points: a slice ends with the call that fills it."""
    now, cost = [0.0], 2.0**-13
    monkeypatch.setattr(slices, 'SLICE', 256 * cost)
    monkeypatch.setattr(slices.time, 'perf_counter', lambda: now[0])
    leg = lower_leg()
    goals = goals_of(leg, leg.random(3000, np.random.default_rng(0)), 'x y z')[None]
    limbs = Limbs([leg])
    search = limbs.begin(goals, options=IkOptions(warm_start=True))
    go_on, sizes = search.go_on, []

    def slow(points):
        now[0] += cost * min(points, search.points - search.solved)
        sizes.append(points)
        go_on(points)

    search.go_on = slow
    clock, lefts = Clock(), []
    for left in solve_in_slices(search, 1, clock):
        lefts.append(left)
    # A slice may be over, by the size of its last call at most.
    assert sizes[:4] == [4, 16, 64, 256]
    assert max(sizes) == 256
    assert lefts == [3000 - (4 + 16 + 64 + 256) - 256 * k for k in range(len(lefts))]
    assert clock.spent == 3000 * cost
    whole = limbs.solve(goals, options=IkOptions(warm_start=True))
    assert search.result().q.tobytes() == whole.q.tobytes()
