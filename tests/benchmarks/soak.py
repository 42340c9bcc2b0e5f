"""Everything at once, for an hour: walks, the ball, stops, faults, restarts, pages, bad messages.

    ./softshell bench soak --minutes 60
    ./softshell bench soak                # five minutes
    ./softshell bench soak --quick        # whether the benchmark works, in a minute

For five sixths of the time Shell is simulated by one stack in real time. What it does is chosen
by chance, also that it is dropped on its side or back; in the first two thirds its bridge is
ended or killed again and again in mid-motion, and started anew; pages come, watch the robot, send
what has to be refused, and go without a word; and 10 000 messages that nobody expects are sent to
what takes messages or answers requests, in the end also to what stops or resets the robot or sets
parameters. In the last sixth Shell walks on emulated servos, which break by chance, and which
further messages are sent to. Ctrl-C ends it after what is being done, with a report of what was
done so far.
Passes if no other process ends, the robot always gets up again, all requests are answered, no
page is obeyed, all joint states are finite, every emergency stop, end of the bridge and fault of
a servo is told in time and for its reason, and memory and handles of every node stay flat. Writes
out/bench/soak.png, soak.json and soak-bridge.log.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _arguments import count, parser_of
from _soak_bridge import ROWS, Bridge
from _soak_messages import Messages, all_the_time, in_the_end, to_servos
from _soak_moves import Moves
from _soak_pages import pages_at
from _soak_record import Record
from _soak_servos import Breaker
from _soak_watch import Watch, rows_of
from rich.console import Console
from rich.table import Table

from softshell_bringup.domain import free_domain
from softshell_bringup.nodes import NODES
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.onlooker import address_in

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / 'out' / 'bench'
SIMULATED = 5 / 6  # part of the time
#: Parts of that, after which the bridge does not end any more, so that the last one lives long;
#: and after which messages stop and reset the robot.
LIVES_ON, IN_THE_END = 0.42, 0.98
#: Between two ends of the bridge: part of the simulated time, the least [s], the largest part.
ENDS, SELDOM, OFTEN = 0.03, 60.0, 1 / 3
#: Messages all the time; on so many of them there is one round of those in the end, and one to
#: servos.
MESSAGES, A_ROUND, ONE_TO_SERVOS = 10_000, 1000, 10


def main() -> int:
    """Entry point; the exit status is 0 if all went well."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--minutes', type=count, default=5, help='default: 5')
    parser.add_argument('--seed', type=count, default=1, help='of what is done; default: 1')
    parser.add_argument('--engine', default='mujoco', help='default: mujoco')
    parser.add_argument('--quick', action='store_true', help='whether the benchmark works')
    options = parser.parse_args()
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    seconds = 40.0 if options.quick else 60.0 * options.minutes
    soak = Soak(seconds, 200 if options.quick else MESSAGES, options.seed, options.engine)
    soak.run()
    return soak.report()


