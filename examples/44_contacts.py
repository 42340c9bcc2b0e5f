"""What Shell's feet carry: on six feet, with one lifted, and on a slope, without ROS.

Run: .venv/bin/python examples/44_contacts.py
"""

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics import static_margin
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Spawn
from softshell_sim.contact.feedback import ContactFeedback
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box
from softshell_sim.stability import Stability
from softshell_sim.world import World

GRAVITY, SLOPE, LIFT = 9.81, np.radians(8.0), {'lower_0_pitch': -0.3}  # [m/s²], [rad], [rad]
world = World(load_robot('shell'), WorldSettings(engine='mujoco'))
world.feedback, world.scene.stability = ContactFeedback(world.engine), Stability(world.engine)
print(f'weight {GRAVITY * world.engine.mass(world.body):.3f} N')

for name, slope, lift in (('level', 0.0, {}), ('lifted', 0.0, LIFT), ('slope', SLOPE, {})):
    world.reset(world.robot.pose('stand') + [lift.get(j, 0.0) for j in world.robot.joint_names])
    world.set_gravity(GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    world.settle(2.0)
    world.simulate(0.1)  # what the report is of
    ground = world.feedback.read().between(world.body, world.floor)
    points = np.array([contact.point for contact in ground.contacts])
    loads = np.array([contact.force[2] for contact in ground.contacts])
    centre = loads @ points / loads.sum()  # of pressure: below the centre of mass, along gravity
    carried = np.linalg.norm(ground.mean_force)
    print(f'{name}: {len(ground.links)} feet carry {carried:.3f} N', end=', ')
    print(f'centre at {centre[0]:.4f} m, margin {static_margin(centre, points):.4f} m')

world.apply([Spawn(ObjectSpec('box', Box((0.2, 0.2, 0.2)), 1.0, shift(x=2.0)))])  # in the floor
world.simulate(0.2)
print({body.name: status.name for body, status in world.scene.stability.read().items()})
world.close()
