"""The server over real sockets: files, access, driving, and pages that close or fail."""

import asyncio
import contextlib
import json
import socket
import time

import numpy as np
import pytest

from softshell_dashboard.access import Access
from softshell_dashboard.journal import Kind
from softshell_dashboard.snapshot import Base, Snapshot
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.commands import Twist

pytestmark = pytest.mark.needs('web')

HOLD = {'type': 'hold', 'commands': ['forward']}


@pytest.fixture
def served(station):
    """A server, and its address."""
    from softshell_dashboard.server import Server

    failed = []
    server = Server(station, Access('127.0.0.1'), '127.0.0.1', free_port(), 1, failed.append)
    yield server
    server.close()
    assert not failed


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def run(server, program):
    """Run a coroutine function with a session of its own and the server's address."""
    from aiohttp import ClientSession

    async def main():
        async with ClientSession() as session:
            return await program(session, f'http://127.0.0.1:{server.port}')

    return asyncio.run(main())


async def state_of(page):
    """The next state that a page is sent."""
    while True:
        message = await page.receive_json(timeout=5)
        if message['type'] == 'state':
            return message


def eventually(what, seconds=5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.01)
    return False


def test_only_files_of_the_page_are_served(served):
    async def program(session, address):
        texts = []
        for path in ('/', '/page/app.js', '/page/style.css', '/page/../server.py', '/page/x'):
            async with session.get(address + path) as answer:
                texts.append((answer.status, answer.headers.get('Content-Type', '')))
        return texts

    (index, script, style, outside, unknown) = run(served, program)
    assert index == (200, 'text/html; charset=utf-8')
    assert script[0] == style[0] == 200
    assert outside[0] == unknown[0] == 404


def test_foreign_hosts_origins_and_keys_are_refused(served):
    async def program(session, address):
        statuses = []
        for headers in ({'Host': 'evil.example'}, {'Origin': 'http://evil.example'}):
            async with session.get(address + '/live', headers=headers) as answer:
                statuses.append(answer.status)
        for path in ('/scene/wrong/', served.scene_address):
            async with session.get(address + path) as answer:
                statuses.append(answer.status)
        return statuses

    assert run(served, program) == [403, 403, 403, 200]


def test_a_token_becomes_a_cookie(station):
    from softshell_dashboard.server import Server

    access = Access('0.0.0.0', 'open sesame')
    server = Server(station, access, '0.0.0.0', free_port(), 1, pytest.fail)

    cookie = f'softshell_token_{server.port}'  # other pages of this machine have their own

    async def program(session, address):
        async with session.get(address) as answer:
            refused = answer.status
        with_token = f'{address}/?token=open%20sesame'
        async with session.get(with_token, allow_redirects=False) as answer:
            kept = answer.headers['Location'], answer.cookies[cookie]['httponly']
        headers = {'Cookie': f'{cookie}="open sesame"'}
        async with session.get(address, headers=headers) as answer:
            return refused, kept, answer.status

    try:
        assert run(server, program) == (403, ('/', True), 200)
    finally:
        server.close()


def test_a_page_drives_and_stops(served, robot):
    async def program(session, address):
        async with session.ws_connect(address + '/live') as page:
            state = await state_of(page)
            assert state['you']['drives']
            assert state['robot']['state'] == 'holding'
            await page.send_json(HOLD)
            while not (await state_of(page))['you']['moves']:
                pass
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
        await page.send_json(HOLD)
        while not (await state_of(page))['you']['moves']:
            pass
        if how == 'closed':
            await page.close()
        else:
            page._response.connection.transport.abort()

    with contextlib.suppress(OSError):
        run(served, program)
    assert eventually(lambda: robot.named('drive')[-1] == Twist())
    assert eventually(lambda: served.station.desk.seats.driver is None)


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


@pytest.mark.parametrize('cookie', [b'softshell_token_{}=\xff\xfe', b'a=b'])
@pytest.mark.parametrize('origin', [b'http://[x', b'\xff', b'http://evil.example'])
def test_malformed_requests_are_refused_too(station, cookie, origin):
    """Also with headers that are no valid text, which no client library would send."""
    from softshell_dashboard.server import Server

    access = Access('0.0.0.0', 'open sesame')
    server = Server(station, access, '127.0.0.1', free_port(), 1, pytest.fail)
    try:
        with socket.create_connection(('127.0.0.1', server.port), timeout=5) as stream:
            cookie = cookie.replace(b'{}', str(server.port).encode())
            stream.sendall(
                b'GET /live HTTP/1.1\r\nHost: a\r\nOrigin: ' + origin + b'\r\nCookie: ' + cookie
                + b'\r\nConnection: close\r\n\r\n'
            )  # fmt: skip
            assert b' 403 ' in stream.recv(100).partition(b'\r\n')[0]
    finally:
        server.close()


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
    assert eventually(lambda: not station.desk.seats.visitors)


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


def test_a_port_that_is_in_use_is_named(served, station):
    from softshell_dashboard.server import Server

    with pytest.raises(SoftshellError, match=f'listen on port {served.port} of 127.0.0.1'):
        Server(station, Access('127.0.0.1'), '127.0.0.1', served.port, 1, pytest.fail)


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
    assert eventually(lambda: robot.named('drive') and robot.named('drive')[-1] == Twist())
