"""Entry points of nodes; needs no ROS, and imports nothing slow."""

import os
import signal
from importlib import import_module
from types import FrameType

#: What asks a node to end.
ENDING = (signal.SIGINT, signal.SIGTERM)
#: Linear algebra on the thread that asks for it, unless the environment says otherwise: matrices
#: are small, and threads that wait for each other on a busy machine take ten times as long.
THREADS = {'OPENBLAS_NUM_THREADS': '1'}


def run_node(module: str) -> int:
    """Import the module of a node and call its `main`.

    A node takes about a second to import. A signal before `main` takes over, as of a Ctrl-C right
    after the start, ends the process with status 0: there is nothing to take down yet.

    Args:
        module: full name.

    Returns:
        The exit status of the process, from `main`.
    """
    for number in ENDING:
        signal.signal(number, _end_at_once)
    # Whoever started the process may have held them back until here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    for name, count in THREADS.items():
        os.environ.setdefault(name, count)
    main = import_module(module).main
    return int(main())


def _end_at_once(number: int, frame: FrameType | None) -> None:
    # Not by an exception: an extension module that is being imported would turn it into another.
    os._exit(0)
