"""PyBullet without what its C++ code prints: import `pybullet` from here."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


@contextmanager
def quietly() -> Iterator[None]:
    """Drop what is printed meanwhile, by C++ as well; errors that are raised come through."""
    kept = {}
    try:
        for descriptor in (STANDARD_OUTPUT, STANDARD_ERROR):
            try:
                kept[descriptor] = os.dup(descriptor)
            except OSError:  # there is none
                continue
            be_quiet(descriptor)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # what C++ still holds back goes the same way
        for descriptor, copy in kept.items():
            os.dup2(copy, descriptor)
            os.close(copy)


def be_quiet(descriptor: int = STANDARD_OUTPUT) -> None:
    """Drop what is printed to a file descriptor from now on."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def __getattr__(name: str) -> Any:
    """PyBullet, imported when it is first asked for: it is not installed everywhere.

    Raises:
        AttributeError: something else is asked for.
    """
    if name != 'pybullet':
        raise AttributeError(name)
    with quietly():
        import pybullet
    return pybullet
