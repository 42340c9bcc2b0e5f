"""Checks the arguments of the page in the browser, also against this machine."""

import importlib.util
import ipaddress
from collections.abc import Iterator, Mapping

from softshell_common.onlooker import SHORTEST_TOKEN
from softshell_common.ports import free_port

#: Libraries that serve the page.
LIBRARIES = ('viser', 'aiohttp')
#: Names of the page's arguments.
NAMES = ('web_host', 'web_port', 'web_token')
#: The valid tokens, as messages name them.
TOKEN = f'{SHORTEST_TOKEN} characters or more, or none'


def is_address(text: str) -> bool:
    """Whether a text is an IP address or `localhost`."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == 'localhost'
    return True


def is_port(number: int) -> bool:
    """Whether a number is a port, or 0."""
    return 0 <= number <= 65535


def is_token(text: str) -> bool:
    """Whether a text is empty, or long enough to be hard to guess."""
    return not text or len(text) >= SHORTEST_TOKEN


def page_problems(values: Mapping[str, bool | int | float | str]) -> Iterator[str]:
    """Why this machine cannot serve the page.

    Args:
        values: the value of every argument of the stack, with gui:=web.
    """
    if not all(importlib.util.find_spec(name) for name in LIBRARIES):
        yield (
            f'gui is web; expected {" and ".join(LIBRARIES)} to be installed: ./softshell '
            f'setup web, or pip install {" ".join(LIBRARIES)}'
        )
    host, port = str(values['web_host']), int(values['web_port'])
    if problem := _cannot_listen(host, 0):
        yield f'web_host is {host}; expected an address of this machine: {problem}'
    elif port and (problem := _cannot_listen(host, port)):
        yield f'web_port is {port}; expected one that is free, or 0 for the first free: {problem}'


def _cannot_listen(host: str, port: int) -> str:
    """Why this machine cannot listen on a port of an address; empty if it can."""
    try:
        free_port(host, port)
    except OSError as error:
        return error.strerror or str(error)
    return ''
