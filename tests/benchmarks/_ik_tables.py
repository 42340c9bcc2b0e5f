"""The tables of the IK benchmark."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: The share of problems that a solver has to solve for its time to count.
GOOD = 0.99
OURS = 'softshell'
Results = Mapping[str, dict]
#: Name and start of a case.
Names = Sequence[tuple[str, str]]


def of_case(results: Results, name: str, start: str) -> dict[str, dict]:
    """What each solver made of a case."""
    end = f'|{name}|{start}'
    return {key.split('|')[0]: row for key, row in results.items() if key.endswith(end)}


def fastest(rows: Mapping[str, dict], column: str) -> tuple[str, dict] | None:
    """The fastest peer in a column, among those that solve enough."""
    peers = {
        peer: row
        for peer, row in rows.items()
        if peer != OURS and row['success'] >= GOOD and row[column] is not None
    }
    return min(peers.items(), key=lambda item: item[1][column]) if peers else None


def compared(results: Results, names: Names) -> dict[str, dict]:
    """Ours over the fastest peer, call against call and batch against batch on one core."""
    ratios = {}
    for name, start in names:
        rows = of_case(results, name, start)
        for column in ('us', 'batch_us'):
            peer = fastest(rows, column)
            if peer:
                ratios[f'{name}|{start}|{column}'] = {
                    'fastest_peer': peer[0],
                    'times_its_time': rows[OURS][column] / peer[1][column],
                }
    return ratios


def show(results: Results, names: Names) -> None:
    """Print what every solver made of every case."""
    table = Table(
        title='µs per solve: one call, a batch on one core and on two',
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column('case and solver', no_wrap=True)
    for column in ('call', 'batch', '2 cores', '% ok', 'n', 'resid.', 'iter.'):
        table.add_column(column, justify='right', no_wrap=True)
    for name, start in names:
        table.add_row(Text(f'{name}, {start}', 'bold'))
        for solver, row in of_case(results, name, start).items():
            iterations = '' if row['iterations'] is None else f'{row["iterations"]:.1f}'
            table.add_row(
                f'  {solver}',
                *(time_of(row[key]) for key in ('us', 'batch_us', 'batch_two_cores_us')),
                f'{100.0 * row["success"]:.1f}',
                str(row['problems']),
                f'{row["residual"]:.0e}',
                iterations,
            )
        table.add_section()
    _show(table)


def show_fastest(results: Results, names: Names) -> None:
    """Print ours and the fastest peer that solves enough of each case."""
    heads = ('one call', 'peer', 'batch', 'peer', '2 cores', 'solved')
    table = Table('case', *heads, title='ours beside the fastest peer [µs]')
    for name, start in names:
        rows = of_case(results, name, start)
        mine = rows[OURS]
        table.add_row(
            f'{name}, {start}', time_of(mine['us']), peer_of(rows, 'us'),
            time_of(mine['batch_us']), peer_of(rows, 'batch_us'),
            time_of(mine['batch_two_cores_us']), percent(mine),
        )  # fmt: skip
    _show(table)


def _show(table: Table) -> None:
    console = Console(markup=False)
    # A file has room for all of it.
    console.width = max(console.width, 0 if console.is_terminal else 100)
    console.print(table)


def peer_of(rows: Mapping[str, dict], column: str) -> str:
    """The fastest peer of a column: its time and name."""
    found = fastest(rows, column)
    return f'{time_of(found[1][column])} {found[0]}' if found else ''


def time_of(microseconds: float | None) -> str:
    """Two digits of a time."""
    if microseconds is None:
        return ''
    return f'{microseconds:.1f}' if microseconds < 10.0 else f'{microseconds:.0f}'


def percent(row: dict) -> str:
    """How many problems are solved."""
    return f'{100.0 * row["success"]:.4g} %'
