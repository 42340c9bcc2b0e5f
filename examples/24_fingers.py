"""Pull the tendon of a soft finger on a running robot, and see how it bends.

Run: .venv/bin/python examples/24_fingers.py

Writes out/finger.png.
"""

from pathlib import Path
from time import sleep

import matplotlib.pyplot as plt
import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros.qos import SENSOR_CONSUMER
from softshell_interfaces.msg import FingerStates

heard = []
figure, axis = plt.subplots()
with Stack({'robot': 'finger'}) as stack:
    stack.wait_ready()
    with Shell() as robot:
        topic = 'finger_states'
        robot.node.create_subscription(FingerStates, topic, heard.append, SENSOR_CONSUMER)
        robot.wait_for_joints()
        for tension in (0.0, 2.0, 4.0, 6.0):  # [N]
            robot.command_fingers({'curl': tension}, duration=0.5)  # [s]
            end = robot.time + 2.0
            while robot.time < end:
                sleep(0.02)
            states = heard[-1]
            pulled = states.values[states.channels.index('curl')]
            (finger,) = states.fingers
            backbone = np.array([[point.x, point.y, point.z] for point in finger.backbone])
            print(f'{pulled:.2f} N: tip at {np.round(backbone[-1], 4)} m')
            axis.plot(backbone[:, 1], backbone[:, 2], '.-', label=f'{tension:g} N')
axis.set(xlabel='y [m]', ylabel='z [m]', aspect='equal')
axis.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
Path('out').mkdir(exist_ok=True)
figure.savefig('out/finger.png')
print('written to out/finger.png')
