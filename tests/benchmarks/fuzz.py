"""Thousands of bad messages against the stack on the mock: nothing ends, all is answered.

Shell has its fingers, and no black box, which would write a file after each emergency stop.

Passes if all requests are answered, all joint states stay finite, and the robot still walks.
"""

import sys
from pathlib import Path

import rclpy
from _arguments import count, parser_of
from _fuzzer import Fuzzer
from rclpy.context import Context
from rich.progress import Progress

from softshell_bringup.domain import free_domain
from softshell_bringup.processes import Output
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_description.load import load_robot

ROOT = Path(__file__).resolve().parents[2]
#: Messages of a quick run: each kind comes twice.
QUICK = 48


def log_to(path: Path) -> Output:
    """An output that writes all lines to one file, which is begun anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open('w', buffering=1)
    return lambda name, line: print(f'{name} | {line}', file=stream)


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments and run the benchmark; returns the exit status."""
    parser = parser_of(__file__, __doc__)
    parser.add_argument('messages', type=count, nargs='?', default=10_000, help='default: 10000')
    parser.add_argument(
        'seed', type=count, nargs='?', default=1, help='of the random numbers; default: 1'
    )
    parser.add_argument(
        '--quick', action='store_true', help=f'{QUICK} messages: shows that the benchmark works'
    )
    options = parser.parse_args(arguments)
    return fuzz(QUICK if options.quick else options.messages, options.seed)


def fuzz(messages: int, seed: int) -> int:
    """Send the messages and print what became of them.

    Returns:
        Exit status: 0 if all was answered, all stayed finite, and the robot still walks.
    """
    context = Context()
    log = log_to(ROOT / 'out' / 'bench' / 'fuzz.log')
    arguments = {'bridge': 'mock', 'real_time_factor': '0', 'fingers': '6', 'black_box': 'false'}
    with Stack(arguments, domain=free_domain(), output=log) as stack:
        stack.wait_ready()
        rclpy.init(context=context, domain_id=stack.domain)
        fuzzer = Fuzzer(context, load_robot('shell_fingers'), seed)
        with Progress() as progress:
            task = progress.add_task('messages', total=messages)
            for _ in range(messages):
                fuzzer.send(stack.check)
                progress.update(task, advance=1)
        fuzzer.resume()
        fuzzer.wait(stack.check)
        walks = still_walks(context)
        stack.check()
    context.try_shutdown()
    print(f'sent {messages}, of which requests {fuzzer.asked}, answered {fuzzer.answered}')
    print(f'not answered: {", ".join(sorted(fuzzer.open.values())) or "none"}')
    print(f'joint states that were not finite: {fuzzer.not_finite}')
    print(f'processes lost: none; walks afterwards: {"yes" if walks else "no"}')
    return int(bool(fuzzer.open) or fuzzer.not_finite > 0 or not walks)


def still_walks(context: Context) -> bool:
    """Whether the robot stands up and walks once it is left in peace."""
    with Shell(context=context) as shell:
        shell.reset()
        shell.activate()
        shell.perform('stand')
        return shell.perform('walk', distance=0.1) > 0.0


if __name__ == '__main__':
    sys.exit(main())
