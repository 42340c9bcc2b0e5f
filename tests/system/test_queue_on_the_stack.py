"""Commands of two clients on the real stack: who waits, who takes over, and who hears what."""

import time

import numpy as np
import pytest
import rclpy
from rclpy.context import Context

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell, Status

PATIENCE = 60.0  # [s] a safety net, no measure of anything


@pytest.fixture(scope='module')
def two():
    """Two clients of one robot that stands, without physics."""
    with Stack({'bridge': 'mock', 'real_time_factor': '2'}, domain=free_domain()) as stack:
        stack.wait_ready()
        contexts = [Context(), Context()]
        for context in contexts:
            rclpy.init(context=context, domain_id=stack.domain)
        try:
            with Shell(context=contexts[0]) as one, Shell(context=contexts[1]) as other:
                one.perform('stand')
                yield one, other
        finally:
            for context in contexts:
                context.try_shutdown()


class Told:
    """The feedback of each command, by name in the order in which they began."""

    def __init__(self):
        self.feedback = {}

    def __call__(self, name):
        return lambda *feedback: self.feedback.setdefault(name, []).append(feedback)

    @property
    def began(self):
        return list(self.feedback)

    def wait(self, name):
        deadline = time.monotonic() + PATIENCE
        while name not in self.began:
            assert time.monotonic() < deadline, f'{name} did not begin'
            time.sleep(0.01)


def test_queued_commands_of_both_follow_in_order(two):
    """None is cut short: each makes the strides that it makes alone, in no less time."""
    one, other = two
    alone, told = Told(), Told()
    one.perform('walk', alone('alone'), distance=0.16)
    first = one.begin_action('walk', told('first'), distance=0.16)
    told.wait('first')
    second = other.begin_action('walk', told('second'), queue=True, distance=0.16)
    other.actions()  # what two clients ask for at the same time comes in any order
    third = one.begin_action('stand', told('third'), queue=True)
    assert first.result() > 3 * 0.5 - 0.1  # two strides and one to halt
    second.result()
    third.result()
    assert told.began[:2] == ['first', 'second']
    assert len(alone.feedback['alone']) == 3
    assert told.feedback['first'] == told.feedback['second'] == alone.feedback['alone']


def test_who_takes_over_ends_what_waits(two):
    one, other = two
    told = Told()
    first = one.begin_action('walk', told('first'), distance=2.0)
    told.wait('first')
    second = other.begin_action('walk', told('second'), queue=True, distance=0.2)
    time.sleep(0.3)
    other.perform('stand')
    for waiting in (first, second):
        with pytest.raises(ActionFailedError) as caught:
            waiting.result()
        assert caught.value.status is Status.PREEMPTED
    assert 'second' not in told.began


def test_however_many_wait_each_hears(two):
    """Thirty end at the same moment; a client of ROS keeps ten answers unless it asks for more."""
    one, _ = two
    told = Told()
    first = one.begin_action('walk', told('first'), distance=2.0)
    told.wait('first')
    waiting = [one.begin_action('walk', queue=True, distance=0.1) for _ in range(30)]
    time.sleep(0.5)
    one.perform('stand')
    deadline = time.monotonic() + PATIENCE
    while not all(each.done() for each in (first, *waiting)):
        assert time.monotonic() < deadline, 'some never hear'
        time.sleep(0.05)
    for each in (first, *waiting):
        with pytest.raises(ActionFailedError) as caught:
            each.result()
        assert caught.value.status is Status.PREEMPTED


def test_what_waits_can_be_cancelled(two):
    """At once, while the one before goes on; the one behind moves up."""
    one, other = two
    told = Told()
    first = one.begin_action('walk', told('first'), distance=0.4)
    told.wait('first')
    second = other.begin_action('walk', told('second'), queue=True, distance=0.2)
    third = other.begin_action('stand', told('third'), queue=True)
    time.sleep(0.3)
    second.cancel()
    with pytest.raises(ActionFailedError) as caught:
        second.result()
    assert caught.value.status is Status.CANCELED
    assert 'while it waited' in str(caught.value)
    first.result()
    third.result()


def test_what_is_queued_behind_a_failure_is_not_done(two):
    one, other = two
    told = Told()
    first = one.begin_action('walk', told('first'), distance=0.4)
    told.wait('first')
    second = other.begin_action('pose', told('second'), queue=True, z=0.3, pitch=0.5)
    third = other.begin_action('walk', told('third'), queue=True, distance=0.1)
    first.result()
    with pytest.raises(ActionFailedError):
        second.result()
    with pytest.raises(ActionFailedError, match='pose before it in the queue failed'):
        third.result()


@pytest.mark.long
@pytest.mark.parametrize('seed', [1, 2])
def test_after_fights_it_walks(two, seed):
    """Each cuts short what the other began, anywhere; who ends the fight finds a robot that walks.

    A command either succeeds, or tells that another took over, or that legs do not reach.
    """
    random = np.random.default_rng(seed)
    asked = (
        ('walk', {'distance': 0.3, 'direction': 1.0}), ('turn', {'angle': 0.8}),
        ('pose', {'z': 0.12, 'pitch': 0.15}), ('raise', {'amount': 0.06}),
        ('lower', {'amount': 0.02}), ('gather', {}), ('stand', {}), ('idle', {}),
    )  # fmt: skip
    ended = []
    for _ in range(16):
        action, given = asked[random.integers(len(asked))]
        gait = str(random.choice(['', 'wave', 'quick'])) if action == 'walk' else ''
        ended.append(two[random.integers(2)].begin_action(action, gait=gait, **given))
        time.sleep(random.uniform(0.05, 0.9))
        if random.random() < 0.2:
            ended[-1].cancel()
    allowed = {Status.PREEMPTED, Status.CANCELED, Status.UNREACHABLE}
    for execution in ended:
        try:
            execution.result()
        except ActionFailedError as error:
            if error.status not in allowed:
                raise
    for client in two:
        client.perform('walk', distance=0.2)
