"""What a soak does and how it judges: falls, bad messages, ends of the bridge, growth."""

import asyncio
import contextlib
import json
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from reference_names import actions
from scipy.spatial.transform import Rotation

from softshell_client import ActionFailedError, Status
from softshell_dashboard.messages import read_message
from softshell_kinematics.errors import SoftshellError

BENCHMARKS = Path(__file__).parents[1] / 'benchmarks'
#: The modules that are those of the benchmark only while a test runs.
PREFIXES = ('_soak', 'soak', '_fuzzer', '_made_up', '_arguments', '_processes', 'dashboard')


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield
    for name in [name for name in sys.modules if name.startswith(PREFIXES)]:
        del sys.modules[name]


class FakeRobot:
    """Lies as it was put; `open` rights it at one of several attempts."""

    mode = 'hexapod'

    def __init__(self, attempts=1):
        self.position, self.orientation = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
        self.attempts = attempts
        self.resets = 0

    def begin_world_change(self, changes):
        (change,) = changes
        assert (change.body, change.kind) == ('robot', change.PLACE)
        q = change.pose.orientation
        self.orientation = np.array([q.x, q.y, q.z, q.w])
        self.height = change.pose.position.z
        return self

    def answer(self):
        return ''

    def bridge(self):
        return self

    def reset(self):
        self.resets += 1

    activate = reset

    def perform(self, action, **parameters):
        if action == 'open':
            self.attempts -= 1
            if self.attempts == 0:
                self.orientation = np.array([0.0, 0.0, 0.0, 1.0])
        up = Rotation.from_quat(self.orientation).as_matrix()[2, 2] > 0.9
        if not up:
            raise ActionFailedError(action, Status.NOT_READY, 'true now: fallen; open helps')


def moves_of(robot, monkeypatch, seed=1):
    import _soak_moves
    from _soak_record import Record

    monkeypatch.setattr(_soak_moves, 'RESTS', 0.0)
    return _soak_moves.Moves(robot, random.Random(seed), Record())


@pytest.mark.parametrize('seed', range(5))
def test_a_robot_is_toppled_and_has_to_recover(monkeypatch, seed):
    """It is dropped on its side or back; the fall and the recovery are counted."""
    moves = moves_of(FakeRobot(), monkeypatch, seed)
    moves.topple()
    assert moves.tilt() > 1.5
    assert moves.robot.height > 0.3
    moves.see_that_it_stands('topple')
    counts = moves.record.counts
    assert (counts['falls'], counts['recovered'], moves.record.problems) == (1, 1, [])


@pytest.mark.parametrize(('attempts', 'recovered'), [(2, 1), (9, 0)])
def test_a_robot_that_stays_down_is_a_problem(monkeypatch, attempts, recovered):
    """Panels may catch on each other: `open` is repeated, but not for ever."""
    moves = moves_of(FakeRobot(attempts), monkeypatch)
    moves.topple()
    moves.see_that_it_stands('topple')
    assert moves.record.counts['recovered'] == recovered
    assert len(moves.record.problems) == 1 - recovered
    assert moves.robot.resets == 2 * (1 - recovered)


def test_all_that_can_be_done_is_done_before_anything_is_done_again(monkeypatch):
    """First it is toppled, so that a short soak does that, too."""
    moves, done = moves_of(FakeRobot(), monkeypatch), []
    kinds = {*moves.kinds}
    monkeypatch.setattr(
        type(moves),
        'kinds',
        property(lambda self: {kind: lambda kind=kind: done.append(kind) for kind in kinds}),
    )
    for _ in range(1 + 2 * len(kinds)):
        moves.any()
    assert done.pop(0) == 'topple'
    assert {*done[: len(kinds)]} == {*done[len(kinds) :]} == kinds


def test_an_hour_has_ten_ends_of_the_bridge_and_a_long_life():
    """Also if each comes half a minute late, after what is being done then."""
    from _soak_watch import LONG
    from soak import LIVES_ON, SIMULATED, between_ends

    simulated = 3600.0 * SIMULATED
    assert LIVES_ON * simulated / (between_ends(3600.0) + 30.0) > 10.0
    assert (1.0 - LIVES_ON) * simulated - 60.0 > LONG
    assert between_ends(180.0) < LIVES_ON * SIMULATED * 180.0


def test_all_that_the_fuzzer_knows_is_sent_in_a_soak():
    """What must not come at any time comes in the end, and what only servos take comes to them."""
    import _fuzzer
    from _soak_messages import ALL_THE_TIME, APART, IN_THE_END

    every = (
        *(*_fuzzer.TOPICS, *_fuzzer.SERVICES, *_fuzzer.WORLD_SERVICES),
        *(*_fuzzer.ACTIONS, *_fuzzer.UNDOING, *_fuzzer.OF_SERVOS),
    )
    sent = (*ALL_THE_TIME, *IN_THE_END, *_fuzzer.OF_SERVOS)
    assert {name for _, name in every} == {name for _, name in sent}
    assert not {name for _, name in ALL_THE_TIME} & {*APART}


def test_a_servo_is_broken_by_no_made_up_message():
    """Whatever value comes with a fault that the messages name, it is refused or ends it."""
    from _made_up import MadeUp

    from softshell_hardware.emulator.faults import read_value
    from softshell_interfaces.srv import InjectFault

    made_up, begun = MadeUp(('body', 'damage', 'sag', 'lower_0_yaw', 'walk'), 1), []
    for _ in range(3000):
        request = made_up.fill(InjectFault.Request())
        with contextlib.suppress(SoftshellError):
            value = read_value(request.value)
            if not isinstance(value, bool) and value:
                begun.append(request)
    assert begun == []


