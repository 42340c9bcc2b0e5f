"""How well a robot rolls as a ball: straight, round a corner, to a stop, and up again."""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from _arguments import count, parser_of
from _rolling_rig import PERIOD, Rig

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.physics.engines import ENGINES

#: Way to roll straight [m], and longest times to roll straight and round a corner [s].
WAY, STRAIGHT, CORNER = 3.0, 8.0, 2.5


#: Units of what is measured.
UNITS = {'mean': 'm/s', 'off': 'deg', 'turned': 's', 'stop': 'm', 'stopped': 's', 'tilt': 'deg',
         'righted': 's', 'stands': 'deg'}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """Of one seed.

    Args:
        seed, friction: of it.
        mean: speed over the first metres, from rest [m/s]; 0: it never got there.
        off: direction in which it got there, against the heading [deg].
        turned: time until it moves within 15° of the new heading, over a fifth of a second [s].
        stop: distance from the command to where it came to rest [m].
        stopped: time for that [s].
        tilt: after righting [deg].
        righted: time for that [s].
        stands: how far it is from standing level in the end [deg]; 180: it does not.
    """

    seed: int
    friction: float
    mean: float
    off: float
    turned: float
    stop: float
    stopped: float
    tilt: float
    righted: float
    stands: float


def run(seed: int, engine: str, self_collision: bool) -> Result:
    """One seed."""
    rig = Rig(seed, engine, self_collision)
    direction = float(rig.random.uniform(-np.pi, np.pi))
    start, begin = rig.track[-1], rig.time
    rolling = rig.begin(direction=direction)
    mean, way = 0.0, np.zeros(2)
    while rig.time - begin < STRAIGHT:
        rig.tick()
        way = rig.track[-1] - start
        heading = rig.controller.heading
        ahead = way @ [np.cos(heading), np.sin(heading)]
        if np.hypot(*way) >= WAY or ahead > WAY:
            mean = WAY / (rig.time - begin)
            break
    off = _angle(way, rig.controller.heading)
    heading = rig.controller.heading + np.pi / 2.0
    rig.tell(rolling, {'direction': (direction + 1.5 * np.pi) % (2.0 * np.pi) - np.pi})
    ticks, fifth = [], round(0.2 / PERIOD)
    for _ in range(round(CORNER / PERIOD)):
        rig.tick()
        ticks.append(abs(_angle(rig.track[-1] - rig.track[-1 - fifth], heading)))
    right = np.flatnonzero(np.array(ticks) < 15.0)
    turned = (right[0] + 1) * PERIOD if len(right) else CORNER
    begin, place = rig.time, rig.track[-1]
    stop = stopped = righted = np.nan
    tilt = stands = 180.0
    try:
        rig.finish(rolling)
        while not rig.ended(rolling):
            rig.tick()
        stopped, stop = rig.time - begin, float(np.hypot(*(rig.track[-1] - place)))
        begin, righting = rig.time, rig.begin(upright=1.0)
        while not rig.ended(righting):
            rig.tick()
        tilt = float(np.degrees(rig.controller.law.tilt))
        righted = rig.time - begin
        stands = rig.stand_up()
    except SoftshellError as error:
        print(f'{seed}: {error}', flush=True)
    rig.close()
    return Result(seed, rig.friction, mean, off, turned, stop, stopped, tilt, righted, stands)


def _angle(way: Array, heading: float) -> float:
    """Of a way against a heading [deg], -180 to 180."""
    angle = np.arctan2(way[1], way[0]) - heading
    return float(np.degrees((angle + np.pi) % (2.0 * np.pi) - np.pi))


def main() -> int:
    """Print a row for each seed."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--engine', choices=ENGINES, default='mujoco')
    parser.add_argument('--first', type=int, default=100, help='seed (default 100)')
    parser.add_argument('--seeds', type=count, default=20, help='how many (default 20)')
    parser.add_argument('--jobs', type=count, default=1, help='at once (default 1)')
    parser.add_argument('--self-collision', action='store_true', help='panels collide')
    parser.add_argument('--quick', action='store_true', help='one seed')
    given = parser.parse_args()
    job = partial(run, engine=given.engine, self_collision=given.self_collision)
    names = [field.name for field in fields(Result)]
    show(*names)
    show(*(f'[{UNITS[name]}]' if name in UNITS else '' for name in names))
    seeds = range(given.first, given.first + (1 if given.quick else given.seeds))
    rows = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for result in pool.map(job, seeds):
            rows.append([getattr(result, name) for name in names])
            show(str(result.seed), *(f'{value:.2f}' for value in rows[-1][1:]))
    sizes = np.abs(rows)[:, 2:]
    for title, values in (('median', np.median(sizes, axis=0)), ('least', sizes.min(axis=0)),
                          ('most', sizes.max(axis=0))):  # fmt: skip
        show(title, '', *(f'{value:.2f}' for value in values))
    return 0


def show(*cells: str) -> None:
    """Print a line of the table."""
    print(' '.join(f'{cell:>8}' for cell in cells), flush=True)


if __name__ == '__main__':
    sys.exit(main())
