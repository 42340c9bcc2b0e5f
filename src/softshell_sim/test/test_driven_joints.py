"""Joints of a robot whose root link is driven: they feel weight and acceleration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from softshell_sim.changing.drive import Drive
from softshell_sim.scene import Scene

GRAVITY, STEP = 9.81, 0.001
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02


@pytest.mark.parametrize('shaken', [0.0, 0.1])
def test_a_pendulum_on_a_driven_pivot_swings_as_by_its_equation(start, shaken):
    """(J + m l²) θ'' = −m l (g sin θ − a cos θ), with the acceleration a of its pivot along x.

    Released at 0.5 rad, from a pivot that is held, or shaken by so much to either side [m].
    """
    bench = start(GRAVITY, STEP)
    body, scene = bench.pendulum(0.5, fixed=False), Scene(bench.engine, {})
    times = np.arange(1, 1501) * STEP
    poses = np.tile([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0], (len(times), 1))
    poses[:, 0] = shaken * (1.0 - np.cos(6.0 * times))
    scene.apply([Drive('pendulum', times, poses)])
    found = []
    for pose in poses:
        scene.step()
        found.append(bench.joints(body)[0][0])
        assert bench.state(body).position == pytest.approx(pose[:3], abs=1e-6)

    def motion(time, state):
        angle, rate = state
        pull = GRAVITY * np.sin(angle) - 36.0 * shaken * np.cos(6.0 * time) * np.cos(angle)
        return rate, -MASS * LENGTH / (MOMENT + MASS * LENGTH**2) * pull

    expected = solve_ivp(motion, (0.0, times[-1]), (0.5, 0.0), t_eval=times, rtol=1e-8)
    assert np.abs(found - expected.y[0]).max() < 0.02
