"""Everything at once, for an hour: walks, the ball, stops, restarts, pages, bad messages.

    ./softshell bench soak --minutes 60
    ./softshell bench soak                # five minutes
    ./softshell bench soak --quick        # whether the benchmark works, in a minute

Shell is simulated in real time. What is done is chosen by chance; every ten minutes the stack is
ended and started anew; pages come, watch the robot and go without a word; and 10 000 messages that
nobody expects are sent over the whole wire meanwhile. Passes if no process ends, the robot always
gets up again, all requests are answered, all joint states are finite, every emergency stop is told
within two seconds, and memory and handles of every node stay flat. Writes out/bench/soak.png and
soak.json.
"""

import asyncio
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rclpy
from _arguments import count, parser_of
from _fuzzer import Fuzzer
from _soak_moves import Moves
from _soak_watch import Watch
from rclpy.context import Context
from rich.console import Console
from rich.table import Table

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_description.load import load_robot

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / 'out' / 'bench'
LIFE = 600.0  # [s] of a stack until it is started anew
MESSAGES = 10_000
#: Services that are left to what is done on purpose: a stop or a reset at any time is no fault.
APART = ('bridge/set_parameters', 'kinematics/set_parameters', 'bridge/deactivate', 'bridge/reset')


def main() -> int:
    """Entry point; the exit status is 0 if all went well."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--minutes', type=count, default=5, help='default: 5')
    parser.add_argument('--seed', type=count, default=1, help='of what is done; default: 1')
    parser.add_argument('--engine', default='mujoco', help='default: mujoco')
    parser.add_argument('--quick', action='store_true', help='whether the benchmark works')
    options = parser.parse_args()
    seconds = 40.0 if options.quick else 60.0 * options.minutes
    soak = Soak(seconds, 200 if options.quick else MESSAGES, options.seed, options.engine)
    soak.run()
    return soak.report()


class Soak:
    """A soak.

    Args:
        seconds: how long.
        messages: that nobody expects, spread over all of it.
        seed: of what is done.
        engine: that simulates.
    """

    def __init__(self, seconds: float, messages: int, seed: int, engine: str) -> None:
        self._seconds, self._messages, self._seed = seconds, messages, seed
        self._arguments = {'bridge': 'sim', 'engine': engine, 'gui': 'web'}
        self._chance = random.Random(seed)
        self._watch = Watch()
        self._console = Console(markup=False)
        self._events: list[tuple[float, str]] = []
        self._moves: list[Moves] = []
        self._problems: list[str] = []
        self._sent = self._asked = self._answered = self._pages = self._starts = 0

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._watch.begin

    def run(self) -> None:
        """One life of a stack after the other."""
        while self._elapsed < self._seconds:
            try:
                self._live(min(self._seconds, self._elapsed + LIFE))
            except Exception as error:  # whatever it was: the next life begins
                self._problems.append(f'after {self._elapsed:.0f} s: {error!r}')
        self._watch.close()

    def _live(self, end: float) -> None:
        lines: list[str] = []
        domain = free_domain()
        with Stack(
            self._arguments, domain=domain, output=lambda name, line: lines.append(line)
        ) as stack:
            stack.wait_ready()
            self._starts += 1
            self._events.append((self._elapsed, 'start'))
            context = Context()
            rclpy.init(args=[], context=context, domain_id=domain)
            nodes = [node.name for node in stack.nodes]
            self._watch.follow(domain, nodes)
            fuzzer = Fuzzer(context, load_robot(), self._seed + self._starts, APART)
            with Shell(context=context) as robot, self._pages_at(_address(lines)):
                robot.wait_for_odometry()
                moves = Moves(robot, self._chance)
                self._moves.append(moves)
                moves.see_that_it_stands('the start')
                while self._elapsed < end:
                    self._events.append((self._elapsed, kind := moves.any()))
                    stack.check()
                    self._fuzz(fuzzer, stack)
                    moves.see_that_it_stands('bad messages')
                    self._say(kind)
            fuzzer.wait(stack.check)
            self._note(fuzzer)
            self._watch.leave()
            context.try_shutdown()

    def _fuzz(self, fuzzer: Fuzzer, stack: Stack) -> None:
        """Send as many bad messages as are due by now."""
        due = int(self._messages * min(1.0, self._elapsed / self._seconds)) - self._sent
        for _ in range(due):
            fuzzer.send(stack.check)
        self._sent += due
        fuzzer.spin(0.2)

    def _note(self, fuzzer: Fuzzer) -> None:
        self._asked += fuzzer.asked
        self._answered += fuzzer.answered
        if fuzzer.not_finite:
            self._problems.append(f'{fuzzer.not_finite} joint states were not finite')
        fuzzer.close()

    @contextmanager
    def _pages_at(self, address: str) -> Iterator[None]:
        """Pages come, watch and go meanwhile."""
        stop = threading.Event()
        chance = random.Random(self._seed)

        async def watch() -> None:
            from aiohttp import ClientError, ClientSession

            while not stop.is_set():
                try:
                    async with (
                        ClientSession() as session,
                        session.ws_connect(address + 'live') as page,
                    ):
                        self._pages += 1
                        end = time.monotonic() + chance.uniform(1.0, 15.0)
                        while time.monotonic() < end and not stop.is_set():
                            await asyncio.wait_for(page.receive(), 5.0)
                except (ClientError, TimeoutError, OSError) as error:
                    if not stop.is_set():
                        self._problems.append(f'a page: {error!r}')
                await asyncio.sleep(chance.uniform(0.2, 3.0))

        thread = threading.Thread(target=lambda: asyncio.run(watch()), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(20.0)

    def _say(self, kind: str) -> None:
        left = max(0.0, self._seconds - self._elapsed)
        problems = len(self._problems) + sum(len(moves.problems) for moves in self._moves)
        self._console.print(
            f'{self._elapsed / 60:5.1f} min: {kind:10} {self._sent} bad messages, '
            f'{self._pages} pages, {problems} problems; {left / 60:.0f} min left'
        )

    def report(self) -> int:
        """Print and write what came out; 0 if all went well."""
        problems = [*self._problems]
        for moves in self._moves:
            problems += moves.problems
        problems += filter(None, (life.grown() for life in self._watch.lives))
        if self._asked != self._answered:
            problems.append(f'{self._asked - self._answered} requests were not answered')
        done = _sums([moves.counts for moves in self._moves])
        refused = _sums([moves.refused for moves in self._moves])
        table = Table('what', 'how often', title=f'{self._elapsed / 60:.0f} minutes')
        for what, number in {
            **done, 'falls, after all of which it stood up': sum(x.falls for x in self._moves),
            'starts of the stack': self._starts, 'pages': self._pages,
            'bad messages': self._sent, 'requests among them': self._asked,
            'answered': self._answered, 'problems': len(problems),
        }.items():  # fmt: skip
            table.add_row(what, str(number))
        self._console.print(table)
        nodes = Table('node', 'memory at first [MB]', 'at last [MB]', 'handles', 'of a core')
        for life in self._watch.lives:
            nodes.add_row(
                life.node, f'{life.memory[0] / 1e6:.0f}', f'{life.memory[-1] / 1e6:.0f}',
                f'{life.handles[0]} to {life.handles[-1]}', f'{life.load:.2f}',
            )  # fmt: skip
        self._console.print(nodes)
        for problem in problems:
            self._console.print(f'problem: {problem}')
        OUT.mkdir(parents=True, exist_ok=True)
        self._watch.draw(OUT / 'soak.png', self._events)
        told = {'done': done, 'refused': refused, 'problems': problems, 'events': self._events}
        (OUT / 'soak.json').write_text(json.dumps(told, indent=1) + '\n', encoding='utf-8')
        return int(bool(problems))


def _address(lines: list[str]) -> str:
    """Where the page is, as its server says."""
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        for line in list(lines):
            if 'open http' in line:
                return line.partition('open ')[2].strip()
        time.sleep(0.1)
    raise RuntimeError('the page did not say where it is')


def _sums(parts: list[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, number in part.items():
            total[name] = total.get(name, 0) + number
    return total


if __name__ == '__main__':
    sys.exit(main())
