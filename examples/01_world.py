"""Shell stands on its feet in a simulated world. Plain Python, without ROS.

Run: .venv/bin/python examples/01_world.py
"""

from softshell_description.load import load_robot
from softshell_sim.world import World

robot = load_robot('shell')
world = World(robot)
world.reset(robot.pose('stand'))
world.settle(1.0)
world.measure(1.0)
world.settle(0.2)
measured = world.measure(0.2)  # forces are means over this time [s]
print(f'height of the base: {measured.base.position[2]:.3f} m')
print(f'weight on the feet: {measured.contacts.force[:, 2].sum():.1f} N')
world.close()
