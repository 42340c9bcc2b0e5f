"""Runs a program that gets SIGTERM when its parent ends: attached.py PARENT HOLD PROGRAM ...

Run by path with `python -I -S`: it needs only the standard library and takes milliseconds. Linux
sends the signal when the thread that started the program ends, so that thread must live on. With
HOLD 1, signals wait until the program handles them, as `softshell_common.entry` does.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, hold: bool, command: list[str]) -> None:
    """Replace this process by the program.

    Args:
        parent: process id of the parent.
        hold: whether SIGINT and SIGTERM are blocked until the program unblocks them.
        command: the program and its arguments.

    Raises:
        OSError: Linux refuses to send a signal at the parent's end.
    """
    if hold:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl(PR_SET_PDEATHSIG)')
    if os.getppid() != parent:  # it ended before the line above
        sys.exit(1)
    # -I and -S concern this interpreter alone: the program gets the environment unchanged.
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f'cannot run {command[0]}: {error.strerror}')


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2] == '1', sys.argv[3:])
