"""Shell stands on a tray that is pulled away, without ROS: it stays on or slides, by friction.

Run: .venv/bin/python examples/41_tray.py
"""

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changing.changes import SetSurface, Spawn
from softshell_sim.changing.drive import Drive
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box
from softshell_sim.world import World

FRICTION, SECONDS = 0.4, 0.5  # of Shell on the tray; for which that is pulled [s]
tray = ObjectSpec('tray', Box((1.2, 1.2, 0.04)), 2.0, shift(z=0.02))
scene = (Spawn(tray), SetSurface('robot', Surface(FRICTION), 'tray'))
world = World(load_robot('shell'), WorldSettings(engine='mujoco', scene=scene))


def slide(acceleration):
    """How far Shell slides on the tray [m] while that is accelerated along x [m/s²]."""
    world.reset(world.robot.pose('stand'))
    world.settle(1.0)
    before = world.scene.state('robot').position - world.scene.state('tray').position
    times = np.arange(0.0, SECONDS, 0.001) + 0.001
    poses = np.tile([0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 1.0], (len(times), 1))
    poses[:, 0] = 0.5 * acceleration * times**2
    world.apply([Drive('tray', times, poses)])
    world.simulate(SECONDS)
    slid = before - world.scene.state('robot').position + world.scene.state('tray').position
    return float(slid[0])


for acceleration in (2.0, 3.0, 5.0, 6.0):
    block = max(0.5 * (acceleration - FRICTION * 9.81) * SECONDS**2, 0.0)
    print(f'{acceleration} m/s²: slides {slide(acceleration):.3f} m, a block would {block:.3f} m')
world.close()
