"""Drive the robot in the simulation: stand up, walk, turn, lie down.

Run: .venv/bin/python examples/04_shell.py

It starts the nodes itself. If they run already, as after `./softshell up`, only the inner `with`
is needed.
"""

import math

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell

# real_time_factor 0: as fast as possible.
with Stack({'bridge': 'sim', 'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        shell.wait_for_odometry()
        print(f'stands at {np.round(shell.position, 3)} m')

        begin, heading = shell.position, shell.yaw
        took = shell.perform('walk', distance=0.4)
        walked = np.linalg.norm((shell.position - begin)[:2])
        drift = math.degrees(shell.yaw - heading)
        print(f'walked {walked:.2f} m in {took:.1f} s, turned meanwhile by {drift:+.1f}°')

        heading = shell.yaw
        shell.perform('turn', angle=math.radians(60.0))
        print(f'turned {math.degrees(shell.yaw - heading):.0f}°')

        shell.set_body_pose(0.14, pitch=0.1)  # lower, nose down
        print(f'bows at a height of {shell.position[2]:.3f} m')
        shell.perform('idle')
        print(f'lies at {np.round(shell.position, 3)} m')
