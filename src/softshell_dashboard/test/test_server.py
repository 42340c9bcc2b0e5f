"""The server over real sockets: pages that drive, close or fail."""

import asyncio
import contextlib
import json

import numpy as np
import pytest
from dashboard_rig import run, until

from softshell_common.ports import free_port
from softshell_dashboard.access import Access
from softshell_dashboard.journal import Kind
from softshell_dashboard.snapshot import Base, Snapshot
from softshell_teleop.commands import Twist

pytestmark = pytest.mark.needs('web')

HOLD = {'type': 'hold', 'commands': ['forward']}


async def state_of(page):
    """The next state that a page is sent."""
    while True:
        message = await page.receive_json(timeout=5)
        if message['type'] == 'state':
            return message


async def drive(page):
    """Hold a key until the robot is driven; it is said again at each state, as a page does."""
    while True:
        await page.send_json(HOLD)
        if (await state_of(page))['you']['moves']:
            return


def test_a_page_drives_and_stops(served, robot):
    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            state = await state_of(page)
            assert state['you']['drives']
            assert state['robot']['state'] == 'holding'
            await drive(page)
            await page.send_json({'type': 'hold', 'commands': []})
            while (await state_of(page))['you']['moves']:
                pass

    run(served, program)
    twists = robot.named('drive')
    assert twists[0].forward > 0.0
    assert twists[-1] == Twist()


@pytest.mark.parametrize('how', ['closed', 'cut'])
def test_a_page_that_is_gone_stops_the_robot(served, robot, how):
    async def program(session, address):
        page = await session.ws_connect(address + '/live')
        await state_of(page)
        await drive(page)
        if how == 'closed':
            await page.close()
        else:
            page._response.connection.transport.abort()

    with contextlib.suppress(OSError):
        run(served, program)
    until(lambda: robot.named('drive')[-1] == Twist())
    until(lambda: served.station.desk.seats.driver is None)
    told = served.station.journal.since  # not that nothing was heard of it any more
    until(lambda: 'visitor 1 has gone, nobody drives' in [one['text'] for one in told(0)])


def test_a_line_that_another_thread_adds_meanwhile_reaches_the_page(served, monkeypatch):
    """Also if it comes just after the lines for the page were read."""
    journal, late = served.station.journal, ['late']
    since = journal.since

    def read(number):
        found = since(number)
        if late:
            journal.add(Kind.WARNING, late.pop(), 0.0)
        return found

    monkeypatch.setattr(journal, 'since', read)

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            logs = [(await state_of(page))['log'] for _ in range(5)]
        return [one['text'] for log in logs for one in log]

    assert run(served, program).count('late') == 1


def test_a_refusal_is_sent_to_the_page_and_logged(served):
    async def program(session, address):
        async with (
            session.ws_connect(address + '/live') as first,
            session.ws_connect(address + '/live') as second,
        ):
            await state_of(first)
            await second.send_json(HOLD)
            while True:
                message = await second.receive_json(timeout=5)
                if message['type'] == 'refused':
                    break
            await second.send_str('nonsense')
            while True:
                log = (await state_of(first))['log']
                texts = [one['text'] for one in log if one['kind'] == 'refused']
                if any('nonsense' in text for text in texts):
                    return message['text']

    assert 'take over first' in run(served, program)


@pytest.mark.parametrize('character', ['x', 'ä', '\U0001f980'])
def test_a_message_that_is_too_long_is_refused_and_its_page_drives_on(served, character):
    """Whatever its characters need: 1, 2 or 4 bytes."""
    text = json.dumps({'type': 'spawn', 'description': 30_000 * character}, ensure_ascii=False)

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            await state_of(page)
            await page.send_str(text)
            while True:
                message = await page.receive_json(timeout=5)
                if message['type'] == 'refused':
                    return message['text'], (await state_of(page))['you']['drives']

    expected = f'a message has {len(text)} characters; expected at most 20000'
    assert run(served, program) == (expected, True)


