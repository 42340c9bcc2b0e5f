"""What the tests of batches do with a world in other processes."""

import numpy as np

from softshell_description.load import load_robot
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
