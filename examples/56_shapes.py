"""Shapes, surfaces and layers of a scene file: bodies bounce, sink in, float, slide and swing.

Run: .venv/bin/python examples/56_shapes.py
"""

import numpy as np

from softshell_description.load import load_robot
from softshell_sim.changing.changes import Push
from softshell_sim.scenes.scene_file import read_scene
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

settings = WorldSettings(engine='mujoco', scene=read_scene('examples/shapes.yaml'))
world = World(load_robot('arm'), settings)
begin = {name: world.scene.state(name).position.copy() for name in ('sledge', 'brake')}


def height(name):
    """The height of a body's middle [m]."""
    return world.scene.state(name).position[2]


# 10 N for 50 ms at the edge of the door, which its damper brings to rest again.
push = Push('door', np.array([0.0, 10.0, 0.0]), duration=0.05, link='leaf', point=[0.4, 0.0, 0.0])
world.apply([push])
heights = []
for _ in range(100):
    world.simulate(0.01)
    heights.append(height('ball'))
for name, place in begin.items():
    way = np.linalg.norm(world.scene.state(name).position - place)
    print(f'{name}: slid {way:.3f} m in 1 s')
lowest = int(np.argmin(heights[:50]))
print(f'ball: dropped from 0.500 m, it rises by {max(heights[lowest:]) - 0.05:.3f} m')

world.simulate(3.0)
print(f'tyre: sinks in by {1e3 * (0.05 - height("tyre")):.2f} mm')
print(f'sausage: floats {1e3 * (height("sausage") - 0.03):.2f} mm above the ground')
print(f'can: floats {1e3 * (height("can") - 0.1):.2f} mm above the ground')
x, y = world.scene.state('parcel').orientation[:2]  # of a quaternion, whatever its yaw
print(f'parcel: lies at {2.0 * np.arcsin(np.hypot(x, y)):.4f} rad')
door = world.engine.body('door')
turned = np.empty(len(door.joints)), np.empty(len(door.joints))
world.engine.read_joints(door, *turned)
print(f'door: open by {turned[0][0]:.3f} rad')
world.close()
