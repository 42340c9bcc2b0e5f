"""The same commands on every engine: how far the walks differ, and what a step costs.

The demo's trajectories are planned once and performed without ROS, and without any feedback of
where the robot is. --changes repeats the travel with one thing changed at a time, which shows what
the difference comes from, and what not.
"""

import sys
from importlib.util import find_spec

import numpy as np
from _arguments import parser_of
from _engine_walks import Targets, Walk, differences, plan, play
from rich.console import Console
from rich.table import Table

from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_sim.physics.engines import ENGINES
from softshell_sim.settings import WorldSettings

#: What is changed: settings of the world, and the factor of gains.
CHANGES: dict[str, tuple[dict[str, float], float]] = {
    'as shipped': ({}, 1.0),
    'friction 0.3': ({'friction': 0.3}, 1.0),
    'friction 1': ({'friction': 1.0}, 1.0),
    'step 0.5 ms': ({'physics_step': 0.0005}, 1.0),
    'step 0.25 ms': ({'physics_step': 0.00025}, 1.0),
    'step 0.5 ms, gains x 2': ({'physics_step': 0.0005}, 2.0),
}
#: Figures of which a change is shown.
SHOWN = ('distance', 'drift', 'slip of a foot')
#: Length of the travel with --quick [m].
SHORT = 0.3


def figures(walk: Walk, step: float) -> dict[str, str]:
    """What is shown of a performance; `step`: of the physics [s]."""
    x, y, angle = walk.end
    shown = {
        'distance': f'{walk.distance_error:+.2f} %',
        'drift': f'{walk.drift:+.2f} °/m',
        'turn': f'{walk.turn_error:+.2f} %',
        'slip of a foot': f'{1e3 * walk.slip:.0f} mm/m',
        'joints off, rms': f'{walk.tracking:.2f} mrad',
        'ends at': f'{x:.3f} m {y:+.3f} m {angle:+.1f}°',
        'World.step': f'{walk.cost:.0f} µs',
        'times real time': f'{1e6 * step / walk.cost:.1f}',
    }
    return shown if np.isfinite(walk.turn_error) else shown | {'turn': 'none'}


def changed(robot: RobotModel, plans: list[Targets], engines: list[str]) -> Table:
    """The travel, with one thing changed at a time."""
    travel = plans[: 1 + [part.measure for part in plans].index('travel')]
    heads = [f'{engine}: {what}' for engine in engines for what in SHOWN]
    table = Table('', *heads, title='one thing changed at a time')
    for name, (change, stiffer) in CHANGES.items():
        row = []
        for engine in engines:
            settings = WorldSettings(engine=engine, **change)  # type: ignore[arg-type]
            shown = figures(play(robot, travel, settings, stiffer), settings.physics_step)
            row += [shown[what] for what in SHOWN]
        table.add_row(name, *row)
    return table


def main(arguments: list[str] | None = None) -> int:
    """Print the tables.

    Returns:
        Exit status 0.
    """
    parser = parser_of(__file__, __doc__)
    parser.add_argument('robot', nargs='?', default='shell', help='with a demo; default: shell')
    parser.add_argument('--changes', action='store_true', help='one thing changed at a time')
    parser.add_argument('--quick', action='store_true', help='a travel of 0.3 m alone')
    options = parser.parse_args(arguments)
    robot, console = load_robot(options.robot), Console(markup=False)
    short = SHORT if options.quick else None
    engines = [name for name in ENGINES if name != 'pybullet' or find_spec('pybullet')]
    plans, walks, columns = plan(robot, short), {}, []
    for engine in engines:
        settings = WorldSettings(engine=engine)
        walks[engine] = play(robot, plans, settings)
        columns.append(figures(walks[engine], settings.physics_step))
    table = Table('', *engines, title=f'the demo of {robot.name}')
    for name in columns[0]:
        table.add_row(name, *(column[name] for column in columns))
    console.print(table)
    for engine in engines[1:]:
        console.print(differences(walks, engines[0], engine))
    if options.changes:
        console.print(changed(robot, plans, engines))
    return 0


if __name__ == '__main__':
    sys.exit(main())
