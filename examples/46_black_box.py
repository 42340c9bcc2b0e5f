"""The black box writes a bag when asked, and after a fault; from that is read what happened.

Run: .venv/bin/python examples/46_black_box.py

Needs `./softshell setup hardware`. Writes two bags out/log/black_box/DATE-TIME.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from time import sleep

import numpy as np
from std_srvs.srv import Trigger

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell
from softshell_interfaces.srv import InjectFault
from softshell_recording.report.log import read_log

LOG = Path('out/log').resolve()  # of ROS; the black box writes beside it
SERVOS = {'robot': 'arm', 'bridge': 'hardware', 'wiring': 'emulated'}
BLOCK = InjectFault.Request(where='elbow', fault='blocked', value='true')


def call(arm, kind, service, request):
    """Call a service of the stack, and print its message."""
    client = arm.node.create_client(kind, service)
    client.wait_for_service()
    print(client.call(request).message)


shutil.rmtree(LOG, ignore_errors=True)
with Stack(SERVOS, environment={'ROS_LOG_DIR': str(LOG)}) as stack, suppress(ActionFailedError):
    stack.wait_ready()
    with Shell() as arm:
        arm.perform('reach')
        call(arm, Trigger, 'black_box/write', Trigger.Request())
        call(arm, InjectFault, 'servo_emulator/inject', BLOCK)
        arm.perform('home')  # fails; as the stack ends, the black box has a bag written
while len(bags := sorted(LOG.glob('black_box/*/metadata.yaml'))) < 2:
    sleep(0.1)  # by a process that outlives the stack
log = read_log(bags[1].parent)
(fault,) = [event for event in log.events if event.kind == 'fault']
print(fault.text)
joints, elbow = log.recording, log.recording.joint_names.index('elbow')
last = (joints.times > fault.time - 1.0) & (joints.times <= fault.time)
told, moved = (np.ptp(each[last, elbow]) for each in (joints.commands, joints.joints))
print(f'in its last second the elbow was told to move {told:.3f} rad, and moved {moved:.3f} rad')
