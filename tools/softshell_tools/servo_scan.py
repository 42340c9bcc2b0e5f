"""`./softshell scan` on a terminal: progress, a table, and what to do."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from softshell_hardware.bus.adapter import latency_timer, latency_warning
from softshell_hardware.bus.finder import Finder
from softshell_hardware.search.roster import Row, compare
from softshell_hardware.search.scan import Found, scan, set_return_delay, sweeps
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.form import BusSpec


@dataclass(frozen=True)
class Request:
    """What to search, and how.

    Attributes:
        port: port to search; None: all ports of the wiring.
        bauds: baud rates to try; empty: all.
        quick: whether to try with protocol 1 only expected ids, and id 1 as servos are shipped.
        set_return_delay: whether to set the return delay of all servos found to 0.
        words: arguments of the stack that were given, for commands that are recommended.
    """

    port: str | None = None
    bauds: tuple[int, ...] = ()
    quick: bool = False
    set_return_delay: bool = False
    words: tuple[str, ...] = ()


def scan_ports(config: HardwareConfig, request: Request) -> int:
    """Search ports, and print what was found.

    Returns:
        Exit status: 1 if something is not as expected.

    Raises:
        SoftshellError: a port cannot be opened, or a baud rate is not valid.
    """
    console = Console(markup=False)
    status = 0
    for path, bus in searched(config, request.port):
        spec = BusSpec(port=path) if bus is None else config.buses[bus]
        latency = max(latency_timer(path) or 0.0, spec.latency)
        ids = [] if bus is None else [motor.id for motor in config.on_bus(bus)]
        plan = sweeps(None if bus is None else spec, ids, request.bauds, request.quick)
        with progress_bar(console) as progress:
            show = partial(progress.update, progress.add_task(path, total=1.0, what=''))
            found = scan(path, plan, latency, spec.slack, show)
        if request.set_return_delay:
            status |= correct(console, path, found, latency, spec.slack)
        rows = compare(config, bus, found)
        console.print(table_of(path, bus, rows))
        status |= any(row.wrong for row in rows)
        if any(row.found.values.get('return_delay') for row in rows if row.found is not None):
            command = shlex.join(['./softshell', 'scan', *request.words, '--set-return-delay'])
            console.print(f'{command} sets the return delay to 0', soft_wrap=True)
        warning = latency_warning(path, spec.latency)
        if warning:
            console.print(f'warning: {warning}', soft_wrap=True)
    names = config.uncalibrated
    if names:
        which = 'all joints' if len(names) == len(config.joints) else ', '.join(names)
        command = shlex.join(['./softshell', 'calibrate', *request.words])
        text = f'not calibrated yet: {which}; to calibrate: {command}'
        console.print(text, soft_wrap=True)
    return status


def searched(config: HardwareConfig, port: str | None) -> list[tuple[str, str | None]]:
    """The ports to search, each with the bus that is expected there; None: no bus."""
    used = [name for name in config.buses if config.on_bus(name)]
    if port is None:
        return [(config.buses[name].port, name) for name in used]
    there = [name for name in used if config.buses[name].port == port]
    return [(port, (there or used)[0] if there or len(used) == 1 else None)]


def correct(console: Console, path: str, found: list[Found], latency: float, slack: float) -> int:
    """Set the return delay of servos to 0, and update them in `found`; returns the exit status."""
    status = 0
    for place, servo in enumerate(found):
        if not servo.values.get('return_delay'):
            continue
        with Finder(path, servo.family, servo.baud, latency, slack) as bus:
            problem = set_return_delay(bus, servo.id)
        if problem:
            console.print(f'error: {problem}', soft_wrap=True)
            status = 1
        else:
            console.print(f'servo {servo.id}: its return delay is now 0')
            values = {**servo.values, 'return_delay': 0}
            found[place] = Found(servo.family, servo.baud, servo.id, values, servo.damaged)
    return status


def table_of(path: str, bus: str | None, rows: Sequence[Row]) -> Table:
    """A table of servos that were found or expected, one row for each."""
    expected = sum(bool(row.name) for row in rows)
    there = sum(row.found is not None for row in rows)
    title = f'{path}: {there} found' + ('' if bus is None else f', {expected} expected')
    columns = ('id', 'joint', 'model', 'firmware', 'protocol', 'baud', 'remarks')
    table = Table(*columns, title=title, title_justify='left')
    for row in rows:
        cells = ['', '', '', '']
        if row.found is not None:
            family, firmware = row.found.family, row.found.values.get('firmware', '')
            cells = [row.found.model, str(firmware), str(family.protocol), str(row.found.baud)]
        remarks = [Text(text, 'red') for text in row.wrong] + [Text(text) for text in row.notes]
        table.add_row(str(row.id), row.name, *cells, Text('\n').join(remarks) or 'as expected')
    return table


def progress_bar(console: Console) -> Progress:
    """A progress bar with the time that is left; disabled if the output is no terminal."""
    columns = (TextColumn('{task.description}'), BarColumn(), TextColumn('{task.fields[what]}'))
    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
