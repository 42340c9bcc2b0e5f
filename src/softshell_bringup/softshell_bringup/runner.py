"""The stack as a context manager: starts all its nodes as processes, and ends them.

with Stack({'bridge': 'sim', 'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    ...
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from softshell_bringup.arguments import parse_arguments
from softshell_bringup.domain import claim, current_domain
from softshell_bringup.nodes import NODES, NodeStart, Rows, node_starts, remarks, ros_arguments
from softshell_bringup.processes import Output, Processes, ProcessSpec
from softshell_bringup.programs import installed, interpreter_of, program_of
from softshell_kinematics.errors import SoftshellError

READY_TIMEOUT = 600.0  # [s] the very first start compiles the solvers, and logs that


class NotReadyError(SoftshellError):
    """Nodes of the stack were not ready in time.

    Args:
        waiting_for: a text for each node that was not ready.
        timeout: how long they were waited for [s].
    """

    def __init__(self, waiting_for: Sequence[str], timeout: float) -> None:
        self.waiting_for = tuple(waiting_for)
        super().__init__(
            f'the stack is not ready after {timeout:.0f} s; missing: {", ".join(waiting_for)}'
        )


class Stack:
    """All nodes of the stack on one ROS domain, each as a process.

    Args:
        arguments: arguments of the stack, as texts, by name, e.g. `{'bridge': 'mock'}`.
        domain: ROS domain; default: that of the environment.
        output: called with each line that a node prints, from any thread; default: none is shown.
        environment: variables for the nodes, in addition to those of this process.
        rows: the node table.

    Attributes:
        arguments: the value of every argument.
        nodes: the nodes of the stack.
        remarks: warnings to show before the start.
        domain: ROS domain.

    Raises:
        ProblemsError: an argument is unknown or its value invalid.
        SoftshellError: a node's package or executable does not exist.
    """

    def __init__(
        self,
        arguments: Mapping[str, str] | None = None,
        *,
        domain: int | None = None,
        output: Output | None = None,
        environment: Mapping[str, str] | None = None,
        rows: Rows = NODES,
    ) -> None:
        self.arguments = parse_arguments(arguments or {})
        starts = node_starts(self.arguments, rows)
        self.nodes, left_out = installed(starts, self.arguments.given)
        self.remarks = [*left_out, *remarks(self.nodes)]
        self.domain = current_domain() if domain is None else domain
        variables = {
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            **os.environ,
            **(environment or {}),
            'ROS_DOMAIN_ID': str(self.domain),
            'PYTHONUNBUFFERED': '1',
        }
        specs = [
            ProcessSpec(
                node.name, command(node), node.row.optional, node.row.witness, node.row.ours
            )
            for node in self.nodes
            if not node.row.external
        ]
        self._processes = Processes(specs, variables, output or (lambda name, line: None))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start all nodes.

        Raises:
            DomainBusyError: another stack runs in this namespace of the domain.
            OSError: a node could not be started.
        """
        self._claim = claim(self.domain, str(self.arguments['namespace']).strip('/'))
        try:
            self._processes.start()
        except BaseException:
            self._claim.close()
            raise

    def wait_ready(self, timeout: float = READY_TIMEOUT) -> None:
        """Wait until every node is ready, or the stack has ended.

        Args:
            timeout: longest wait [s].

        Raises:
            NotReadyError: a node was not ready in time.
            ProcessDiedError: a node ended by itself.
            SoftshellError: two nodes have the same name.
        """
        # Only here: starting and ending need no ROS.
        from softshell_bringup.ros.graph import ReadinessProbe

        end = time.monotonic() + timeout
        with ReadinessProbe(self.nodes, self.domain) as probe:
            while missing := probe.missing():
                self.check()
                if time.monotonic() > end:
                    raise NotReadyError(missing, timeout)
                if self._processes.wait(0):
                    return

    def check(self) -> None:
        """Check that no node has ended by itself.

        Raises:
            ProcessDiedError: a node ended by itself, and the stack with it.
        """
        death = self._processes.death
        if death is not None:
            raise death

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the stack has ended, at most `timeout` [s]. Returns whether it has."""
        return self._processes.wait(timeout)

    def request_stop(self) -> None:
        """Begin to end all nodes and return at once: for signal handlers."""
        self._processes.request_stop()

    def stop(self) -> None:
        """End all nodes, within 3 s."""
        try:
            self._processes.stop()
        finally:
            self._claim.close()

    @property
    def pids(self) -> dict[str, int]:
        """Process ids of the nodes by name, also that of `guard`."""
        return self._processes.pids


def command(node: NodeStart) -> tuple[str, ...]:
    """The command line of a node.

    Raises:
        SoftshellError: its package or executable does not exist.
    """
    program = program_of(node.row)
    # With this interpreter, not that of the script's first line, which must not have spaces.
    interpreter = (sys.executable,) if interpreter_of(program) else ()
    return (*interpreter, str(program), *ros_arguments(node))
