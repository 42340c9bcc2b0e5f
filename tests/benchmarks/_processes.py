"""Processes of a stack, as the system sees them."""

import os
from collections.abc import Iterator


def cpu_of(pid: int) -> float:
    """Time that a process has computed [s]."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def pids_of(domain: int) -> list[int]:
    """The processes that were started for a domain."""
    return [pid for pid, _ in _processes(domain)]


def pid_of(word: str, domain: int) -> int | None:
    """The process of a node on a domain."""
    wanted = f'__node:={word}'.encode()
    return next((pid for pid, command in _processes(domain) if wanted in command), None)


def _processes(domain: int) -> Iterator[tuple[int, bytes]]:
    """The number and the command of each process that was started for a domain."""
    variable = f'ROS_DOMAIN_ID={domain}'.encode()
    for entry in filter(str.isdecimal, os.listdir('/proc')):
        try:
            with open(f'/proc/{entry}/cmdline', 'rb') as file:
                command = file.read()
            with open(f'/proc/{entry}/environ', 'rb') as file:
                variables = file.read().split(b'\0')
        except OSError:
            continue
        if variable in variables:
            yield int(entry), command
