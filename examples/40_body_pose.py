"""The base circles over its feet, which stand still: poses streamed one after another.

Run: .venv/bin/python examples/40_body_pose.py
"""

from time import sleep

import numpy as np
from geometry_msgs.msg import PoseStamped

from softshell_bringup.runner import Stack
from softshell_client import Shell

RADIUS, TURN, HEIGHT = 0.03, 8.0, 0.15  # [m], of a turn [s], over the frames of the feet [m]
asked, seen = [], []  # x + i y [m]

with Stack({'engine': 'mujoco', 'real_time_factor': '2'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        stream = shell.node.create_publisher(PoseStamped, 'body_pose', 1)
        message = PoseStamped()
        message.pose.position.z = HEIGHT
        shell.perform('stand')
        shell.wait_for_odometry()
        middle, begin = complex(*shell.position[:2]), shell.time
        while (angle := 2.0 * np.pi * (shell.time - begin) / TURN) < 4.0 * np.pi:
            asked.append(RADIUS * np.exp(1j * angle))
            seen.append(complex(*shell.position[:2]) - middle)
            message.pose.position.x, message.pose.position.y = asked[-1].real, asked[-1].imag
            stream.publish(message)  # the newest one counts
            sleep(0.05)

half = len(seen) // 2  # the second turn
behind = np.angle(np.divide(asked[half:], seen[half:])).mean() * TURN / (2.0 * np.pi)
off = np.abs(np.abs(seen[half:]) - RADIUS).max()
print(f'circle of radius {np.abs(seen[half:]).mean():.4f} m, at most {1e3 * off:.1f} mm off it')
print(f'{behind:.2f} s behind the newest pose')
