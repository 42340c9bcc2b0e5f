"""A world in a window, as a process of its own: an engine whose window fails may end it.

    python windowed.py ENGINE FOLLOW

Prints where the window looks before and after the robot is moved by 1 m along x, waits for a line
on its standard input after each, and says at the end that it ended well.
"""

import sys
import time

import numpy as np

from softshell_description.load import load_robot
from softshell_sim.bodies import BodyState
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World


def looked_at(world):
    """(3,) what the window looks at [m]."""
    engine = world.engine
    if world.settings.engine == 'mujoco':
        return np.array(engine._window._viewer.cam.lookat)
    from softshell_sim.pybullet.quietly import pybullet

    return np.array(pybullet.getDebugVisualizerCamera(physicsClientId=engine._client)[11])


def go_on(world, seconds):
    """Let time pass in the world, and a little of it on the wall for the window."""
    target = world.position.copy()
    for step in range(round(seconds * 1000)):
        world.step(target, np.zeros(len(target)))
        if step % 10 == 9:
            world.measure(0.01)
        if step % 100 == 99:
            time.sleep(0.02)
    time.sleep(0.5)  # PyBullet's window tells late what it looks at


def main():
    engine, follow = sys.argv[1], sys.argv[2] == 'True'
    world = World(load_robot('quadruped'), WorldSettings(engine=engine, gui=True, follow=follow))
    go_on(world, 1.0)
    print('looks at', *looked_at(world).round(4), flush=True)
    sys.stdin.readline()
    state = BodyState()
    world.engine.read(world.body, state)
    state.position[0] += 1.0
    world.engine.place(world.body, state)
    go_on(world, 3.0)
    print('looks at', *looked_at(world).round(4), flush=True)
    sys.stdin.readline()
    world.close()
    print('ended well', flush=True)


if __name__ == '__main__':
    main()
