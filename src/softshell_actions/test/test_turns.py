"""Whose turn it is: commands that take over, wait, fail and are cancelled, one step at a time."""

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import LONGEST_QUEUE, Task, Turns
from softshell_common.outcome import Status


class Stage:
    """Commands that run until they are told to end; what they do is noted in order."""

    def __init__(self):
        self.turns = Turns(self.rest)
        self.running, self.said, self.ends = {}, [], {}

    async def rest(self):
        pass

    async def perform(self, task):
        try:
            async with self.turns.take(task):
                self.said.append(f'{task.name} begins')
                while task.name not in self.ends and not task.stop:
                    await Step()
                error = self.ends.get(task.name)
                if error is not None:
                    raise error
            self.said.append(f'{task.name} ends')
        except PerformError as error:
            self.said.append(f'{task.name}: {error.status.name}: {error}')

    def ask(self, name, queued=False, priority=1, given_up=lambda: False):
        task = Task(name, priority, queued, given_up)
        self.running[name] = self.perform(task)
        self.go()

    def end(self, name, error=None):
        self.ends[name] = error
        self.go()

    def go(self):
        """Let all of them run until nothing changes any more."""
        for _ in range(20):
            for name, coroutine in list(self.running.items()):
                try:
                    coroutine.send(None)
                except StopIteration:
                    del self.running[name]

    def hear(self):
        said, self.said = self.said, []
        return said


class Step:
    """Awaited: lets the others run."""

    def __await__(self):
        yield


@pytest.fixture
def stage():
    return Stage()


def test_queued_commands_follow_in_order(stage):
    stage.ask('a')
    for name in 'bcd':
        stage.ask(name, queued=True)
    assert stage.hear() == ['a begins']
    for name, following in zip('abc', 'bcd', strict=True):
        stage.end(name)
        assert stage.hear() == [f'{name} ends', f'{following} begins']
    stage.end('d')
    assert stage.hear() == ['d ends']
    assert not stage.turns.busy


def test_a_queued_command_begins_at_once_where_nothing_runs(stage):
    stage.ask('a', queued=True)
    assert stage.hear() == ['a begins']


def test_who_takes_over_ends_the_queue(stage):
    stage.ask('a')
    stage.ask('b', queued=True)
    stage.ask('c')
    said = stage.hear()
    assert 'b: PREEMPTED: b: c took over' in said
    said.remove('b: PREEMPTED: b: c took over')
    assert said == ['a begins', 'a ends', 'c begins']


def test_higher_priorities_stay_in_the_queue(stage):
    stage.ask('a')
    stage.ask('b', queued=True, priority=5)
    stage.ask('c')
    stage.end('c')
    assert stage.hear() == ['a begins', 'a ends', 'c begins', 'c ends', 'b begins']


def test_who_is_about_to_begin_is_not_taken_over_by_lower_priorities(stage):
    """While the command before it comes to rest, only the same or a higher priority takes over."""
    turns = stage.turns
    turns._task = Task('a')
    stage.ask('urgent', priority=5)
    stage.ask('walk')
    text = 'walk has priority 1; urgent is about to begin with priority 5'
    assert stage.hear() == [f'walk: PREEMPTED: {text}']
    stage.ask('other', priority=5)
    task, turns._task = turns._task, None
    assert task.stop
    task.ended.set_result(None)
    stage.go()
    assert stage.hear() == ['urgent: PREEMPTED: urgent: a newer command took over', 'other begins']


def test_who_is_refused_hears_why_and_the_queue_stays(stage):
    stage.ask('a', priority=5)
    stage.ask('b', queued=True)
    stage.ask('c')
    text = 'c has priority 1; a is being performed with priority 5'
    assert stage.hear() == ['a begins', f'c: PREEMPTED: {text}']
    stage.end('a')
    assert stage.hear() == ['a ends', 'b begins']


def test_after_a_failure_nothing_that_counts_on_it_is_done(stage):
    stage.ask('a')
    stage.ask('b', queued=True)
    stage.end('a', PerformError(Status.GOAL_MISSED, 'a knee is stuck'))
    assert stage.hear() == [
        'a begins',
        'a: GOAL_MISSED: a knee is stuck',
        'b: PREEMPTED: b: a before it in the queue failed',
    ]
    assert not stage.turns.busy


def test_who_waits_may_be_cancelled_and_the_others_move_up(stage):
    cancelled = []
    stage.ask('a')
    stage.ask('b', queued=True, given_up=lambda: bool(cancelled))
    stage.ask('c', queued=True)
    cancelled.append(True)
    stage.turns.look()
    stage.go()
    assert stage.hear() == ['a begins', 'b: CANCELED: b was cancelled while it waited']
    stage.end('a')
    assert stage.hear() == ['a ends', 'c begins']


def test_a_queue_that_is_full_refuses_further_commands(stage):
    stage.ask('a')
    for place in range(LONGEST_QUEUE + 1):
        stage.ask(f'n{place}', queued=True)
    assert stage.hear()[1:] == [
        f'n{LONGEST_QUEUE}: REJECTED: n{LONGEST_QUEUE}: {LONGEST_QUEUE} commands wait already; '
        'expected fewer'
    ]


def test_the_newest_of_those_that_take_over_does(stage):
    """And a command that is queued meanwhile comes after it."""
    stage.ask('a')
    stage.ask('b')
    stage.ask('c')
    stage.ask('d', queued=True)
    assert stage.hear() == ['a begins', 'a ends', 'b begins', 'b ends', 'c begins']
    stage.end('c')
    assert stage.hear() == ['c ends', 'd begins']
