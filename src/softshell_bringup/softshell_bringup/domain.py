"""One stack at a time on a ROS domain of this machine.

The claim is a listening socket in Linux' abstract namespace: the kernel gives the name to one
process, drops it however that process ends, and tells who holds it. `/clock` is shared by a whole
domain, so the claim is for the domain, whatever the namespace of the stack's nodes.
"""

import os
import random
import socket
import struct

from softshell_common.errors import SoftshellError

#: Domains whose ports do not meet those Linux hands out by itself.
DOMAINS = range(102)


class DomainBusyError(SoftshellError):
    """Another stack runs on the domain.

    Args:
        domain: the ROS domain.
        holder: process id of the other stack's runner, None if it is not known.
    """

    def __init__(self, domain: int, holder: int | None) -> None:
        self.domain = domain
        self.holder = holder
        who = f' (process {holder})' if holder else ''
        super().__init__(
            f'a stack already runs on ROS domain {domain}{who}: stop it, or choose another '
            f'domain for this one, e.g. export ROS_DOMAIN_ID={domain % 100 + 1}'
        )


def current_domain() -> int:
    """The ROS domain of this environment.

    Raises:
        SoftshellError: `ROS_DOMAIN_ID` is no domain.
    """
    text = os.environ.get('ROS_DOMAIN_ID', '') or '0'
    if not text.isdecimal() or int(text) > 232:
        raise SoftshellError(f'ROS_DOMAIN_ID is {text!r}; expected a whole number from 0 to 232')
    return int(text)


def claim(domain: int) -> socket.socket:
    """Claim a domain until the socket is closed or this process ends.

    Raises:
        DomainBusyError: another process has claimed it.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(_address(domain))
    except OSError:
        listener.close()
        raise DomainBusyError(domain, holder(domain)) from None
    listener.listen()
    return listener


def holder(domain: int) -> int | None:
    """The process that has claimed a domain, None if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(_address(domain))
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        except OSError:
            return None
    return struct.unpack('3i', credentials)[0]


def free_domain() -> int:
    """A domain without a stack, for tests: a random one, so that they rarely meet."""
    return random.choice([domain for domain in DOMAINS if domain and holder(domain) is None])


def _address(domain: int) -> str:
    return f'\0softshell-domain-{domain}'
