"""Record a walk into a bag, make its report, and read numbers from it.

Run: .venv/bin/python examples/14_report.py

Writes the bag out/walk/ and the page out/walk/report.html.
"""

import shutil
from pathlib import Path
from threading import Event, Thread

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_recording.report.analysis import cost_of_transport, distance, energy, feet_motion
from softshell_recording.report.log import read_log
from softshell_recording.report.write import write_report
from softshell_recording.ros.record import Progress, record
from softshell_recording.selection import Selection

BAG = Path('out/walk')
begun, ended = Event(), Event()


def watch(progress: Progress) -> None:
    """Note that topics were found, and messages come."""
    if progress.seconds > 0.0:
        begun.set()


shutil.rmtree(BAG, ignore_errors=True)  # a bag is a new folder
with Stack({'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    options = {'ended': ended.is_set, 'progress': watch}
    recorder = Thread(target=record, args=(BAG, Selection()), kwargs=options, daemon=True)
    recorder.start()
    begun.wait(20.0)
    with Shell() as robot:
        robot.perform('stand')
        robot.perform('walk', distance=0.4)
    ended.set()
    recorder.join()

print(f'written: {write_report(BAG)}')
log = read_log(BAG)  # what the report is made of, as arrays
way, spent, motion = distance(log), energy(log), feet_motion(log)
work = spent.work[-1]
print(f'way {way:.2f} m, slip of all feet {motion.slip[-1].sum():.3f} m')
print(f'work {work:.1f} J, cost of transport {cost_of_transport(log, work, way):.2f}')
errors = np.abs(log.recording.errors)
worst = np.nanargmax(np.nanmax(errors, axis=0))
print(f'least exact: {log.recording.joint_names[worst]}, {np.nanmax(errors):.3f} rad off at most')
