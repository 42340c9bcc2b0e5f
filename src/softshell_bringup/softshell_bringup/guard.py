"""Ends the processes of a runner that was killed.

Reads from stdin `+PID` for each process group that the runner starts, and `-PID` for each that
has ended. If stdin ends while groups are left, the runner was killed: they get SIGTERM, and after
`PATIENCE` SIGKILL. Run by path with `python -I -S`: it needs only the standard library.
"""

import contextlib
import os
import signal
import sys
import time

PATIENCE = 2.0  # [s] from SIGTERM to SIGKILL


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group. Returns whether the group exists."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


def main() -> None:
    """Read stdin to its end, then end the groups that are left."""
    # A signal that ends the runner must not end this process first.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        groups.add(group) if line[0] == '+' else groups.discard(group)
    groups = {group for group in groups if signal_group(group, signal.SIGTERM)}
    end = time.monotonic() + PATIENCE
    while groups and time.monotonic() < end:
        time.sleep(0.05)
        groups = {group for group in groups if signal_group(group, 0)}
    for group in groups:
        signal_group(group, signal.SIGKILL)


if __name__ == '__main__':
    main()
