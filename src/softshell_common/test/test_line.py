"""Coroutines that begin in the order in which they were asked for, in whatever order they run."""

import itertools

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from softshell_common.ros.line import Line


def run(coroutines):
    """Run them one step each, again and again; the last one first."""
    running = list(coroutines)
    for _ in range(10):
        for coroutine in list(running):
            try:
                coroutine.send(None)
            except StopIteration:
                running.remove(coroutine)
    return running


@pytest.mark.parametrize('order', list(itertools.permutations(range(4))))
def test_first_come_first_begun(order):
    line, begun = Line(), []
    tickets = [line.ask() for _ in order]

    async def begin(place):
        await line.begin(tickets[place])
        begun.append(place)

    assert run(begin(place) for place in order) == []
    assert begun == [0, 1, 2, 3]


@pytest.mark.parametrize('gone', [{0}, {1}, {0, 1}, {1, 2}, {3}])
def test_nobody_waits_for_who_left(gone):
    """Before those behind it wait, or while they do; to leave after beginning changes nothing."""
    for early in (True, False):
        line, begun = Line(), []
        tickets = [line.ask() for _ in range(4)]

        async def begin(place, line=line, begun=begun, tickets=tickets):
            await line.begin(tickets[place])
            begun.append(place)
            line.leave(tickets[place])

        coroutines = [begin(place) for place in range(3, -1, -1) if place not in gone]
        if not early:
            coroutines = run(coroutines)
        for place in gone:
            line.leave(tickets[place])
        assert run(coroutines) == []
        assert begun == sorted(set(range(4)) - gone)
