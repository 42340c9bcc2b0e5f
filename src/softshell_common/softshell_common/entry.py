"""Entry points of nodes; needs no ROS, and imports nothing slow."""

import gc
import os
import signal
from importlib import import_module
from pathlib import Path
from types import FrameType

#: Signals that ask a node to end.
ENDING = (signal.SIGINT, signal.SIGTERM)
#: Longest time that a node takes to end, and that its process then takes [s]: what hangs must not
#: look alive.
LONGEST_ENDING = 30
#: Environment variables that a node starts with, unless they are set already.
#:
#: Linear algebra runs on the calling thread: matrices are small, and threads that wait for each
#: other on a busy machine take ten times as long.
#:
#: Fast DDS uses UDP alone, also within a computer. In shared memory it checks each port that it
#: opens, and a program that has just started, or was killed before, lets it wait for a third of a
#: second to two seconds. It waits in `publish`, in which rclpy stops all of Python: control loops
#: stood still because somebody else came or went.
ENVIRONMENT = {
    'OPENBLAS_NUM_THREADS': '1',
    'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
    'FASTRTPS_DEFAULT_PROFILES_FILE': str(Path(__file__).with_name('fastdds.xml')),
}


def run_node(module: str) -> int:
    """Import the module of a node and call its `main`.

    A node takes about a second to import. A signal during the import, such as Ctrl-C right after
    the start, ends the process with status 0: there is nothing to take down yet. Python's search
    for cycles of unused objects leaves out what is imported, also later: with it, an import takes
    a fifth longer, and each full search stops the process for a tenth of a second.

    Args:
        module: full name of the module.

    Returns:
        The exit status of the process, from `main`. If it does not end within `LONGEST_ENDING`
        after that, as a library hangs when it is unloaded, SIGALRM ends it.
    """
    for number in ENDING:
        signal.signal(number, _end_at_once)
    # The process that started this one may have blocked them until here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    gc.disable()
    loaded = import_module(module)
    gc.freeze()
    gc.enable()
    status = int(loaded.main())
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LONGEST_ENDING)
    return status


def _end_at_once(number: int, frame: FrameType | None) -> None:
    # An exception would not do: an extension module under import turns it into another one.
    os._exit(0)
