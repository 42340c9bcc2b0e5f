"""Whether there is a display to open a window on."""

import os
import socket

from softshell_kinematics.errors import SoftshellError

#: How long an X server may take to answer [s].
TIMEOUT = 2.0
#: TCP port of display 0; display n is at port 6000 + n.
FIRST_PORT = 6000


def check_display() -> None:
    """Check that an X server answers at the address in the environment variable DISPLAY.

    Without one, engines end the whole process when they open their window.

    Raises:
        SoftshellError: DISPLAY is not set, is no address, or no X server answers there.
    """
    name = os.environ.get('DISPLAY', '')
    way_out = 'run on a desktop, use ssh -X or Xvfb, or leave gui at none'
    if not name:
        raise SoftshellError(f'a window (gui) needs a display, and DISPLAY is not set: {way_out}')
    if not _answers(name):
        raise SoftshellError(
            f'a window (gui) needs a display, and no X server answers at DISPLAY={name}: {way_out}'
        )


def _answers(name: str) -> bool:
    """Whether an X server answers at a display such as `:0` or `host:10.0`."""
    host, _, rest = name.rpartition(':')
    number = rest.partition('.')[0]
    if not number.isdecimal():
        return False
    if host not in ('', 'unix'):
        return _connects(socket.AF_INET, (host, FIRST_PORT + int(number)))
    path = f'/tmp/.X11-unix/X{number}'
    # On Linux X servers listen in the abstract namespace, too.
    return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, f'\0{path}')


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(TIMEOUT)
        try:
            probe.connect(address)
        except OSError:
            return False
        return True
