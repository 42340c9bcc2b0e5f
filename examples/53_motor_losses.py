"""What a motor loses: its options in robot.yaml, one at a time, beside closed forms, without ROS.

Run: .venv/bin/python examples/53_motor_losses.py
"""

from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from softshell_description.load import load_robot
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

INERTIA, LOAD, KP = 0.02, 9.81 * 0.5 * 0.1, 40.0  # [kg m²], of the weight [N m], [N m/rad]
URDF = """<robot name="arm"><link name="stand"/>
<link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
  <inertia ixx="0.01" iyy="0.015" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="stand"/><child link="arm"/>
  <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="999"/></joint></robot>"""
ROBOT = """{description: An arm on a hinge., urdf: arm.urdf, base: {link: stand, fixed: true},
motors: {servo: {effort: 9.0, velocity: 999.0, OPTION}}, start: level,
groups: {arm: {gains: {GAINS}, goal_tolerance: 0.1, joints: {hinge: servo}}},
poses: {level: {joints: {hinge: 0.0}}}}"""


def show(option, expected, effort=0.0, ramp=0.0, weight=False, seconds=0.2):
    """Drive the arm by an effort [N m] or a ramp [rad/s], or hold it; print what it comes to."""
    with TemporaryDirectory() as folder:
        (Path(folder) / 'arm.urdf').write_text(URDF)
        text = ROBOT.replace('GAINS', 'kp: 0.0, kd: 0.0' if effort else f'kp: {KP}, kd: 1.0')
        (Path(folder) / 'robot.yaml').write_text(text.replace('OPTION', option))
        world = World(load_robot(folder), WorldSettings(gravity=9.81 if weight else 0.0))
    world.drives.set_feed_forward(np.array([effort]))
    world.simulate(seconds, np.array([ramp * seconds]), np.array([ramp]))
    measured = world.measure(seconds)
    found, unit = (measured.velocity, 'rad/s') if effort else (measured.position, 'rad')
    if 'thermal' in option:
        found, unit = measured.temperature, '°C'
    name = option.partition(':')[0]
    print(f'{name}: {found[0]:.4f} {unit}, by its closed form {expected:.4f} {unit}')
    world.close()


# The speed after 0.2 s of 0.5 N m; with back_emf of full voltage, which ends at 10 rad/s.
show('viscous_friction: 0.1', 0.5 / 0.1 * (1.0 - exp(-0.1 * 0.2 / INERTIA)), effort=0.5)
show('rotor_inertia: 0.03', 0.5 * 0.2 / (INERTIA + 0.03), effort=0.5)
show('dry_friction: 0.2', (0.5 - 0.2) * 0.2 / INERTIA, effort=0.5)
line = 'back_emf: {stall_effort: 2.0, no_load_velocity: 10.0}'
show(line, 10.0 * (1.0 - exp(-2.0 * 0.2 / (10.0 * INERTIA))), effort=9.0)
# The angle at the end of a ramp of 1 rad in 1 s.
show('delay: 0.05', 1.0 - 1.0 * 0.05, ramp=1.0, seconds=1.0)
# Held against its weight for 2 s: its angle, half of the play further down, and its temperature.
show('backlash: 0.02', LOAD / KP + 0.02 / 2.0, weight=True, seconds=2.0)
heat = 'thermal: {loss: 20.0, resistance: 4.0, capacity: 0.5, derate_from: 60.0, limit: 80.0}'
show(heat, 25.0 + 4.0 * 20.0 * LOAD**2 * (1.0 - exp(-2.0 / (4.0 * 0.5))), weight=True, seconds=2.0)
