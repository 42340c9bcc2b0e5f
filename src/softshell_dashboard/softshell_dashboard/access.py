"""Access to the page: it needs a token, unless only this machine can reach it."""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from softshell_common.onlooker import SHORTEST_TOKEN
from softshell_common.shown import shown
from softshell_kinematics.errors import SoftshellError

#: Names of the token in an address, and of the cookie that keeps it. The port is appended to the
#: name of the cookie, because browsers send the cookies of one port to all ports of a machine.
PARAMETER, COOKIE = 'token', 'softshell_token'
#: Names of this machine in addresses on its loopback interface.
LOCAL_NAMES = ('localhost', '127.0.0.1', '::1')


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only.

    Raises:
        SoftshellError: it is neither an IP address nor `localhost`.
    """
    if host == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise SoftshellError(
            f'web_host is {shown(host)!r}; expected an address of this machine, e.g. 127.0.0.1, '
            'or 0.0.0.0 for all of them'
        ) from None


class Access:
    """Decides which requests are answered.

    A browser lets any web page open a websocket to this machine, and a foreign domain may resolve
    to its address (DNS rebinding). Therefore the origin of a request from a page has to be this
    server, and on a loopback address the host a name of this machine. On any other address every
    host is accepted, and the token protects, which a page of a foreign domain does not know.

    Args:
        host: the address on which the server listens.
        token: that each request needs; empty: none on a loopback address, a random one on others.

    Attributes:
        token: as given, or the random one; empty: none is needed.
        scene_key: a random part of the scene's address. It takes the place of the token there,
            because the frame of the scene may use another name of this machine.

    Raises:
        SoftshellError: the host is no address, or the token is too short.
    """

    def __init__(self, host: str, token: str = '') -> None:
        self._local = is_loopback(host)
        self._host = '127.0.0.1' if host == 'localhost' else host
        if token and len(token) < SHORTEST_TOKEN:
            raise SoftshellError(
                f'web_token has {len(token)} characters; expected {SHORTEST_TOKEN} or more, '
                'or none'
            )
        self.scene_key = secrets.token_urlsafe(16)
        self.token = token or ('' if self._local else secrets.token_urlsafe(16))

    def address(self, host: str, port: int) -> str:
        """The address to open in a browser, with the token if one is needed.

        Args:
            host: name or IP address of this machine.
            port: of the page.
        """
        named = f'[{host}]' if ':' in host else host
        query = f'?{PARAMETER}={quote(self.token, safe="")}' if self.token else ''
        return f'http://{named}:{port}/{query}'

    def problem(self, headers: Mapping[str, str], given: str | None, cookie: str | None) -> str:
        """Why a request is refused; empty if it is not.

        Args:
            headers: of the request.
            given: the token in its address.
            cookie: the token in its cookie.
        """
        origin, host = headers.get('Origin'), headers.get('Host', '')
        if self.token and not (_same(given, self.token) or _same(cookie, self.token)):
            return f'the token is missing or wrong; expected ?{PARAMETER}=... in the address'
        if origin is not None and _place_of(origin) != host:
            return f'the request comes from a page of {shown(origin)}; expected one of this server'
        return self._host_problem(host)

    def scene_problem(self, headers: Mapping[str, str], key: str | None) -> str:
        """Why a request for the scene is refused; empty if it is not.

        Args:
            headers: of the request.
            key: in its address.
        """
        if not _same(key, self.scene_key):
            return 'the key of the scene is wrong; expected the one that the page was sent'
        return self._host_problem(headers.get('Host', ''))

    def _host_problem(self, host: str) -> str:
        if self._local and _name_of(f'//{host}') not in (*LOCAL_NAMES, self._host):
            return f'the host in the address is {shown(host)}; expected localhost or {self._host}'
        return ''


def _same(given: str | None, expected: str) -> bool:
    """Whether a secret is right; the time this takes does not depend on how much of it is."""
    if given is None:
        return False
    return hmac.compare_digest(given.encode(errors='replace'), expected.encode())


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _place_of(origin: str) -> str | None:
    """Host and port of an origin; None if it is no valid one."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
