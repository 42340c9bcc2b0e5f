"""Start and end of the stack, against a node of rclpy that does nothing: fresh processes, in turn.

On an idle machine the stack is ready within 6 s, and gone 2 s after Ctrl-C with status 0. While
Shell stands still in a simulation at the speed of real time, all processes together take less than
one core.
"""

import os
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec

import rclpy
from _arguments import count, parser_of
from _processes import cpu_of, pids_of
from rclpy.context import Context
from rich.console import Console
from rich.table import Table

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_sim.physics.engines import ENGINES

#: A node like any other: it says when it is there, and ends by Ctrl-C.
NODE = """
import rclpy
from rclpy.executors import ExternalShutdownException
rclpy.init()
node = rclpy.create_node('idle')
print('ready:', flush=True)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
"""
STACK = ('-m', 'softshell_tools.cli', 'up')
PROGRAMS = {
    'node of rclpy': ('-c', NODE),
    'up bridge:=mock': (*STACK, 'bridge:=mock'),
    'up bridge:=sim': (*STACK, 'bridge:=sim'),
}
#: Longest [s] on an idle machine.
READY, ENDED = 6.0, 2.0
#: Most cores that a stack with a standing robot may take, and how long that is measured [s].
CORES, STILL = 1.0, 20.0
#: More processes than this part of the CPUs want to run: the machine is not idle. It may become so
#: within this time [s].
IDLE, PATIENCE = 0.5, 180.0


@dataclass(frozen=True)
class Life:
    """Times of one process: until it said that it was ready, and from Ctrl-C to its end [s]."""

    ready: float
    ended: float


def live(arguments: tuple[str, ...]) -> Life:
    """Start a program, wait for its line, and end it.

    Raises:
        SystemExit: it did not end with status 0.
    """
    begin = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if 'ready:' in line and 'try:' not in line:
                break
        ready = time.perf_counter() - begin
        time.sleep(1.0)  # at rest
        begin = time.perf_counter()
        process.send_signal(signal.SIGINT)
        said += process.stdout
    if process.returncode:
        sys.exit(f'{" ".join(arguments[-2:])} ended with {process.returncode}\n{"".join(said)}')
    return Life(ready, time.perf_counter() - begin)


def cores(engine: str, seconds: float) -> float:
    """Cores that all processes of a stack take while Shell stands still at real time."""
    domain = free_domain()
    with Stack({'bridge': 'sim', 'engine': engine}, domain=domain) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=domain)
        with Shell(context=context) as robot:
            robot.perform('stand')
        context.try_shutdown()
        pids = pids_of(domain)
        begin, before = time.perf_counter(), sum(map(cpu_of, pids))
        time.sleep(seconds)
        return (sum(map(cpu_of, pids)) - before) / (time.perf_counter() - begin)


def becomes_idle() -> bool:
    """Whether nothing else wants to run; what ran just before counts for a minute or two."""
    end = time.monotonic() + PATIENCE
    while os.getloadavg()[0] >= IDLE * len(os.sched_getaffinity(0)):
        if time.monotonic() > end:
            return False
        time.sleep(2.0)
    return True


def main(arguments: list[str] | None = None) -> int:
    """Print the times.

    Returns:
        Exit status: 1 if the stack took more cores than it may or, on a machine that was idle,
        longer than it may.
    """
    parser = parser_of(__file__, __doc__)
    parser.add_argument('runs', type=count, nargs='?', default=5, help='default: 5')
    parser.add_argument('--quick', action='store_true', help='one run, which is not judged')
    options = parser.parse_args(arguments)
    runs = 1 if options.quick else options.runs
    idle = options.quick or becomes_idle()
    lives: dict[str, list[Life]] = {name: [] for name in PROGRAMS}
    for _ in range(runs):
        for name, program in PROGRAMS.items():
            lives[name].append(live(program))
    table = Table('', 'ready after [s]', 'ended after [s]', title=f'medians of {runs}')
    slow = hungry = False
    for name, all_of_it in lives.items():
        ready = statistics.median(life.ready for life in all_of_it)
        ended = statistics.median(life.ended for life in all_of_it)
        table.add_row(name, f'{ready:.2f}', f'{ended:.2f}')
        slow |= ready > READY or ended > ENDED
    console = Console(markup=False)
    console.print(table)
    for engine in filter(find_spec, ENGINES):
        taken = cores(engine, 2.0 if options.quick else STILL)
        hungry |= taken > CORES
        console.print(f'standing still in {engine}: {taken:.2f} cores of at most {CORES:g}')
    console.print(f'expected at most {READY:g} s and {ENDED:g} s on an idle machine')
    if not idle and not options.quick:
        console.print('this machine was busy before it began: the times are not judged')
    return int((hungry or (slow and idle)) and not options.quick)


if __name__ == '__main__':
    sys.exit(main())
