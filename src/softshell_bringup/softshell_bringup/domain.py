"""Lets one stack at a time run in each namespace of a ROS domain of this machine.

A stack claims its namespace by a listening socket in Linux' abstract namespace: the kernel gives
a name to one process only, frees it however that process ends, and tells which process holds it.
"""

import errno
import os
import random
import re
import socket
import struct
from collections import deque
from pathlib import Path

from softshell_kinematics.errors import SoftshellError

#: Domains whose ports are outside the range of Linux' ephemeral ports.
DOMAINS = range(102)

#: What `holder` returns if it cannot be known who has claimed a namespace.
UNKNOWN = 0
#: Number of times that it is asked who holds a claim; Linux bounds it, usually by 4096.
QUESTIONS = 2**31 - 1

#: Descriptors of the sockets by which `free_domain` reserves; they close with this process.
_taken: deque[int] = deque(maxlen=20)


class DomainBusyError(SoftshellError):
    """Another stack runs in the same namespace of the domain.

    Args:
        domain: the ROS domain.
        namespace: namespace of the stack; empty: none.
        holder: process id of the other stack's runner; None if it is not known.
    """

    def __init__(self, domain: int, namespace: str, holder: int | None) -> None:
        self.domain, self.namespace, self.holder = domain, namespace, holder
        who = f' (process {holder})' if holder else ''
        where = f' in namespace {namespace}' if namespace else ''
        super().__init__(
            f'a stack already runs on ROS domain {domain}{where}{who}; stop it, or choose '
            f'another namespace, or another domain: export ROS_DOMAIN_ID={domain % 100 + 1}'
        )


def current_domain() -> int:
    """The ROS domain of this environment.

    Raises:
        SoftshellError: `ROS_DOMAIN_ID` is no number of a domain.
    """
    text = os.environ.get('ROS_DOMAIN_ID', '') or '0'
    if not text.isdecimal() or int(text) > 232:
        raise SoftshellError(f'ROS_DOMAIN_ID is {text!r}; expected a whole number from 0 to 232')
    return int(text)


def claim(domain: int, namespace: str = '') -> socket.socket:
    """Claim a namespace of a domain, until the returned socket is closed or this process ends.

    Raises:
        DomainBusyError: another process has claimed it.
        SoftshellError: it cannot be claimed for another reason.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(_address(domain, namespace))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise DomainBusyError(domain, namespace, holder(domain, namespace) or None) from None
        text = f'namespace {namespace!r} of ROS domain {domain} cannot be claimed: {error}'
        raise SoftshellError(text) from None
    listener.listen(QUESTIONS)
    return listener


def holder(domain: int, namespace: str = '') -> int | None:
    """Id of the process that has claimed a namespace of a domain; None if there is none.

    It is `UNKNOWN` after `QUESTIONS`: each stays with the claim, as nobody accepts it.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(_address(domain, namespace))
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        except BlockingIOError:
            return UNKNOWN
        except OSError:
            return None
    process: int = struct.unpack('3i', credentials)[0]
    return process


def stacks(domain: int) -> dict[str, int]:
    """The stacks of a domain: what `holder` returns, by namespace; '' is no namespace."""
    claimed = sorted({namespace for number, namespace in _claims() if number == domain})
    holders = {namespace: holder(domain, namespace) for namespace in claimed}
    return {namespace: process for namespace, process in holders.items() if process is not None}


def free_domain() -> int:
    """A domain without a stack in any namespace, for tests.

    It is reserved for this process, so that no other one gets it before a stack claims it. Only
    the last reservations are kept, as many as `_taken` holds.

    Raises:
        SoftshellError: all domains are taken.
    """
    claimed = {number for number, _ in _claims()}
    candidates = [domain for domain in DOMAINS if domain and domain not in claimed]
    random.shuffle(candidates)
    for domain in candidates:
        reservation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            reservation.bind(f'\0softshell-free-domain-{domain}')
        except OSError:
            reservation.close()
            continue
        if len(_taken) == _taken.maxlen:
            os.close(_taken.popleft())
        _taken.append(reservation.detach())
        return domain
    raise SoftshellError(f'all ROS domains from 1 to {DOMAINS[-1]} are taken')


def _claims() -> list[tuple[int, str]]:
    """Domain and namespace of every claim on this machine."""
    sockets = Path('/proc/net/unix').read_text(encoding='utf-8', errors='replace')
    found = re.findall(r'@softshell-domain-(\d+)/(.*)$', sockets, re.MULTILINE)
    return [(int(number), namespace) for number, namespace in found]


def _address(domain: int, namespace: str) -> str:
    return f'\0softshell-domain-{domain}/{namespace}'
