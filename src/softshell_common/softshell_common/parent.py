"""Processes that do not outlive the one that started them."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Have Linux kill this process when the thread that started it ends.

    Args:
        parent: id of the process which that thread is of.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(1)
