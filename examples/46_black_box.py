"""A servo is blocked; what happened is read from the bag that the black box wrote after it.

Run: .venv/bin/python examples/46_black_box.py

Needs `./softshell setup hardware`. Writes the bag out/log/black_box/DATE-TIME.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from time import sleep

import numpy as np

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell
from softshell_client.ros.servos import ask
from softshell_interfaces.srv import InjectFault
from softshell_recording.report.log import read_log

LOG = Path('out/log').resolve()  # of ROS; the black box writes beside it
SERVOS = {'robot': 'arm', 'bridge': 'hardware', 'wiring': 'emulated'}
BLOCK = InjectFault.Request(where='elbow', fault='blocked', value='true')

shutil.rmtree(LOG, ignore_errors=True)
with Stack(SERVOS, environment={'ROS_LOG_DIR': str(LOG)}) as stack, suppress(ActionFailedError):
    stack.wait_ready()
    with Shell() as arm:
        arm.perform('reach')
        ask('servo_emulator/inject', InjectFault, BLOCK, '', 'emulated servos', '')
        arm.perform('home')  # fails; as the stack ends, the black box has a bag written
while not (bags := [*LOG.glob('black_box/*/metadata.yaml')]):
    sleep(0.1)  # by a process that outlives the stack
log = read_log(bags[0].parent)
(fault,) = [event for event in log.events if event.kind == 'fault']
print(fault.text)
joints, elbow = log.recording, log.recording.joint_names.index('elbow')
last = (joints.times > fault.time - 1.0) & (joints.times <= fault.time)
told, moved = (np.ptp(each[last, elbow]) for each in (joints.commands, joints.joints))
print(f'in its last second the elbow was told to move {told:.3f} rad, and moved {moved:.3f} rad')
