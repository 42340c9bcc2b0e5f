"""What the simulation costs, and five scenes beside Klamp't.

    ./softshell bench sim                 # all of it; minutes
    ./softshell bench sim --without-peers # without Klamp't
    ./softshell bench sim --quick         # whether the benchmark works, in seconds

Bare stepping is the engine by its own calls and the same law of control in numpy, on the same
URDF, floor and gains, read as often. All that is compared runs in turns in one run; a ratio is the
median of those of the turns. The bridge runs without ROS, and as part of the whole stack: nodes as
processes of their own, and the robot walks for some 20 s. Klamp't, which is installed into an
environment of its own on first use, runs the same scenes with the same layers. Writes
out/bench/sim.png: cost as contacts and legs grow.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _arguments import parser_of
from _engine_walks import Targets, plan
from _sim_beside import run, run_klampt, table
from _sim_bridge import pace
from _sim_costs import Cost, costs
from _sim_growth import BOXES, LEGS, boxes, draw, legs
from _sim_scenes import scenes
from _sim_stack import fastest, in_real_time
from rich.console import Console
from rich.table import Table

from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.physics.engines import ENGINES
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'out' / 'bench' / 'sim.png'
#: Length of the walk [m], ticks of it at most, ticks in real time, times that growth is timed.
FULL, QUICK = (0.3, 1000, 750, 40), (0.1, 60, 20, 2)
#: Length of the whole stack's walk [m], and how often it is done.
STACK_FULL, STACK_QUICK = (2.8, 3), (0.1, 1)


def cost_table(found: dict[str, dict[str, Cost]]) -> Table:
    """What a step costs, by engine and feature."""
    heads = ('engine', 'step', '× bare', 'tick', '× bare', 'base [mm]')
    table = Table('with', *heads, title='cost of a step, walking [µs]')
    for feature in next(iter(found.values())):
        for engine, costs_of in found.items():
            cost = costs_of[feature]
            row = (f'{cost.step:.0f}', f'{cost.ratio:.2f}', f'{cost.tick:.0f}')
            height = f'{1e3 * cost.height:.1f}'
            table.add_row(feature, engine, *row, f'{cost.tick_ratio:.2f}', height)
    return table


def bridge_table(
    robot: RobotModel, engines: list[str], plans: list[Targets], ticks: int, paced: int
) -> Table:
    """How fast the bridge is without ROS, by engine."""
    heads = (
        '× real time',
        'undisturbed',
        'period, median',
        'period, p99',
        'late at factor 1, p99',
    )
    table = Table('', *heads, title='the bridge without ROS, walking [ms]')
    for engine in engines:
        found = pace(robot, engine, plans, ticks, paced)
        row = [f'{value:.2f}' for value in (found.typical, found.late, found.jitter)]
        table.add_row(engine, f'{found.factor:.1f}', f'{found.undisturbed:.1f}', *row)
    return table


def stack_table(engines: list[str], distance: float, runs: int) -> Table:
    """How fast the whole stack is, by engine and with the mock, and how steady in real time."""
    heads = ('walk [s]', '× real time', 'of runs', 'jitter at factor 1, p99', 'latency', 'p99')
    table = Table('', *heads, title='the whole stack, walking; joint_states at factor 1 [ms]')
    for bridge, engine in (*(('sim', name) for name in engines), ('mock', '')):
        walks = [fastest(bridge, engine, distance) for _ in range(runs)]
        factors = sorted(each.factor for each in walks)
        paced = in_real_time(bridge, engine, distance)
        table.add_row(
            engine or bridge,
            f'{np.median([each.seconds for each in walks]):.1f}',
            f'{np.median(factors):.1f}',
            ' '.join(f'{factor:.1f}' for factor in factors),
            *(f'{value:.2f}' for value in (paced.jitter, paced.latency, paced.late)),
        )
    return table


def growth_table(found: dict[str, dict[str, Array]]) -> Table:
    """What a step costs as contacts and legs grow, by engine."""
    heads = [f'{engine}: {what}' for what, engines in found.items() for engine in engines]
    table = Table(*heads, title='how many: cost of a step [µs]')
    columns = [rows for engines in found.values() for rows in engines.values()]
    for place in range(max(map(len, columns))):
        table.add_row(
            *(
                f'{rows[place, 0]:.0f}: {rows[place, 1]:.0f}' if place < len(rows) else ''
                for rows in columns
            )
        )
    return table


def beside(engines: list[str], with_peers: bool) -> tuple[Table, str]:
    """The five scenes by simulator, and what is to be said of it."""
    found = {name: {scene.name: run(name, scene) for scene in scenes()} for name in engines}
    text = ''
    if with_peers:
        klampt = run_klampt(Workspace(ROOT).python_of('bench'), PICTURE.parent)
        if isinstance(klampt, str):
            text = klampt
        else:
            found["Klamp't"] = klampt
    return table(found), text


def main(arguments: list[str] | None = None) -> int:
    """Print the tables.

    Returns:
        Exit status 0.
    """
    parser = parser_of(__file__, __doc__)
    parser.add_argument('robot', nargs='?', default='shell', help='with a demo; default: shell')
    parser.add_argument('--without-peers', action='store_true', help="without Klamp't")
    parser.add_argument(
        '--quick', action='store_true', help='short, and without peers: shows that it works; '
        'writes no file',
    )  # fmt: skip
    options = parser.parse_args(arguments)
    robot, console = load_robot(options.robot), Console(markup=False)
    distance, ticks, paced, blocks = QUICK if options.quick else FULL
    engines = [name for name in ENGINES if name != 'pybullet' or find_spec('pybullet')]
    plans = plan(robot, distance)
    console.print(cost_table({name: costs(robot, name, plans, ticks) for name in engines}))
    console.print(bridge_table(robot, engines, plans, ticks, paced))
    console.print(stack_table(engines, *(STACK_QUICK if options.quick else STACK_FULL)))
    judged, text = beside(engines, not (options.quick or options.without_peers))
    console.print(judged, text)
    found = {}
    for what, grow, sizes in (('contacts', boxes, BOXES), ('legs', legs, LEGS)):
        chosen = sizes[:2] if options.quick else sizes
        found[what] = {
            name: np.array([grow(name, size, blocks) for size in chosen]) for name in engines
        }
    console.print(growth_table(found))
    if not options.quick:
        draw(found, PICTURE)
        print(f'written: {PICTURE.relative_to(ROOT)}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
