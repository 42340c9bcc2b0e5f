"""The server over real sockets: which requests it answers, and with which headers."""

import socket

import pytest
from dashboard_rig import run

from softshell_common.ports import free_port
from softshell_dashboard.access import Access
from softshell_kinematics.errors import SoftshellError

pytestmark = pytest.mark.needs('web')


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


def test_all_answers_say_that_no_other_site_may_show_them_in_a_frame(served):
    """Also those that refuse a request."""

    async def program(session, address):
        told = {}
        for path in ('/', '/page/x', '/nothing', '/scene/wrong/', served.scene_address):
            async with session.get(address + path) as answer:
                told[answer.status, path] = answer.headers
        async with session.get(address, headers={'Host': 'evil.example'}) as answer:
            told[answer.status, 'foreign host'] = answer.headers
        return told

    told = run(served, program)
    assert [status for status, _ in told] == [200, 404, 404, 403, 200, 403]
    for headers in told.values():
        assert headers['Content-Security-Policy'].startswith("frame-ancestors 'self'")
        assert headers['X-Content-Type-Options'] == 'nosniff'
        assert headers['Referrer-Policy'] == 'no-referrer'


def test_a_token_becomes_a_cookie(station):
    from softshell_dashboard.server import Server

    access = Access('0.0.0.0', 'open sesame')
    server = Server(station, access, '0.0.0.0', free_port('127.0.0.1', 0), 1)

    cookie = f'softshell_token_{server.port}'  # other pages of this machine have their own

    async def program(session, address):
        async with session.get(address) as answer:
            refused = answer.status
        with_token = f'{address}/?token=open%20sesame'
        async with session.get(with_token, allow_redirects=False) as answer:
            kept = answer.headers['Location'], answer.cookies[cookie]['httponly']
            assert answer.cookies[cookie]['samesite'] == 'Lax'
        headers = {'Cookie': f'{cookie}="open sesame"'}
        async with session.get(address, headers=headers) as answer:
            return refused, kept, answer.status

    try:
        assert run(server, program) == (403, ('/', True), 200)
    finally:
        server.close()


@pytest.mark.parametrize('cookie', [b'softshell_token_{}=\xff\xfe', b'a=b'])
@pytest.mark.parametrize('origin', [b'http://[x', b'\xff', b'http://evil.example'])
def test_malformed_requests_are_refused_too(station, cookie, origin):
    """Also with headers that are no valid text, which no client library would send."""
    from softshell_dashboard.server import Server

    access = Access('0.0.0.0', 'open sesame')
    server = Server(station, access, '127.0.0.1', free_port('127.0.0.1', 0), 1)
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


def test_a_port_that_is_in_use_is_named(served, station):
    from softshell_dashboard.server import Server

    with pytest.raises(SoftshellError, match=f'listen on port {served.port} of 127.0.0.1'):
        Server(station, Access('127.0.0.1'), '127.0.0.1', served.port, 1)
