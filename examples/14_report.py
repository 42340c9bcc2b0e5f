"""Record a walk into a bag, make its report, and read numbers from it.

Run: .venv/bin/python examples/14_report.py

Writes the bag out/walk/ and the page out/walk/report.html.
"""

import shutil
from pathlib import Path

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_recording.report.analysis import cost_of_transport, distance, energy, feet_motion
from softshell_recording.report.log import read_log
from softshell_recording.report.write import write_report
from softshell_recording.ros.record import recording_to

BAG = Path('out/walk')

shutil.rmtree(BAG, ignore_errors=True)  # a bag is a new folder
with Stack({'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    with recording_to(BAG), Shell() as robot:
        robot.perform('stand')
        robot.perform('walk', distance=0.4)

print(f'written: {write_report(BAG)}')
log = read_log(BAG)  # what the report is made of, as arrays
way, spent, motion = distance(log), energy(log), feet_motion(log)
work = spent.work[-1]
print(f'way {way:.2f} m, slip of all feet {motion.slip[-1].sum():.3f} m')
print(f'work {work:.1f} J, cost of transport {cost_of_transport(log, work, way):.2f}')
errors = np.abs(log.recording.errors)
worst = np.nanargmax(np.nanmax(errors, axis=0))
print(f'least exact: {log.recording.joint_names[worst]}, {np.nanmax(errors):.3f} rad off at most')
