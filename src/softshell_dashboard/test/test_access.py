"""Access: which requests are answered, by token, host and origin."""

from urllib.parse import parse_qs, urlsplit

import pytest

from softshell_dashboard.access import Access
from softshell_kinematics.errors import SoftshellError

HOME = {'Host': '127.0.0.1:8642'}


def test_this_machine_needs_no_token():
    access = Access('127.0.0.1')
    assert access.token == ''
    assert access.problem(HOME, None, None) == ''
    assert access.problem({'Host': 'localhost:1'}, None, None) == ''
    assert access.problem({'Host': '[::1]:1'}, None, None) == ''
    assert access.address('127.0.0.1', 8642) == 'http://127.0.0.1:8642/'


def test_any_other_address_needs_the_token():
    access = Access('0.0.0.0')
    there = {'Host': 'robot:8642'}
    assert len(access.token) > 15
    assert access.token in access.address('robot', 8642)
    assert 'token is missing' in access.problem(there, None, None)
    assert 'token is missing' in access.problem(there, 'wrong' * 4, '')
    assert access.problem(there, access.token, None) == ''
    assert access.problem(there, None, access.token) == ''


def test_a_given_token_is_needed_on_loopback_too_and_has_a_least_length():
    assert Access('127.0.0.1', 'open sesame').problem(HOME, None, None)
    with pytest.raises(SoftshellError, match='web_token has 3 characters; expected 8 or more'):
        Access('127.0.0.1', 'abc')


@pytest.mark.parametrize('host', ['evil.example', 'evil.example:8642', '', '[', '10.0.0.1:8642'])
def test_a_foreign_host_name_is_refused(host):
    assert 'expected localhost' in Access('127.0.0.1').problem({'Host': host}, None, None)


@pytest.mark.parametrize('origin', ['http://evil.example', 'null', 'http://127.0.0.1:9'])
def test_a_request_from_a_foreign_page_is_refused(origin):
    problem = Access('127.0.0.1').problem({**HOME, 'Origin': origin}, None, None)
    assert 'expected one of this server' in problem
    assert (
        Access('127.0.0.1').problem({**HOME, 'Origin': 'http://127.0.0.1:8642'}, None, None) == ''
    )


def test_the_scene_has_a_key():
    access = Access('0.0.0.0')
    assert 'key' in access.scene_problem({'Host': 'robot'}, None)
    assert 'key' in access.scene_problem({'Host': 'robot'}, 'a' * 22)
    assert access.scene_problem({'Host': 'robot'}, access.scene_key) == ''
    local = Access('127.0.0.1')
    assert local.scene_problem({'Host': 'evil.example'}, local.scene_key)


@pytest.mark.parametrize('token', ['ab+cd&ef#gh', 'öffne dich!', '100% %20'])
def test_an_address_holds_any_token(token):
    """The token is escaped, so that a browser reads it back unchanged."""
    address = urlsplit(Access('0.0.0.0', token).address('robot', 8642))
    assert parse_qs(address.query) == {'token': [token]}
    assert not address.fragment


@pytest.mark.parametrize('host', ['robot', '', '1.2.3', 'évil'])
def test_a_host_that_is_no_address_is_refused(host):
    with pytest.raises(SoftshellError, match='web_host is'):
        Access(host)