class Soak:
    """A soak.

    Args:
        seconds: how long.
        messages: that nobody expects, spread over the simulated part.
        seed: of what is done.
        engine: that simulates.
    """

    def __init__(self, seconds: float, messages: int, seed: int, engine: str) -> None:
        self._seconds, self._messages, self._seed, self._engine = seconds, messages, seed, engine
        self._chance = random.Random(seed)
        self._record, self._watch = Record(), Watch()
        self._told = 0  # problems
        self._stopped = False
        OUT.mkdir(parents=True, exist_ok=True)
        self._console = Console(markup=False)
        self._progress = Console(markup=False, stderr=True)

    def run(self) -> None:
        """First in simulation, then on servos."""
        signal.signal(signal.SIGINT, self._stop)
        for part in (self._simulated, self._on_servos):
            try:
                if not self._stopped:
                    part()
            except Exception as error:  # whatever it was: the next part begins
                self._record.problems.append(f'after {self._record.elapsed:.0f} s: {error!r}')
        self._watch.close()

    def _stop(self, *_: object) -> None:
        # An exception would not do: `perform` takes it as a wish to cancel the action alone.
        if not self._stopped:
            self._stopped = True
            self._record.problems.append(f'stopped after {self._record.elapsed:.0f} s')

    def _simulated(self) -> None:
        """One stack, but for its bridge, which comes and goes at first."""
        end, every = SIMULATED * self._seconds, between_ends(self._seconds)
        arguments, lines = {'bridge': 'sim', 'engine': self._engine, 'gui': 'web'}, list[str]()
        stack = Stack(arguments, rows=ROWS, output=lambda name, line: lines.append(line))
        bridge = Bridge(arguments, stack.domain, OUT / 'soak-bridge.log')
        with (
            bridge,
            stack,
            self._ready(stack) as robot,
            pages_at(page_of(lines), self._seed, self._record),
        ):
            messages = all_the_time(robot, self._seed, self._record, stack.check)
            moves, due = Moves(robot, self._chance, self._record), every
            self._begin(moves, 'the start')
            while self._record.elapsed < IN_THE_END * end and not self._stopped:
                moves.any()
                self._send(messages, self._messages, self._record.elapsed / (IN_THE_END * end))
                moves.see_that_it_stands('bad messages')
                if due < min(self._record.elapsed, LIVES_ON * end):
                    due = self._record.elapsed + every
                    messages.fuzzer.wait(stack.check)
                    self._record.did('end of the bridge')
                    moves.lose(bridge)
                    bridge.start()
                    stack.wait_ready()
                    messages.fuzzer.find()
                    self._watch.follow(stack.domain, ['bridge'])
                    self._begin(moves, 'the end of the bridge')
                if bridge.has_died:
                    raise RuntimeError('the bridge has ended by itself')
                stack.check()
                self._say()
            if not self._stopped:
                self._send(messages, self._messages, 1.0)
            messages.end()
            if not self._stopped:
                rounds = -(-self._messages // A_ROUND)
                in_the_end(robot, self._seed, self._record, stack.check, rounds)
                moves.see_that_it_stands('messages that stop and reset it')
                self._say()

    def _begin(self, moves: Moves, after: str) -> None:
        """Stand up, and stop once: a bridge takes memory for its first reset, which it keeps."""
        moves.see_that_it_stands(after)
        self._record.did('stop')
        moves.stop()

    def _on_servos(self) -> None:
        """Emulated servos that break."""
        stack = Stack({'bridge': 'hardware', 'wiring': 'emulated'}, rows=NODES)
        with stack, self._ready(stack) as robot:
            breaker = Breaker(robot, self._chance, self._record)
            messages = to_servos(robot, self._seed, self._record, stack.check)
            robot.perform('stand')
            number, begin = self._messages // ONE_TO_SERVOS, self._record.elapsed
            part, length = 0.0, (1.0 - SIMULATED) * self._seconds
            while part < 1.0 and not self._stopped:
                breaker.any()
                part = (self._record.elapsed - begin) / length
                self._send(messages, number, part)
                breaker.see_that_it_stands('bad messages')
                stack.check()
                self._say()
            messages.end()

    @contextmanager
    def _ready(self, stack: Stack) -> Iterator[Shell]:
        """A client of a stack that has been started, once it is ready."""
        stack.wait_ready()
        self._record.did('start of the stack')
        self._watch.follow(stack.domain, [node.name for node in stack.nodes])
        with Shell() as robot:
            robot.wait_for_joints()
            try:
                yield robot
            finally:
                self._watch.leave()

    def _send(self, messages: Messages, number: int, part: float) -> None:
        """Send as many of a number of bad messages as are due at a part of the time."""
        messages.send(int(number * min(1.0, part)))

    def _say(self) -> None:
        record = self._record
        while self._told < len(record.problems):
            self._progress.print(f'problem: {record.problems[self._told]}')
            self._told += 1
        left = max(0.0, self._seconds - record.elapsed) / 60.0
        self._progress.print(
            f'{record.elapsed / 60:5.1f} min: {record.events[-1][1]:20} '
            f'{record.counts["bad messages"]} bad messages, {record.counts["pages"]} pages, '
            f'{len(record.problems)} problems; {left:.0f} min left'
        )

    def report(self) -> int:
        """Print and write what came out; 0 if all went well."""
        record, lives = self._record, self._watch.lives
        problems = [*record.problems, *filter(None, (life.grown() for life in lives))]
        table = Table('what', 'how often', 'told within [s]')
        for what, number in {**record.counts, 'problems': len(problems)}.items():
            slowest = record.slowest.get(what)
            table.add_row(what, str(number), '' if slowest is None else f'{slowest:.2f}')
        nodes = Table(
            *('node', '[min]', 'memory [MB]', '[MB/h]', '2nd half'),
            *('handles', '[1/h]', 'cores'),
        )
        for row in rows_of(lives):
            nodes.add_row(*row)
        for each in (table, nodes):
            self._console.print(each)
        for problem in problems:
            self._console.print(f'problem: {problem}')
        self._watch.draw(OUT / 'soak.png', record.events)
        told = {
            'done': record.counts, 'slowest': record.slowest, 'refused': record.refused,
            'problems': problems, 'events': record.events,
            'memory': [(life.node, life.times, life.memory) for life in lives],
        }  # fmt: skip
        (OUT / 'soak.json').write_text(json.dumps(told, indent=1) + '\n', encoding='utf-8')
        return int(bool(problems))


def between_ends(seconds: float) -> float:
    """The time between two ends of the bridge [s] in a soak that takes so long [s]."""
    simulated = SIMULATED * seconds
    return min(max(ENDS * simulated, SELDOM), OFTEN * simulated)


def page_of(lines: list[str]) -> str:
    """Where the page is, as its server says.

    Args:
        lines: what the nodes print; grows meanwhile.
    """
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        for line in [*lines]:
            if address := address_in('dashboard', line):
                return address
        time.sleep(0.1)
    raise RuntimeError('the page did not say where it is')


if __name__ == '__main__':
    sys.exit(main())
