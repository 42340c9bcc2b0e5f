"""A servo that was simulated by an engine is identified from its step."""

import dataclasses

import numpy as np
import pytest
from every_engine import OTHERS_LONG

from softshell_control.drives.identify import StepRecord, identify
from softshell_description.config import Gains
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Of the swing of the arm in conftest.py, the slide at 0.02 m.
INERTIA = 1e-3 + 0.4 * 0.1**2 + 5e-4 + 0.2 * 0.27**2


def step_and_back(world):
    """The swing steps by 0.2 rad at 0.1 s and back at 0.7 s: a sample every 4 ms for 1.2 s."""
    rows, target = [], np.array([0.0, 0.02])
    for k in range(1200):
        time = k * 1e-3
        target[0] = 0.2 if 0.1 - 1e-9 <= time < 0.7 - 1e-9 else 0.0
        if k % 4 == 0:
            rows.append((time, target[0], world.measure(0.004).position[0]))
        world.step(target, np.zeros(2))
    return np.array(rows)


@pytest.mark.long
@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
@pytest.mark.parametrize('noise', [pytest.param(0.0, marks=pytest.mark.long), 3e-4])
def test_a_simulated_servo_is_found_again(each_engine, arm, noise):
    """Gains within 4 %, dry friction within 0.01 N m and the delay within 1.5 ms."""
    spec = arm.motors['turner'].model_copy(update={'dry_friction': 0.1, 'delay': 0.012})
    robot = dataclasses.replace(arm, motors=arm.motors | {'turner': spec})
    world = World(robot, WorldSettings(engine=each_engine, gravity=0.0))
    world.set_gains({'turning': Gains(kp=8.0, kd=0.25)})
    rows = step_and_back(world)
    world.close()
    rows[:, 2] += np.random.default_rng(5).normal(0.0, noise, len(rows))
    found = identify(StepRecord(*rows.T), INERTIA, effort=3.0)
    assert (found['kp'], found['kd']) == pytest.approx((8.0, 0.25), rel=0.04)
    assert found['dry_friction'] == pytest.approx(0.1, abs=0.01)
    assert found['delay'] == pytest.approx(0.012, abs=1.5e-3)
    assert found.residual < noise + 4e-4
