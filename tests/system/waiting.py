"""Waiting for stacks, as several tests do."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_common.onlooker import address_in

#: [s, wall] a safety net, no measure of anything.
PATIENCE = 120.0


def until(
    condition: Callable[[], object],
    what: str,
    meanwhile: Callable[[], None] = lambda: None,
    pause: float = 0.02,
) -> None:
    """Wait for something to come true; the test fails if it does not.

    Args:
        condition: whether it has.
        what: in words, for who reads the failure.
        meanwhile: called before each pause.
        pause: between two looks [s].
    """
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f'never {what}'
        meanwhile()
        time.sleep(pause)


@contextmanager
def page_of(**arguments: str) -> Iterator[str]:
    """The address of the page of a stack, which runs meanwhile."""
    addresses: list[str] = []

    def hear(name: str, line: str) -> None:
        if address := address_in(name, line):
            addresses.append(address)

    with Stack({'gui': 'web', **arguments}, domain=free_domain(), output=hear) as stack:
        stack.wait_ready()
        until(lambda: addresses, 'a page')
        yield addresses[0]
