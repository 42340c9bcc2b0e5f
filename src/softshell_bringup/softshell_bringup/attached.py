"""Become a program that is told to end when its parent dies: attached.py PARENT HOLD PROGRAM ...

Run by path with `python -I -S`: it needs nothing but the standard library and takes milliseconds.
Linux sends the signal when the thread that started the program ends, so that thread must stay.
HOLD is 1 for a program that listens to signals by `softshell_common.entry`: until it does, they
wait.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, hold: bool, command: list[str]) -> None:
    """Become the program.

    Args:
        parent: process id of the parent.
        hold: whether SIGINT and SIGTERM wait until the program listens to them.
        command: the program and its arguments.

    Raises:
        OSError: Linux does not send a signal at the parent's end.
    """
    if hold:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl(PR_SET_PDEATHSIG)')
    if os.getppid() != parent:  # it died before the line above
        sys.exit(1)
    # The interpreter was started with flags that concern it alone; the environment is untouched.
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f'cannot run {command[0]}: {error.strerror}')


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2] == '1', sys.argv[3:])
