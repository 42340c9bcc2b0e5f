"""What the page in the browser costs, and whether the control loop feels it.

A mock of Shell walks in real time: by `cmd_vel`, without the page and with it and nobody there; by
a key that a client holds, with clients that take the scene at 30 Hz. Aims: under 20 % of a core
with nobody there, under 50 % with one client, and a jitter of the control loop that is that
without the page.
"""

import asyncio
import math
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from _arguments import count, parser_of
from _processes import cpu_of, pid_of
from rich.console import Console
from rich.table import Table

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack

#: How long each is measured, and how long clients are given to be shown all [s].
LENGTH, BEGIN = 10.0, 4.0
#: Longest wait for the address of the page [s].
COMING = 20.0
#: Aims: parts of a core, with nobody there and with one client.
ALONE, WATCHED = 0.2, 0.5
#: So much more may the jitter be than without a page [s]: what differs from run to run.
SAME = 2e-4
#: Velocity of the walk without a client, that of the key [m/s].
SPEED = 0.06
PROTOCOL = 'viser-v'


@dataclass(frozen=True)
class Cost:
    """What was measured.

    Args:
        part: of a core that the page's server takes; NaN without a page, or if it has ended.
        rate: messages of the scene that each client takes [Hz].
        jitter: root mean square of the control loop [s]; NaN if none was told.
    """

    part: float
    rate: float
    jitter: float


async def client(address: str, taken: list[int]) -> None:
    """Take the scene and hold a key, until cancelled."""
    import viser
    from aiohttp import ClientSession

    async with ClientSession() as session, session.ws_connect(address + 'live') as page:
        await page.send_json({'type': 'take'})
        scene = ''
        while not scene:
            scene = (await page.receive_json()).get('scene', '')

        async def hear() -> None:
            async for _ in page:
                pass

        async def watch() -> None:
            path = address.rstrip('/') + scene
            protocols = [PROTOCOL + viser.__version__]
            async with session.ws_connect(path, protocols=protocols, max_msg_size=0) as viewer:
                async for _ in viewer:
                    taken[0] += 1

        async def hold() -> None:
            while True:
                await page.send_json({'type': 'hold', 'commands': ['forward']})
                await asyncio.sleep(0.1)

        await asyncio.gather(hear(), watch(), hold())


async def drive(listener: 'Listener') -> None:
    """Let the robot walk as by the key, until cancelled."""
    while True:
        listener.drive()
        await asyncio.sleep(0.1)


async def measured(
    address: str, clients: int, pid: int | None, seconds: float, listener: 'Listener'
) -> tuple[float, float]:
    """Part of a core and rate of the scene, with so many clients, as in `Cost`.

    Raises:
        ClientError, OSError: the page or the scene of a client ended.
    """
    counts = [[0] for _ in range(clients)]
    tasks = [asyncio.create_task(client(address, taken)) for taken in counts]
    if not clients:
        tasks.append(asyncio.create_task(drive(listener)))
    await asyncio.sleep(BEGIN)
    before, taken = cpu_of(pid) if pid else 0.0, sum(one[0] for one in counts)
    begin = time.monotonic()
    await asyncio.sleep(seconds)
    length = time.monotonic() - begin
    part = (cpu_of(pid) - before) / length if pid else math.nan
    rate = (sum(one[0] for one in counts) - taken) / length / max(clients, 1)
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):  # a cancelled one is none
            raise result
    return part, rate


class Listener:
    """Hears the jitter of a stack's control loop, and can let its robot walk."""

    def __init__(self, domain: int) -> None:
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from geometry_msgs.msg import Twist
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        node = Node('jitter', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._heard: list[float] = []
        node.create_subscription(DiagnosticArray, 'diagnostics', self._hear, 10)
        self._velocities, self._forward = node.create_publisher(Twist, 'cmd_vel', 1), Twist()
        self._forward.linear.x = SPEED

    def _hear(self, message: object) -> None:
        for status in message.status:  # type: ignore[attr-defined]
            values = {entry.key: entry.value for entry in status.values}
            if 'jitter_rms_ms' in values:
                self._heard.append(1e-3 * float(values['jitter_rms_ms']))

    def drive(self) -> None:
        """Ask for a velocity."""
        self._velocities.publish(self._forward)

    def median(self) -> float:
        """Of what has come since the last call [s]."""
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.05)
        heard, self._heard = self._heard, []
        return statistics.median(heard) if heard else float('nan')

    def close(self) -> None:
        """Leave."""
        self._context.try_shutdown()


def address_of(stack: Stack, lines: Sequence[str]) -> str:
    """The address of a stack's page, once one of its lines says it.

    Raises:
        ProcessDiedError: a node of the stack ended.
        TimeoutError: no line says it.
    """
    end = time.monotonic() + COMING
    while time.monotonic() < end:
        found = [line.partition(': open ')[2].strip() for line in lines if ': open ' in line]
        if found and found[0]:
            return found[0]
        stack.check()
        time.sleep(0.05)
    raise TimeoutError(f'the page did not say its address within {COMING:g} s')


def run(clients: int | None, seconds: float) -> Cost:
    """One stack for so long; `clients`: None: without a page. Raises as those it calls."""
    domain, lines = free_domain(), []
    arguments = {'bridge': 'mock', **({} if clients is None else {'gui': 'web'})}
    with Stack(arguments, domain=domain, output=lambda _, line: lines.append(line)) as stack:
        stack.wait_ready()
        address = '' if clients is None else address_of(stack, lines)
        listener = Listener(domain)
        pid = pid_of('dashboard', domain)
        part, rate = asyncio.run(measured(address, clients or 0, pid, seconds, listener))
        cost = Cost(part, rate, listener.median())
        listener.close()
    return cost


def not_measured(costs: Mapping[int | None, Cost]) -> Iterator[str]:
    """What is not known of runs with so many clients; None: without a page."""
    for number, cost in costs.items():
        run_name = 'no page' if number is None else f'{number} at the page'
        if number is not None and math.isnan(cost.part):
            yield f'{run_name}: the page has no process'
        if number and not cost.rate:
            yield f'{run_name}: nothing is shown'
        if math.isnan(cost.jitter):
            yield f'{run_name}: no jitter was told'


def main(arguments: list[str] | None = None) -> int:
    """Measure all, and print them.

    Returns:
        Exit status: 1 if an aim is missed, or something could not be measured.
    """
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--quick', action='store_true', help='in short, to see that it runs')
    parser.add_argument('--clients', type=count, default=3, help='at most  [3]')
    options = parser.parse_args(arguments)
    costs = {
        number: run(number, 2.0 if options.quick else LENGTH)
        for number in (None, 0, 1, *range(options.clients, 1, -1)[:1])
    }
    table = Table('clients', 'part of a core', 'scene', 'jitter of the control loop, rms')
    for number, cost in costs.items():
        name = 'no page' if number is None else str(number)
        told = '' if number is None else f'{100.0 * cost.part:.1f} %'
        rate = f'{cost.rate:.0f} Hz' if number else ''
        table.add_row(name, told, rate, f'{1e3 * cost.jitter:.3f} ms')
    Console(markup=False).print(table)
    problems = []
    if costs[0].part >= ALONE or costs[1].part >= WATCHED:
        problems.append('the page takes more of a core than it may')
    if costs[1].jitter > 1.5 * costs[None].jitter + SAME:
        problems.append('the control loop feels a client')
    if options.quick:
        problems = []
    problems += not_measured(costs)
    for problem in problems:
        print(f'missed: {problem}', file=sys.stderr)
    return int(bool(problems))


if __name__ == '__main__':
    sys.exit(main())
