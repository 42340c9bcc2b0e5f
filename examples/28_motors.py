"""A servo as it was recorded: identified from a step, put into a robot's file, and simulated.

Run: .venv/bin/python examples/28_motors.py

Writes out/motor.png.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from softshell_control.drives.identify import identify, read_record
from softshell_description.load import load_robot
from softshell_sim.world import World

URDF = """<robot name="servo"><link name="stand"/>
<link name="wheel"><inertial><mass value="0.5"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.0201" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="servo" type="revolute"><parent link="stand"/><child link="wheel"/>
  <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="50"/></joint></robot>"""
ROBOT = """
description: The servo of the record, with a wheel of the same inertia.
urdf: servo.urdf
base: {{link: stand, fixed: true}}
motors:
  servo: {{effort: 3.0, velocity: 50.0, dry_friction: {dry_friction}, delay: {delay}}}
groups:
  wheel: {{gains: {{kp: {kp}, kd: {kd}}}, goal_tolerance: 0.02, joints: {{servo: servo}}}}
poses: {{start: {{joints: {{servo: 0.0}}}}}}
start: start
"""

record = read_record(Path('examples/step.csv'))
found = identify(record, inertia=0.0201, effort=3.0)  # [kg m^2], [N m]
print(found.table())
with TemporaryDirectory() as folder:
    (Path(folder) / 'servo.urdf').write_text(URDF)
    (Path(folder) / 'robot.yaml').write_text(ROBOT.format_map(found))
    world = World(load_robot(folder))

path = []
for command in np.repeat(record.command, 4):  # for a sample each 4 ms, four steps of 1 ms
    path.append(world.measure(0.001).position[0])
    world.step(np.array([command]), np.zeros(1))
world.close()
off = np.array(path[::4]) - record.position
print(f'simulated and recorded differ by {1e3 * np.sqrt(np.mean(off**2)):.2f} mrad rms')

figure, axis = plt.subplots()
axis.step(record.time, record.command, color='0.7', where='post', label='command')
axis.plot(record.time, record.position, '.', label='recorded')
axis.plot(record.time, path[::4], label='simulated')
axis.set(xlabel='time [s]', ylabel='position [rad]')
axis.legend()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/motor.png')
print('written to out/motor.png')
