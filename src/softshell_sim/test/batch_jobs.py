"""What the tests of batches do in other processes."""

import os
import signal
import sys
import time

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_sim.sensing.sensor_settings import SensorSettings
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

NOISE = SensorSettings.model_validate({'joints': {'position': {'noise': 0.01}}})


def swing(engine, seed):
    """The arm after it went somewhere: as measured with noise, and as it is."""
    world = World(load_robot('arm'), WorldSettings(engine=engine, seed=seed, sensors=NOISE))
    target = np.random.default_rng(seed).uniform(-0.5, 0.5, len(world.position))
    world.simulate(0.1, target)
    measured = world.measure(0.1).position.copy()
    position = world.position.copy()
    world.close()
    return np.concatenate([measured, position, target])


def behave(job, seed):
    """Return, fail or end in the way that the job names."""
    match job:
        case 'wrong':
            raise SoftshellError('no such robot')
        case 'divide':
            return 1 // 0
        case 'leave':
            sys.exit(4)
        case 'killed':
            os.kill(os.getpid(), signal.SIGKILL)
        case 'ended':
            os._exit(3)
        case 'unsendable':
            return lambda: None
        case 'slow':
            time.sleep(0.3)
    return job, os.getpid()


def tell_and_wait(folder, seed):
    """Write the id of this process into a folder, and go on for longer than any test."""
    path = os.path.join(folder, str(os.getpid()))
    with open(path, 'w', encoding='utf-8'):
        pass
    time.sleep(600.0)
