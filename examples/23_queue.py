"""Queue actions, cancel one that waits, and end a walk on its way.

Run: .venv/bin/python examples/23_queue.py
"""

import math
from time import sleep

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell


def ended(execution):
    """Wait until an action has ended; returns how."""
    try:
        execution.result()
    except ActionFailedError as error:
        return error.status.name
    return 'SUCCEEDED'


with Stack({'engine': 'mujoco'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        shell.wait_for_odometry()

        begin, heading = shell.position, shell.yaw
        walk = shell.begin_action('walk', distance=0.4)  # returns at once
        back = shell.begin_action('walk', queue=True, distance=-0.4)
        turn = shell.begin_action('turn', queue=True, angle=math.radians(45.0))
        back.cancel()  # still waits, and so never begins
        print(f'walk {ended(walk)}, back {ended(back)}, turn {ended(turn)}')
        way = np.linalg.norm((shell.position - begin)[:2])
        print(f'{way:.3f} m ahead, turned by {math.degrees(shell.yaw - heading):.1f}°')

        begin = shell.position
        walk = shell.begin_action('walk', distance=2.0)
        while walk.progress < 0.25:
            sleep(0.01)
        walk.cancel()  # after a whole stride, all feet come to rest
        print(f'walk {ended(walk)}', end=' ')
        print(f'after {np.linalg.norm((shell.position - begin)[:2]):.3f} m of 2 m')
