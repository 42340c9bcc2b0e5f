"""A trained policy walks on the running stack: started, led by a velocity, and stopped.

Run: .venv/bin/python examples/27_policy.py
"""

from time import sleep

import numpy as np
from geometry_msgs.msg import Twist
from std_srvs.srv import Trigger

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_studies.gym.policy import trained

AHEAD = 0.08  # [m/s]

with Stack({'engine': 'mujoco', 'policy': str(trained('Walk'))}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        start = shell.node.create_client(Trigger, 'policy/start')
        stop = shell.node.create_client(Trigger, 'policy/stop')
        publisher = shell.node.create_publisher(Twist, 'policy/cmd_vel', 1)
        shell.wait_for_odometry()
        shell.wait_for_joints()

        shell.perform('stand')  # the pose in which its episodes begin
        start.wait_for_service()
        print(start.call(Trigger.Request()).message)
        message = Twist()
        message.linear.x = AHEAD
        begin, since = shell.position, shell.time
        while shell.time < since + 6.0:
            publisher.publish(message)  # holds for half a second
            sleep(0.1)
        way, seconds = np.linalg.norm((shell.position - begin)[:2]), shell.time - since
        print(f'{way:.2f} m in {seconds:.1f} s: {way / seconds:.3f} m/s of {AHEAD} m/s')
        print(stop.call(Trigger.Request()).message)
        shell.perform('stand')
