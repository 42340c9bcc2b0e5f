"""On which slope does Shell begin to slide? Many worlds at the same time, one in each process.

Run: .venv/bin/python examples/09_batch.py
"""

import math

import numpy as np

from softshell_description.load import load_robot
from softshell_sim.batch import run_batch
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

FRICTION = 0.3  # between floor and feet


def slide(angle: float, seed: int) -> float:
    """The distance [m] that Shell slides in a second on a slope of this angle [°]."""
    robot = load_robot('shell')
    world = World(robot, WorldSettings(friction=FRICTION, seed=seed))
    world.reset(robot.pose('stand'))
    world.settle(1.0)
    start = world.measure(1.0).base.position.copy()
    steep = math.radians(angle)  # the floor stays level, and gravity is tilted instead
    world.set_gravity(9.81 * np.array([math.sin(steep), 0.0, -math.cos(steep)]))
    world.simulate(1.0)
    way = world.measure(1.0).base.position - start
    world.close()
    return float(np.linalg.norm(way[:2]))


if __name__ == '__main__':  # the worker processes import this file
    angles = [13.0, 15.0, 16.0, 17.5, 19.0, 21.0]
    for outcome in run_batch(slide, angles, progress=lambda n, of: print(f'{n} of {of} done')):
        if outcome.error:
            print(f'{outcome.job:.1f}°: {outcome.error}')
        else:
            print(f'{outcome.job:.1f}°: slid {outcome.value:.3f} m')
    print(f'expected to slide from {math.degrees(math.atan(FRICTION)):.1f}° on')
