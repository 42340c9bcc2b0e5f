"""Record a run of the simulation and plot it.

Run: .venv/bin/python examples/05_record.py

Writes out/run.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import rclpy
from rclpy.context import Context

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_recording.ros.recorder import Recorder

with Stack({'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    context = Context()
    rclpy.init(args=[], context=context)
    recorder = Recorder(context)
    recorder.wait_for_messages()
    with Shell(context=context) as robot:
        robot.perform('stand')
        robot.perform('walk', distance=0.4)
        robot.perform('turn', angle=1.0)
    recording = recorder.stop()
    context.try_shutdown()

time, base = recording.times, recording.base
rms = np.sqrt(np.nanmean(recording.errors**2))
print(
    f'{len(time)} samples of {len(recording.joint_names)} joints over {time[-1] - time[0]:.1f} s'
)
print(f'largest tilt {np.degrees(base.tilt.max()):.1f}°, joints off by {rms:.4f} rad rms')

figure, (way, knee) = plt.subplots(2, 1, sharex=True, figsize=(8, 6))
way.plot(time, base.positions, label=['x', 'y', 'z'])
way.set(ylabel='base in odom [m]')
way.legend()
(column,) = recording.columns(('lower_0_knee',))
knee.plot(time, recording.joints[:, column], label='measured')
knee.plot(time, recording.commands[:, column], '--', label='commanded')
knee.set(xlabel='time [s]', ylabel='knee of leg 0 [rad]')
knee.legend()
Path('out').mkdir(exist_ok=True)
figure.savefig('out/run.png')
print('written to out/run.png')
