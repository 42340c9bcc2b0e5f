"""Processes of a stack, as the system sees them."""

import os


def cpu_of(pid: int) -> float:
    """Time that a process has computed [s]."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def pid_of(word: str, domain: int) -> int | None:
    """The process of a node on a domain."""
    for entry in filter(str.isdecimal, os.listdir('/proc')):
        try:
            with open(f'/proc/{entry}/cmdline', 'rb') as file:
                command = file.read()
            with open(f'/proc/{entry}/environ', 'rb') as file:
                variables = file.read().split(b'\0')
        except OSError:
            continue
        there = f'ROS_DOMAIN_ID={domain}'.encode() in variables
        if there and f'__node:={word}'.encode() in command:
            return int(entry)
    return None
