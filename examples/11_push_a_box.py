"""Put a box into the world of a running robot, and have the robot push it.

Run: .venv/bin/python examples/11_push_a_box.py
"""

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_interfaces.msg import WorldChange

with Stack({'engine': 'mujoco', 'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    with Shell() as robot:
        robot.wait_for_odometry()
        robot.perform('stand')
        box = WorldChange(
            kind=WorldChange.SPAWN,
            body='box',
            description='{box: {size: [0.1, 0.4, 0.1]}, mass: 0.2, friction: 0.3}',
        )
        box.pose.position.x, box.pose.position.z = robot.position[0] + 0.55, 0.05
        robot.begin_world_change([box]).answer()
        robot.perform('walk', distance=0.5)
        print(f'walked to {robot.position[0]:.2f} m')
        for body in robot.begin_bodies().answer():
            if body.name == 'box':
                pushed = body.pose.position.x - box.pose.position.x
                print(f'pushed the box by {pushed:.2f} m')
