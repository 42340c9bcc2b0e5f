"""Two robots on one domain, each in a namespace: both walk, one is stopped, the other goes on.

Run: .venv/bin/python examples/32_two_robots.py
"""

from time import sleep

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell


def begin(robot, distance):
    """Begin a walk [m]; returns the place x, y [m] where it begins, and its execution."""
    robot.perform('stand')
    robot.wait_for_odometry()
    return robot.position[:2], robot.begin_action('walk', distance=distance)


def tell(name, robot, start, walk):
    """Wait until a walk has ended; print how, and how far it went."""
    try:
        walk.result()
        how = 'SUCCEEDED'
    except ActionFailedError as error:
        how = error.status.name
    way = np.linalg.norm(robot.position[:2] - start)
    print(f'{name}: {how} after {way:.3f} m, its bridge is {robot.bridge().mode.name}')


with (
    Stack({'namespace': 'one', 'robot': 'quadruped', 'engine': 'mujoco'}) as first,
    Stack({'namespace': 'two', 'robot': 'shell', 'engine': 'mujoco'}) as second,
):
    first.wait_ready()
    second.wait_ready()
    with Shell('one') as quadruped, Shell('two') as hexapod:
        start, ahead = begin(quadruped, 0.5)
        begun, back = begin(hexapod, -0.4)
        while ahead.progress < 0.3:
            sleep(0.01)
        quadruped.emergency_stop()
        tell('one', quadruped, start, ahead)
        tell('two', hexapod, begun, back)
        quadruped.reset()
        quadruped.activate()
        print(f'one: stands again after {quadruped.perform("stand"):.1f} s')
