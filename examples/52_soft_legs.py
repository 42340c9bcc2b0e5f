"""A robot of your own on soft legs, from table/: dropped, pulled up by its tendons, and sensed.

Run: .venv/bin/python examples/52_soft_legs.py
"""

from softshell_continuum.statics import Statics
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

# On ice, where nothing holds the feet back from where the least energy is.
robot = CommandedRobot(WorldSettings(engine='mujoco', friction=0.0), 'examples/table')
table, world = robot.robot, robot.world
weight = 9.81 * table.urdf.mass
leg, (_, base) = table.soft['leg_0'], table.urdf.bodies['leg_0_base']
statics = Statics(leg.chain, leg.tendons, gravity=(0.0, 0.0, -9.81), base=base)


def tell(name, tension):
    """Print what the simulation senses, and how high the table stands by statics."""
    sensed = robot.core.measured
    forces = sensed.tactile.force[sensed.tactile.touching]
    print(f'{name}: top at {sensed.base.position[2]:.4f} m', end=', ')
    rest = statics.solve([tension], tip_force=(0.0, 0.0, weight / 4.0))
    print(f'by statics {0.01 - rest.tip[2]:.4f} m;', end=' ')  # a foot is a ball of 10 mm
    print(f'{len(forces)} feet carry {forces[:, 2].sum():.3f} N of {weight:.3f} N')


world.reset(height=0.2)
robot.rest(3.0)
tell('dropped', 0.0)
robot.perform('rise')
robot.rest(3.0)
tell('risen', 6.0)
robot.close()
