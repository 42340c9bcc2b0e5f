"""Sensors with errors, and a camera: what the gyro reads at rest, and how steep a ramp looks.

Run: .venv/bin/python examples/18_sensors.py

Writes out/camera.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_description.load import load_robot
from softshell_sim.scenes.scene_file import read_scene
from softshell_sim.sensing.sensor_settings import load_sensors
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

robot = load_robot('shell')
sensors = load_sensors(Path('examples/sensors.yaml'), robot)
scene = read_scene(Path('examples/scene.yaml'))  # has a ramp ahead of the robot
world = World(robot, WorldSettings(sensors=sensors, scene=scene, seed=1))
world.reset(robot.pose('stand'))
world.settle(1.0)

rates = np.empty((500, 3))  # [rad/s]
for k in range(len(rates)):
    world.simulate(0.008)
    rates[k] = world.measure(0.008).imu.angular_velocity
noise = (rates - rates.mean(axis=0)).std()
print(f'gyro: z {rates[:, 2].mean():.4f} rad/s on average, noise {noise:.4f} rad/s')

taken, picture = world.picture('front')
camera = world.cameras.camera('front')
rows, columns = np.indices(picture.depth.shape)
pixels = np.stack([columns, rows, np.ones_like(rows)], axis=-1)
rays = pixels @ np.linalg.inv(camera.intrinsics).T  # (height, width, 3) in its optical frame
near = picture.depth < 3.0  # [m]; infinite where nothing is seen
turn, place = camera.optical_in_link[:3, :3], camera.optical_in_link[:3, 3]
x, y, z = (picture.depth[near, None] * rays[near] @ turn.T + place).T  # in base_link
seen = (x > 0.8) & (x < 1.6) & (np.abs(y) < 0.4)
slope, _ = np.polyfit(x[seen], z[seen], 1)
print(f'ramp, in {seen.sum()} pixels: {np.arctan(slope):.3f} rad steep')
world.close()

figure, (colours, depths) = plt.subplots(1, 2, figsize=(9, 3.5))
colours.imshow(picture.rgb)
figure.colorbar(depths.imshow(picture.depth, vmax=3.0), label='depth [m]')
Path('out').mkdir(exist_ok=True)
figure.savefig('out/camera.png')
print('written to out/camera.png')
