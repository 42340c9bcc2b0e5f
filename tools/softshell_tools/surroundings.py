"""What lies around softshell and may be in its way: disks, memory, ports, messages, other ROS."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from softshell_tools.finding import Finding

#: That should be free, for set-ups, recordings and videos, and for a stack [B].
DISK, MEMORY = 2e9, 1e9
#: Where the page in the browser is, unless that is taken, and what its tests are run with.
PAGE, BROWSERS = 8642, ('chromium', 'chromium-browser', 'google-chrome')
#: How long the first message between two nodes may take [s].
MESSAGE_TIME = 5.0
#: Names of ports that servos hang on.
PORTS = ('ttyUSB*', 'ttyACM*')


def surroundings(root: Path) -> Iterator[Finding]:
    """Look around a checkout."""
    yield disk('disk, checkout', root)
    logs = Path(os.environ.get('ROS_LOG_DIR') or Path.home() / '.ros')
    yield disk("disk, ROS's logs", logs)
    yield memory(Path('/proc/meminfo'))
    yield from workspaces(root, os.environ)
    yield from serial_ports(Path('/dev'))
    yield page_port('127.0.0.1', PAGE)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    state = browser or 'no Chromium: tests of the page in a browser are left out'
    yield Finding('browser', state)
    display = os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')
    yield Finding('display', display or 'none; only gui:=window and rviz:=true need one')


def page_port(host: str, port: int) -> Finding:
    """Whether the page in the browser has its usual place; it takes the next where it has not."""
    from softshell_common.ports import free_port

    try:
        free_port(host, port)
    except OSError:
        return Finding('port of the page', f'{port} is taken: gui:=web uses the next free one')
    return Finding('port of the page', f'{port} is free')


def disk(thing: str, path: Path) -> Finding:
    """Whether a disk has room, and one may write there.

    Args:
        thing: what is told.
        path: on the disk; it may be missing, but not all folders above it.
    """
    place = path
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    state = f'{free / 1e9:.1f} GB free at {path}'
    if not os.access(place, os.W_OK):
        return Finding(thing, f'{state}, which may not be written to', False, f'chown {place}')
    return Finding(thing, state, free >= DISK, f'{DISK / 1e9:.0f} GB should be: make room')


def memory(table: Path) -> Finding:
    """Whether there is memory for a stack.

    Args:
        table: /proc/meminfo, or one like it.
    """
    try:
        rows = dict(line.split(':', 1) for line in table.read_text().splitlines())
        free = 1024 * int(rows['MemAvailable'].split()[0])
    except (OSError, KeyError, ValueError):
        return Finding('memory', 'unknown')
    remedy = f'a stack takes {MEMORY / 1e9:.0f} GB: end other programs'
    return Finding('memory', f'{free / 1e9:.1f} GB free', free >= MEMORY, remedy)


def workspaces(root: Path, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Whether packages of this checkout are found before others of their names.

    Args:
        root: of the checkout.
        environment: of this process.
    """
    ours = root / 'install'
    for prefix in environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if not prefix or ours in Path(prefix).parents:
            return
        others = sorted(Path(prefix).glob('share/softshell_*'))
        if others:
            yield Finding(
                'other workspace', f'{prefix} has {others[0].name} as well, and comes first',
                False, 'start ./softshell from a terminal in which that is not sourced',
            )  # fmt: skip


def serial_ports(devices: Path) -> Iterator[Finding]:
    """Whether the ports of servos may be opened, where there are any.

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
        domain: of ROS.
    """
    from softshell_bringup.ros.first_message import first_message

    took = first_message(domain, MESSAGE_TIME)
    if took is not None:
        return Finding('messages', f'get from node to node, the first within {took:.1f} s')
    remedy = 'a firewall, or a network without loopback: ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST'
    return Finding('messages', f'none came within {MESSAGE_TIME:g} s', False, remedy)
