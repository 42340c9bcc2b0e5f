"""A process that drives the servos of an arm until it is killed: host_process.py WIRING"""

import sys
import time
from pathlib import Path

from softshell_control.backend import StopPolicy
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.load import load_robot
from softshell_hardware.hardware_backend import HardwareBackend
from softshell_hardware.wiring.config import load_hardware

PERIOD = 0.02

robot = load_robot('arm')
backend = HardwareBackend(robot, load_hardware(robot, Path(sys.argv[1])), PERIOD, StopPolicy.HOLD)
core = BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings())
core.activate()
print('drives', flush=True)
told = False
while True:
    core.tick(time.monotonic_ns())
    if core.status().reasons and not told:
        told = True
        print(core.status().reasons[0].text, flush=True)
    time.sleep(PERIOD)
