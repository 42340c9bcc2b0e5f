"""The simulated chain in the continuum benchmark: a rod in MuJoCo, from straight to rest."""

import time

import numpy as np

from softshell_continuum import measured_rod as rod
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.soft.body import SoftBody

#: Links; damping of joints by their stiffness [s], and step [s].
LINKS, DAMPING, STEP = 50, 0.02, 0.002
#: Velocity of the fastest joint of a rod that stands still [rad/s]; simulated time at most [s].
STILL, LONGEST = 5e-4, 4.0
#: Steps between two looks.
LOOK = 50
#: A pose at rest: tip (3,) [m], wall time [s], simulated time [s].
Settled = tuple[list[float], float, float]


def chain() -> list[Settled]:
    """Tips at rest in each trial, with the time that they took and the time simulated."""
    found = []
    for trial in rod.TRIALS:
        world = make_engine('mujoco', EngineSettings(STEP, -rod.GRAVITY[2], False))
        form = rod.measured_rod_form(LINKS, DAMPING)
        soft = SoftBody(world, form, rod.BASE, tendons={'rod': rod.TENDONS})
        soft.pull('rod', trial.tensions)
        soft.apply()
        world.step()
        begin, steps = time.perf_counter(), 1
        while steps * STEP < LONGEST:
            for _ in range(LOOK):
                soft.apply()
                world.step()
            steps += LOOK
            soft.read()
            if np.abs(soft.velocity).max() < STILL:
                break
        passed = time.perf_counter() - begin
        found.append((soft.tip('rod')[:3, 3].tolist(), passed, steps * STEP))
        world.close()
    return found
