"""Checks of this machine: disks, memory, ports, messages."""

import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from softshell_tools.finding import Finding

#: Disk space for set-ups, recordings and videos, and memory for a stack, that should be free [B].
DISK, MEMORY = 2e9, 1e9
#: Browsers with which the page is tested.
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')
#: Longest wait for the first message between two nodes [s].
MESSAGE_TIME = 5.0
#: Names of serial ports to which servos may be connected.
PORTS = ('ttyUSB*', 'ttyACM*')


def surroundings(root: Path) -> Iterator[Finding]:
    """Check the machine around a checkout, one finding each; needs no build."""
    yield disk('disk, checkout', root)
    yield memory(Path('/proc/meminfo'), Path('/sys/fs/cgroup'))
    yield from serial_ports(Path('/dev'))
    state = installed_browser() or 'no Chromium: tests of the page in a browser are left out'
    yield Finding('browser', state)
    display = os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')
    yield Finding('display', display or 'none; only gui:=window and rviz:=true need one')


def installed_browser() -> str | None:
    """Path of the first of `BROWSERS` that is installed; None if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def page_port() -> Finding:
    """Whether the usual port of the page in the browser is free; else the page uses another."""
    from softshell_common.onlooker import PORT
    from softshell_common.ports import free_port

    try:
        free_port('127.0.0.1', PORT)
    except OSError:
        return Finding('port of the page', f'{PORT} is taken: gui:=web uses the next free one')
    return Finding('port of the page', f'{PORT} is free')


def disk(thing: str, path: Path) -> Finding:
    """Whether a disk has enough free space, and may be written to.

    Args:
        thing: name of the finding.
        path: a folder on the disk; it may be missing, but not all folders above it.
    """
    place = path
    while not os.path.exists(place):  # also below a folder that this user may not enter
        place = place.parent
    free = shutil.disk_usage(place).free
    state = f'{free / 1e9:.1f} GB free at {path}'
    if not os.access(place, os.W_OK):
        return Finding(thing, f'{state}, which may not be written to', False, f'chown {place}')
    return Finding(thing, state, free >= DISK, f'free at least {DISK / 1e9:.0f} GB')


def logs() -> Finding:
    """Whether there is room for the logs of nodes, in a folder that ROS finds."""
    from softshell_bringup.rviz import ros_home
    from softshell_kinematics.errors import SoftshellError

    thing = "disk, ROS's logs"
    try:
        return disk(thing, Path(os.environ.get('ROS_LOG_DIR') or ros_home()))
    except SoftshellError as error:
        return Finding(thing, str(error), False, 'set HOME, or ROS_LOG_DIR and ROS_HOME')


def memory(table: Path, group: Path) -> Finding:
    """Whether there is enough free memory for a stack.

    Args:
        table: /proc/meminfo, or a file like it.
        group: /sys/fs/cgroup, or a folder like it; in a container it may have a limit.
    """
    try:
        rows = dict(line.split(':', 1) for line in table.read_text().splitlines())
        free: float = 1024 * int(rows['MemAvailable'].split()[0])
    except (OSError, KeyError, ValueError):
        return Finding('memory', 'unknown')
    free = min(free, _left_of(group))
    remedy = f'a stack takes {MEMORY / 1e9:.0f} GB: end other programs'
    return Finding('memory', f'{free / 1e9:.1f} GB free', free >= MEMORY, remedy)


def _left_of(group: Path) -> float:
    """Memory that a control group may still take [B]; infinite if it has no limit."""
    try:
        limit, used = (int((group / f'memory.{name}').read_text()) for name in ('max', 'current'))
        rows = dict(line.split() for line in (group / 'memory.stat').read_text().splitlines())
        return limit - used + int(rows['inactive_file'])  # files that Linux drops when it needs to
    except (OSError, KeyError, ValueError):
        return math.inf


def serial_ports(devices: Path) -> Iterator[Finding]:
    """Whether this user may open the serial ports that servos may be connected to.

    Args:
        devices: /dev, or a folder like it.
    """
    ports = sorted(port for pattern in PORTS for port in devices.glob(pattern))
    if not ports:
        yield Finding('serial ports', 'none; only bridge:=hardware needs one')
    for port in ports:
        usable = os.access(port, os.R_OK | os.W_OK)
        state = 'may be opened' if usable else 'may not be opened by this user'
        remedy = 'sudo usermod -aG dialout $USER, then log out and in again'
        yield Finding(f'serial port {port.name}', state, usable, remedy)


def messages(domain: int) -> Finding:
    """Whether a message gets from one ROS context to another, as between two nodes.

    Args:
        domain: ROS domain.
    """
    from softshell_bringup.ros.first_message import first_message

    took = first_message(domain, MESSAGE_TIME)
    if took is not None:
        return Finding('messages', f'arrive between nodes, the first after {took:.1f} s')
    remedy = 'a firewall, or a network without loopback: ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST'
    return Finding('messages', f'none arrived within {MESSAGE_TIME:g} s', False, remedy)
