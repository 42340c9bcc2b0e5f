"""Who touches whom in the world of a running robot, which walks into a box.

Run: .venv/bin/python examples/48_touch.py
"""

from time import sleep

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros.qos import SENSOR_CONSUMER
from softshell_interfaces.msg import BodyContacts, WorldChange

BOX = '{box: {size: [0.1, 0.4, 0.1]}, mass: 0.2, friction: 0.3}'
heard = []

with Stack({'engine': 'mujoco'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        box = WorldChange(kind=WorldChange.SPAWN, body='box', description=BOX)
        box.pose.position.x, box.pose.position.z = shell.position[0] + 0.55, 0.05
        shell.begin_world_change([box]).answer()
        shell.node.create_subscription(BodyContacts, 'contacts', heard.append, SENSOR_CONSUMER)
        while len(heard) < 100:
            sleep(0.02)
        standing = len(heard)
        shell.perform('walk', distance=0.5)

for name, messages in (('standing', heard[:standing]), ('walking', heard[standing:])):
    forces = {}  # on the first of two bodies by the other one, while both touched [N]
    for pair in (pair for message in messages for pair in message.pairs):
        force = [pair.mean_force.x, pair.mean_force.y, pair.mean_force.z]
        forces.setdefault(f'{pair.body} and {pair.other_body}', []).append(force)
    for who, each in forces.items():
        ahead, _, up = np.mean(each, axis=0)
        share = len(each) / len(messages)
        print(f'{name}: {who} for {share:.0%} of the time, {ahead:.2f} N ahead, {up:.2f} N up')