def test_what_pages_send_is_no_message_but_for_unknown_names():
    """All kinds of messages are among it, also that of an emergency stop."""
    from _soak_json import FIELDS, UNKNOWN, made_up

    chance, known, right = random.Random(1), set(), []
    for _ in range(5000):
        text = made_up(chance)
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            known.add(json.loads(text)['type'])
        with contextlib.suppress(SoftshellError):
            read_message(text)
            right.append(json.loads(text))
    assert known >= {*FIELDS} >= {'take', 'hold', 'bridge'}
    assert all(message in UNKNOWN for message in right)
    for message in UNKNOWN:
        known = actions().get(message.get('action'), set())
        assert message['type'] != 'perform' or not {*message['parameters']} <= known


async def visited(answer):
    """The record of a page that sends five messages, and how many of them came.

    `answer`: to each of them.
    """
    import _soak_pages
    from _soak_record import Record
    from aiohttp import WSMsgType, web

    record, came = Record(), []

    async def live(request):
        socket = web.WebSocketResponse(protocols=('viser',))
        await socket.prepare(request)
        await socket.send_json({'type': 'offer', 'scene': '/scene/'})
        while True:
            with contextlib.suppress(TimeoutError):
                message = await socket.receive(0.05)
                if message.type is not WSMsgType.TEXT:
                    return socket
                came.append(message.data)
                await socket.send_json(answer)
            await socket.send_json({'type': 'state', 'log': []})

    async def scene(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    application = web.Application()
    application.router.add_get('/live', live)
    application.router.add_get('/scene/', scene)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, '127.0.0.1', 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    try:
        await _soak_pages.watch(
            f'http://127.0.0.1:{port}/',
            record,
            lambda: record.counts['bad messages of pages'] >= 5,
            random.Random(1),
        )
    finally:
        await runner.cleanup()
    return record, len(came)


def test_pages_send_what_is_refused():
    """A page goes once all of it was."""
    record, came = asyncio.run(visited({'type': 'refused', 'text': 'no'}))
    assert record.counts['bad messages of pages'] == came == 5
    assert record.problems == []


def test_a_page_that_is_obeyed_or_not_answered_is_told(monkeypatch):
    """What the server did for a page is in its log; what it said nothing to counts as lost."""
    import _soak_pages

    monkeypatch.setattr(_soak_pages, 'PATIENCE', 2.0)
    asked = {'type': 'state', 'log': [{'kind': 'asked', 'text': 'walk'}]}
    with pytest.raises(TimeoutError, match='were not refused'):
        asyncio.run(visited(asked))
    from _soak_pages import is_refusal
    from _soak_record import Record

    record = Record()
    assert not is_refusal(json.dumps(asked), record)
    assert record.problems == ['a page was obeyed: walk']


def test_whatever_a_page_meets_is_told_and_the_next_one_comes(monkeypatch):
    """E.g. the end of the connection where its offer has to be."""
    import _soak_pages
    from _soak_record import Record

    met = iter([TypeError('it is a close'), KeyError('scene'), TimeoutError('nothing came')])
    over = threading.Event()

    async def watch(*arguments):
        error = next(met, None)
        if error is not None:
            raise error
        over.set()

    record = Record()
    monkeypatch.setattr(_soak_pages, 'GAP', (0.0, 0.0))
    monkeypatch.setattr(_soak_pages, 'watch', watch)
    with _soak_pages.pages_at('', 1, record):
        assert over.wait(20.0)
    assert record.problems == [
        "a page: TypeError('it is a close')",
        "a page: KeyError('scene')",
        "a page: TimeoutError('nothing came')",
    ]


def life_of(node, seconds, memory, start=0.0):
    from _soak_watch import Life

    times = np.arange(0.0, seconds, 2.0)
    return Life(
        node,
        (start + times).tolist(),
        [float(memory(t)) for t in times],
        [16] * len(times),
        (0.1 * times).tolist(),
    )


def test_brief_lives_of_a_node_are_one_row_of_the_report():
    """With their number, and the least and most of them; a long one has a row and rates."""
    from _soak_watch import rows_of

    lives = [life_of('bridge', 160.0, lambda t, k=k: 3e8 + k * 1e6 + t) for k in range(11)]
    ramp = life_of('bridge', 1000.0, lambda t: 3e8 + 1e7 * min(t / 450.0, 1.0))
    rows = [*rows_of([*lives, ramp])]
    assert [row[0] for row in rows] == ['bridge, 11 times', 'bridge']
    assert rows[0][1:5] == ('29', '300 to 310', '', '')
    assert rows[1][4] == '+0.0'


@pytest.mark.parametrize(('rate', 'problem'), [(5e6, ''), (9e6, 'memory still grows by 9.0')])
def test_a_long_life_has_to_be_flat_in_its_second_half(rate, problem):
    """Also what was flat until then, and grows little over all."""
    life = life_of('bridge', 3000.0, lambda t: 3e8 + rate * max(t - 1850.0, 0.0) / 3600.0)
    assert problem in life.grown()
    assert bool(life.grown()) == bool(problem)


def test_a_process_that_ends_is_not_sampled(monkeypatch):
    """It has no handles any more, and soon no memory, which is no fall of what its node takes."""
    import _soak_watch

    watch, life = _soak_watch.Watch(), _soak_watch.Life('bridge')
    watch.close()
    watch._sample(os.getpid(), life)
    assert len(life.times) == 1
    monkeypatch.setattr(_soak_watch.os, 'listdir', lambda path: [])
    watch._sample(os.getpid(), life)
    assert len(life.times) == 1
