"""A bridge that is run beside the stack, so that it can be killed and started anew."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from softshell_bringup.arguments import parse_arguments
from softshell_bringup.nodes import NODES, Rows, node_starts
from softshell_bringup.runner import command

#: The node table of a stack that does not run the bridge itself.
ROWS: Rows = tuple(
    replace(row, external=True) if row.name == 'bridge' else row for row in NODES
)  # fmt: skip
PATIENCE = 20.0  # [s] for its end


class Bridge:
    """The bridge of a stack, as a process of its own.

    Args:
        arguments: of the stack.
        domain: of ROS.
        log: path of a file for what it prints.
    """

    def __init__(self, arguments: Mapping[str, str], domain: int, log: Path) -> None:
        starts = node_starts(parse_arguments(arguments), NODES)
        self._command = command(next(each for each in starts if each.name == 'bridge'))
        self._environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self._log.open('ab') as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a Ctrl-C in the terminal is not meant for it
            )

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send it a signal, and wait until it has gone.

        Raises:
            subprocess.TimeoutExpired: it has not.
        """
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)

    def __enter__(self) -> 'Bridge':
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self.has_died:
            self.end()

    @property
    def has_died(self) -> bool:
        """Whether it has ended by itself."""
        return self._process is not None and self._process.poll() is not None
