"""How a robot walks over rough ground: with its feet fitted to it, and by its plan alone."""

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from _arguments import count, parser_of

from softshell_actions.performing.walking import Pace
from softshell_sim.physics.engines import ENGINES
from softshell_sim.shapes import Blocks, HeightField, Shape

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'motion'))

from bridged_walker import BridgedWalker, lay

KINDS = ('rubble', 'ramp', 'stairs')
#: [m], [m/s], and how high feet are lifted, against the gait's own.
DISTANCE, SPEED, LIFT = 2.0, 0.08, 1.3


class FieldWalker(BridgedWalker):
    """Walks over rubble that is a height field in every engine, of boxes in none."""

    def lay(self, shape: Shape, *place: float, **turn: float) -> None:
        """Lay ground before the robot."""
        plain = HeightField(shape.heights, shape.size) if isinstance(shape, Blocks) else shape
        super().lay(plain, *place, **turn)


def run(
    kind: str, footing: bool, engine: str, gait: str, field: bool, seed: int
) -> tuple[float, np.ndarray]:
    """Time for the way [s], infinite where it does not get there; tilts meanwhile [deg]."""
    made = FieldWalker if field else BridgedWalker
    walker = made(engine, np.random.default_rng(seed).uniform(0.5, 1.0), footing)
    lay(walker, kind, seed)
    walker.perform('stand')
    begin = len(walker.tilts)
    time = walker.walk_on(Pace(gait, 1.0, LIFT), SPEED, DISTANCE)
    walker.world.close()
    return time, np.array(walker.tilts[begin:])


def main() -> int:
    """Print a table; 1 if feet that are fitted to the ground ever fail to get there."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--engine', choices=sorted(ENGINES), default='mujoco')
    parser.add_argument('--gait', default='tripod')
    parser.add_argument('--ground', choices=KINDS, action='append', help='default all')
    parser.add_argument(
        '--height-field', action='store_true', help='rubble as a height field also in PyBullet'
    )
    parser.add_argument('--seeds', type=count, default=4, help='how many of each (default 4)')
    parser.add_argument('--first', type=int, default=300, help='seed (default 300)')
    parser.add_argument('--jobs', type=count, default=2, help='at once (default 2)')
    parser.add_argument('--quick', action='store_true', help='one seed')
    given = parser.parse_args()
    seeds = range(given.first, given.first + (1 if given.quick else given.seeds))
    field = ', rubble as a height field' if given.height_field else ''
    print(f'{DISTANCE:g} m at {SPEED:g} m/s, {given.gait}, {given.engine}{field}')
    print('| ground | footing | arrived | mean time | tilt, rms | 99 % of the time | largest |')
    print('|---|---|---|---|---|---|---|')
    failed = 0
    with ProcessPoolExecutor(given.jobs) as pool:
        for kind in given.ground or KINDS:
            for footing in (True, False):
                walk = partial(run, kind, footing, given.engine, given.gait, given.height_field)
                results = list(pool.map(walk, seeds))
                times = np.array([time for time, _ in results])
                tilts = np.concatenate([tilt for _, tilt in results])
                there = int(np.isfinite(times).sum())
                failed += footing and there < len(seeds)
                mean = np.mean(times[np.isfinite(times)]) if there else np.nan
                print(
                    f'| {kind} | {"on" if footing else "off"} | {there} of {len(seeds)} '
                    f'| {mean:.1f} s | {np.sqrt(np.mean(tilts**2)):.1f}° '
                    f'| {np.percentile(tilts, 99.0):.1f}° | {tilts.max():.1f}° |',
                    flush=True,
                )
    return int(failed > 0)


if __name__ == '__main__':
    sys.exit(main())
