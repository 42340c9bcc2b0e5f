"""Plan an action without a robot, and draw where its feet go. Plain Python: nothing of ROS runs.

Run: .venv/bin/python examples/03_plan.py

Writes out/feet.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_actions.motion import joint_motion
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics import IkOptions, Limbs

robot = load_robot('shell')
body = body_of(robot)
library = body.library()  # the robot's actions and gaits, all checked
planner = body.planner(library)
state = body.measured_state(robot.poses['stand'])

begin, times, tips, fastest = 0.0, [], [], 0.0
for call in library.call('walk', {'distance': 0.4}):
    # A sub-action becomes goals of limbs over time, and these become angles of joints.
    plan = planner.plan(call, state)
    legs = Limbs([body.chains[name] for name in plan.limbs])
    goals = np.stack(list(plan.limbs.values()))
    seeds = legs.seeds([[state.joints[name] for name in leg.variables] for leg in legs.chains])
    solved = legs.solve(goals, seeds, IkOptions(warm_start=True), robot.shared)
    assert solved.all_converged
    paths = {
        name: solution.q[:, leg.index(name)]
        for leg, solution in zip(legs.chains, solved, strict=True)
        for name in leg.variables
        if name not in robot.shared
    }
    motion = joint_motion(plan, paths)
    state = plan.end.with_joints(motion.end)  # where the next one begins

    times.append(begin + plan.times)
    tips.append(goals[:, :, :3])
    begin += motion.duration
    fastest = max(fastest, np.abs(motion.velocities).max())
print(f'{len(tips)} sub-actions, {begin:.1f} s, fastest joint {fastest:.2f} rad/s')

time, feet = np.concatenate(times), np.concatenate(tips, axis=1)
figure, axes = plt.subplots(2, 1, sharex=True, figsize=(8, 5))
for coordinate, axis, name in ((0, axes[0], 'x'), (2, axes[1], 'z')):
    axis.plot(time, feet[:, :, coordinate].T, label=list(plan.limbs))
    axis.set_ylabel(f'{name} of the feet [m]')
axes[0].legend(ncol=6, loc='lower center', bbox_to_anchor=(0.5, 1.0))
axes[1].set_xlabel('time [s]')
Path('out').mkdir(exist_ok=True)
figure.savefig('out/feet.png')
print('written to out/feet.png')
