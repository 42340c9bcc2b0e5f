"""Rods that swing in engines: how often, and that they keep their energy without damping."""

import numpy as np
import pytest

from softshell_continuum.rod import Rod
from softshell_continuum.rod_form import rod_form
from softshell_sim.soft.body import SoftBody

ROD = Rod(0.25, 0.011, 16.6e6, 7.2e6, 1000.0)
LINKS = 12
#: First bending frequency of a cantilever by Euler and Bernoulli: 1.8751² √(EI / m L⁴) [rad/s].
FIRST = 1.8751041**2 * np.sqrt(ROD.bending / (ROD.weight * ROD.length**4))


def bent(start, step, tip):
    """A rod without gravity or damping, bent about as in its first mode, at rest."""
    bench = start(gravity=0.0, time_step=step)
    soft = SoftBody(bench.engine, rod_form('rod', ROD, LINKS, planar=True))
    along = (np.arange(LINKS) + 0.5) / LINKS
    # The curvature of a load that grows towards the tip is near that of the first mode.
    shape = (1.0 - along) ** 2 * (2.0 + along)
    arms = ROD.length * (1.0 - along)
    bench.engine.place_joints(soft.body, shape * tip / (shape @ arms))
    return soft


def energy(soft):
    """Of springs and motion [J]."""
    soft.read()
    stiffness = soft.members['rod'].chain.stiffness
    springs = 0.5 * stiffness @ soft.position**2
    return float(springs + soft.engine.kinetic_energy(soft.body))


def test_a_rod_swings_as_often_as_euler_and_bernoulli_say(start):
    """Its first frequency within 1 %, by times at which the tip goes through the middle."""
    step = 2e-4
    soft = bent(start, step, 0.005)
    tips = []
    for _ in range(round(1.5 * 2.0 * np.pi / FIRST / step)):
        soft.apply()
        soft.engine.step()
        tips.append(soft.tip('rod')[1, 3])
    tips = np.array(tips)
    at = np.flatnonzero(np.diff(np.sign(tips)))
    crossings = (at + tips[at] / (tips[at] - tips[at + 1])) * step
    assert len(crossings) >= 2
    assert np.pi / np.diff(crossings).mean() == pytest.approx(FIRST, rel=0.01)


def test_what_a_rod_loses_of_its_energy_is_the_error_of_steps(start):
    """In a swing far out: implicit Euler takes h ω² as a rate, so nothing at steps of 0."""
    time, left = np.pi / FIRST, {}
    for step in (2e-4, 1e-4):
        soft = bent(start, step, 0.04)
        before = energy(soft)
        for _ in range(round(time / step)):
            soft.apply()
            soft.engine.step()
        left[step] = energy(soft) / before
    lost = {step: -np.log(part) for step, part in left.items()}
    # Mostly the first mode; higher ones, of which a little is there, lose more.
    assert FIRST**2 * 1e-4 * time < 1.3 * lost[1e-4] < 2.6 * FIRST**2 * 1e-4 * time
    assert 2.0 * lost[1e-4] - lost[2e-4] == pytest.approx(0.0, abs=0.1 * lost[2e-4])
