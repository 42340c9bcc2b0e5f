"""The camera of a running robot: a picture of a ball, and how far away that is.

Run: .venv/bin/python examples/47_camera.py

Writes out/ball.png.
"""

from functools import partial
from pathlib import Path
from time import sleep

import matplotlib.pyplot as plt
import numpy as np
from sensor_msgs.msg import CameraInfo, Image

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_interfaces.msg import WorldChange

TOPICS = {'front/image_raw': Image, 'front/depth': Image, 'front/camera_info': CameraInfo}
BALL = WorldChange(kind=WorldChange.SPAWN, body='ball', description='sphere: {radius: 0.15}')
BALL.pose.position.x, BALL.pose.position.z = 1.25, 0.15
newest = {}
with Stack({'engine': 'mujoco', 'params_file': 'examples/noisy.yaml'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        shell.begin_world_change([BALL]).answer()
        for topic, kind in TOPICS.items():  # the camera draws once somebody subscribes
            shell.node.create_subscription(kind, topic, partial(newest.__setitem__, topic), 1)
        while len(newest) < 3:
            sleep(0.02)
image, depth, info = (newest[topic] for topic in TOPICS)
along = np.frombuffer(depth.data, np.float32).reshape(depth.height, depth.width)  # its axis [m]
v, u = np.nonzero(along[:40] < 3.0)  # rows in which the floor is far away
rays = np.linalg.inv(info.k.reshape(3, 3)) @ np.stack([u, v, np.ones(len(u))])
print(f'nearest: {(along[v, u] * np.linalg.norm(rays, axis=0)).min():.3f} m')
Path('out').mkdir(exist_ok=True)
plt.imsave('out/ball.png', np.frombuffer(image.data, np.uint8).reshape(*along.shape, 3))
print('written to out/ball.png')
