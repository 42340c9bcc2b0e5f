"""PyBullet without the output of its C++ code: import `pybullet` from here."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


@contextmanager
def quietly() -> Iterator[None]:
    """Drop what is printed in this context, by C++ as well; exceptions are still raised."""
    kept = {}
    try:
        for descriptor in (STANDARD_OUTPUT, STANDARD_ERROR):
            try:
                kept[descriptor] = os.dup(descriptor)
            except OSError:  # this descriptor is closed
                continue
            be_quiet(descriptor)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # drop what C++ has not written yet
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
    """PyBullet, imported at its first use, as it is not installed everywhere.

    Raises:
        AttributeError: another name is asked for.
    """
    if name != 'pybullet':
        raise AttributeError(name)
    with quietly():
        import pybullet
    return pybullet
