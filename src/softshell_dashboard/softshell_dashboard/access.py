"""Who may see the page: a token, unless it can be reached from this machine alone."""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from softshell_common.onlooker import SHORTEST_TOKEN
from softshell_common.shown import shown
from softshell_kinematics.errors import SoftshellError

#: Of the token in the address, and the beginning of that of the cookie which keeps it: browsers
#: give the cookies of one port of a machine to all others, too.
PARAMETER, COOKIE = 'token', 'softshell_token'
LOCAL_NAMES = ('localhost', '127.0.0.1', '::1')


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    Raises:
        SoftshellError: it is neither an address nor `localhost`.
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
    """Decides about requests.

    Browsers let any page of the web open websockets to this machine, and names of the web may
    lead here (DNS rebinding). So a request has to name this server by a name of its own, and one
    of a page has to come from a page of ours.

    Args:
        host: the address that is listened on.
        token: needed for each request; empty: on a loopback address none is, on another one is
            made.

    Attributes:
        token: as given, or made.
        scene_key: by which the scene is found, whose frame may be of another name of this machine.

    Raises:
        SoftshellError: the host is no address, or the token is too short.
    """

    def __init__(self, host: str, token: str = '') -> None:
        self._local = is_loopback(host)
        if token and len(token) < SHORTEST_TOKEN:
            raise SoftshellError(
                f'web_token has {len(token)} characters; expected {SHORTEST_TOKEN} or more, '
                'or none'
            )
        self.scene_key = secrets.token_urlsafe(16)
        self.token = token or ('' if self._local else secrets.token_urlsafe(16))

    def address(self, host: str, port: int) -> str:
        """What to open in a browser."""
        named = f'[{host}]' if ':' in host else host
        query = f'?{PARAMETER}={quote(self.token, safe="")}' if self.token else ''
        return f'http://{named}:{port}/{query}'

    def problem(self, headers: Mapping[str, str], given: str | None, cookie: str | None) -> str:
        """Why a request is refused; empty where it is not.

        Args:
            headers: of the request.
            given: the token in its address.
            cookie: the token that the browser kept.
        """
        origin, host = headers.get('Origin'), headers.get('Host', '')
        if self.token and not (_same(given, self.token) or _same(cookie, self.token)):
            return f'the token is missing or wrong; expected ?{PARAMETER}=... in the address'
        if origin is not None and _place_of(origin) != host:
            return f'a page of {shown(origin)} asks; expected one of this server'
        return self._host_problem(host)

    def scene_problem(self, headers: Mapping[str, str], key: str | None) -> str:
        """Why a request for the scene is refused; empty where it is not.

        Args:
            headers: of the request.
            key: in its address.
        """
        if not _same(key, self.scene_key):
            return 'the key of the scene is wrong; expected that which the page was told'
        return self._host_problem(headers.get('Host', ''))

    def _host_problem(self, host: str) -> str:
        if self._local and _name_of(f'//{host}') not in LOCAL_NAMES:
            return f'the address names {shown(host)}; expected localhost or 127.0.0.1'
        return ''


def _same(given: str | None, expected: str) -> bool:
    """Whether a secret is the right one, without telling how much of it is."""
    if given is None:
        return False
    return hmac.compare_digest(given.encode(errors='replace'), expected.encode())


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _place_of(origin: str) -> str | None:
    """Name and port of a page; None of one that is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
