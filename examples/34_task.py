"""A learning task of your own, in follower/, as an environment of Gymnasium, and a policy for it.

Run: .venv/bin/python examples/34_task.py

Needs `./softshell setup studies`. Writes out/task.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from follower.task import ARM, TURN, Follow

from softshell_studies.gym.environment import TaskEnvironment

GAIN = 8.0  # from the distance to the speed of the tip [1/s]

environment = TaskEnvironment(Follow, render_mode='rgb_array', engine='mujoco')
seen, _ = environment.reset(seed=0)
tips, distances = [], []
for _ in range(int(2.0 * TURN / Follow.period)):
    _, jacobian = ARM.forward_and_jacobian(seen[:3])
    rates = np.linalg.lstsq(jacobian[:3], GAIN * seen[3:], rcond=1e-3)[0]
    seen, reward, *_ = environment.step(rates)
    tips.append(environment.task.tip)
    distances.append(-reward)
behind = 1e3 * np.mean(distances[len(distances) // 2 :])
print(f'in the second turn: {behind:.2f} mm behind the point')

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.imshow(environment.render())
left.axis('off')
right.plot(*np.transpose(tips)[[0, 2]])
right.set(xlabel='x [m]', ylabel='z [m]', title='path of the tip', aspect='equal')
Path('out').mkdir(exist_ok=True)
figure.savefig('out/task.png')
print('written to out/task.png')
environment.close()
