"""Where a running robot thinks that it is, and what its belly feels once it lies on it.

Run: .venv/bin/python examples/55_estimate.py
"""

from time import sleep

import numpy as np
from nav_msgs.msg import Odometry

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros.qos import SENSOR_CONSUMER
from softshell_interfaces.msg import FootContacts

# Its sensors are noisy; besides the feet, base_link has a contact sensor.
NOISY = {'engine': 'mujoco', 'params_file': 'examples/noisy.yaml', 'real_time_factor': '0'}
guesses, touches = [], []


def look(shell):
    """Where the base is by an external tracking system, and by legs and IMU alone [m]."""
    guess = guesses[-1].pose.pose.position
    return shell.position[:2], np.array([guess.x, guess.y])


with Stack(NOISY) as stack:
    stack.wait_ready()
    with Shell() as shell:
        subscribe = shell.node.create_subscription
        subscribe(Odometry, 'odom_estimated', guesses.append, SENSOR_CONSUMER)
        subscribe(FootContacts, 'link_contacts', touches.append, SENSOR_CONSUMER)
        shell.perform('stand')
        begin = look(shell)
        shell.perform('walk', distance=0.4)
        (way, guess), told = np.subtract(look(shell), begin), guesses[-1].pose.covariance
        print(f'walked {np.hypot(*way):.3f} m, by the estimate {np.hypot(*guess):.3f} m', end=', ')
        print(f'{1e3 * np.hypot(*guess - way):.0f} mm off', end=', ')
        print(f'as told {1e3 * (told[0] + told[7]) ** 0.5:.0f} mm')  # x and y
        for name in ('stand', 'idle'):  # idle lies down
            shell.perform(name)
            count = len(touches)
            while len(touches) < count + 100:
                sleep(0.02)
            belly = [message.feet[0] for message in touches[count:]]
            force = np.mean([each.force.z for each in belly])
            touching = np.mean([each.touching for each in belly])
            print(f'{name}: the belly touches {touching:.0%} of the time, with {force:.2f} N')
