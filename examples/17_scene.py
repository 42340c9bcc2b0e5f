"""A world from a scene file, saved, and gone on with twice: a parcel pushed, and pushed harder.

Run: .venv/bin/python examples/17_scene.py
"""

from pathlib import Path

import numpy as np

from softshell_description.load import load_robot
from softshell_sim.bodies import Surface
from softshell_sim.changing.changes import Push, SetSurface
from softshell_sim.scenes.scene_file import read_scene
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

world = World(load_robot('shell'), WorldSettings(scene=read_scene(Path('examples/scene.yaml'))))
print('bodies:', ', '.join(world.engine.bodies))
world.apply([SetSurface('parcel', Surface(0.4), 'floor')])  # friction, of this pair only
world.settle(0.5)
saved = world.save()


def slide(force):
    """How far the parcel slides [m] from the saved state, pushed for 0.1 s by a force [N]."""
    world.restore(saved)
    start = world.scene.state('parcel').position
    world.apply([Push('parcel', [force, 0.0, 0.0], duration=0.1)])
    world.simulate(1.0)
    return float(np.linalg.norm(world.scene.state('parcel').position - start))


once = slide(4.0)
print(f'pushed by 4 N it slides {once:.4f} m, by 8 N {slide(8.0):.4f} m')
print(f'restored, it slides as far as before, bit for bit: {slide(4.0) == once}')
world.close()