def test_an_offer_comes_once_and_again_when_it_changes(served, robot):
    async def program(session, address):
        offers = []
        async with session.ws_connect(address + '/live') as page:
            for _ in range(12):
                message = await page.receive_json(timeout=5)
                if message['type'] == 'offer':
                    offers.append(message)
                if len(offers) == 1:
                    robot.offered = None
        return offers

    first, second = run(served, program)
    assert [one['name'] for one in first['actions']] == ['walk', 'close']
    assert first['modes'] == {'shell': 'close'}
    assert first['keys']['held']['w'] == 'forward'
    assert not second['ready']


def test_a_connection_that_fails_ends_and_is_logged(served, station, monkeypatch):
    """So the page connects again, instead of showing an old state."""

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            await state_of(page)
            monkeypatch.setattr(station.show.history, 'since', lambda time: 1 / 0)
            while not page.closed:
                await page.receive(timeout=5)

    run(served, program)
    texts = [one['text'] for one in station.journal.since(0)]
    assert 'visitor 1 was disconnected: ZeroDivisionError: division by zero' in texts
    until(lambda: not station.desk.seats.visitors)


def test_numbers_that_are_not_finite_reach_a_page_as_null(served, station):
    """JSON has no NaN."""
    source = station.show._source
    nan = float('nan')
    source.shot = Snapshot(base=Base(np.array([nan, 1.0, 2.0]), np.array([0.0, 0.0, 0.0, nan])))
    action = station.desk._robot.actions[0]
    action.parameters[0].maximum = float('inf')

    from aiohttp import WSMsgType

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            seen = {}
            while seen.keys() < {'offer', 'state'} or not seen['state']['robot']['base']:
                message = await page.receive(timeout=5)
                assert message.type is WSMsgType.TEXT, station.journal.since(0)
                one = json.loads(message.data, parse_constant=pytest.fail)
                seen[one['type']] = one
            return seen['state']['robot']['base'], seen['offer']['actions'][0]

    base, told = run(served, program)
    assert base == {'x': None, 'y': 1.0, 'z': 2.0, 'yaw': None}
    assert told['parameters'][0]['maximum'] is None


def test_a_page_that_chose_a_camera_gets_its_pictures(served):
    async def program(session, address):
        from aiohttp import WSMsgType

        async with session.ws_connect(address + '/live') as page:
            await page.send_json({'type': 'camera', 'name': 'front'})
            while True:
                message = await page.receive(timeout=5)
                if message.type is WSMsgType.BINARY:
                    return message.data

    assert run(served, program) == b'a picture'


def test_a_server_that_has_ended_by_itself_says_why_and_can_be_closed(station, robot):
    """A page that drove the robot stops it before."""
    from softshell_dashboard.server import Server

    server = Server(station, Access('127.0.0.1'), '127.0.0.1', free_port('127.0.0.1', 0), 1)

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            await drive(page)
            robot.poll = lambda: 1 / 0
            while not page.closed:
                await page.receive(timeout=5)

    run(server, program)
    until(lambda: server.problem is not None)
    server.close()
    expected = 'the dashboard has ended: ZeroDivisionError: division by zero'
    assert server.problem == expected
    assert robot.named('drive')[-1] == Twist()


@pytest.mark.long
def test_a_page_that_is_gone_does_not_watch_a_scene_that_stands_still(served, monkeypatch):
    """Which sends nothing, by which that could be noticed."""
    from aiohttp import web

    async def still(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    async def program(session, address):
        app = web.Application()
        app.router.add_get('/', still)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, '127.0.0.1', 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        monkeypatch.setattr(served, '_scene_port', port)
        page = await session.ws_connect(address + served.scene_address)
        while not served._watching:
            await asyncio.sleep(0.01)
        await page.close()
        while served._watching:
            await asyncio.sleep(0.01)
        await runner.cleanup()

    run(served, program)


def test_a_scene_that_fails_does_not_stop_the_desk(served, robot):
    """Keys still drive the robot if the scene cannot be drawn."""
    served.station.show.step = lambda *_: 1 / 0

    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            await page.send_json(HOLD)
            while True:
                state = await state_of(page)
                if any('ZeroDivisionError' in one['text'] for one in state['log']):
                    break

    run(served, program)
    until(lambda: robot.named('drive') and robot.named('drive')[-1] == Twist())
