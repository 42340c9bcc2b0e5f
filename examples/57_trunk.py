"""A soft trunk on two motors, from trunk/: bent by a tendon, twisted by two that run round it.

Run: .venv/bin/python examples/57_trunk.py
"""

import numpy as np

from softshell_continuum.statics import Statics
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot

robot = CommandedRobot(WorldSettings(engine='mujoco'), 'examples/trunk')
trunk, soft = robot.robot.soft['trunk'], robot.world.soft
link, base = robot.robot.urdf.bodies['trunk_base']  # the link that moves it, its base there
along = trunk.chain.axes[:, 2] > 0.5  # joints that turn about the backbone

for twist in (0.0, 8.0):
    robot.perform('reach', twist=twist)
    robot.rest(3.0)
    measured = robot.core.measured
    told = dict(zip(robot.robot.channels, measured.channels[2:], strict=True))
    tilt, heat = measured.channels[1], measured.temperature[1]
    print(f'{twist:.0f} N: tilt {abs(tilt + 0.8):.5f} rad off, at {heat:.3f} °C', end=', ')

    # The same by statics: where its tendons and its weight are in balance.
    world = robot.world
    head = world.engine.link_pose(world.body, world.body.links.index(link))
    statics = Statics(trunk.chain, trunk.tendons, gravity=(0.0, 0.0, -9.81), base=head @ base)
    tensions = {name: told[name] for name in ('twist_0', 'twist_1')}
    rest = statics.solve(tensions, lengths={'bend': told['bend']}).at_rest()
    turned = soft.position[soft.members['trunk'].columns][along].sum()
    print(
        f'twisted by {turned:.4f} rad, by statics {rest.positions[along].sum():.4f} rad', end=', '
    )
    off = np.linalg.norm(soft.tip('trunk')[:3, 3] - rest.tip)
    print(f'tip {1e3 * off:.2f} mm off, bend pulls {rest.tensions[0]:.2f} N')
robot.close()
