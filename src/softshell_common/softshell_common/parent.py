"""Processes that end with the process that started them."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Have Linux kill this process (SIGKILL) when the thread that started it ends.

    If the parent has ended already, this process ends at once, with status 1.

    Args:
        parent: process id of the parent.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(1)
