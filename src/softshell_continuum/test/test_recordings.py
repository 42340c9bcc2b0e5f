"""Recordings with noise give stiffness, modulus and torque per kPa back; plots show them."""

import math
import subprocess
import sys

import numpy as np
import pytest
from rods import RUBBER

from softshell_continuum.calibration import Formula, levers
from softshell_continuum.fits import fit, root
from softshell_continuum.plots import calibration_plot, fit_plot, root_plot
from softshell_continuum.recordings import (
    modulus_by_deflections,
    moment_by_angles,
    moment_by_blocked_forces,
    stiffness_by_deflections,
    tip_stiffness,
)
from softshell_continuum.statics import Statics
from softshell_kinematics.errors import OutOfRangeError

LENGTH, JOINTS, STIFFNESS, MOMENT = 0.1, 10, 0.2, 0.0012
ARMS = levers(LENGTH, JOINTS)


def noisy(values, part=0.01):
    """With errors that are so large a part of the largest."""
    return values + np.random.default_rng(7).normal(0.0, part * np.max(values), len(values))


def agrees(found, expected):
    """Within four standard errors, which are small, and of the unit that the value has."""
    assert found.value == pytest.approx(expected, abs=4.0 * found.deviation)
    assert 0.0 < found.deviation < 0.02 * expected
    scale = found.value / found.fit.slope
    assert found.deviation == pytest.approx(scale * found.fit.deviation)
    return True


def test_stiffness_comes_back_from_noisy_deflections():
    """Made up by levers: δ = F Σ lever² / κ; the published formula has 2.075 of that."""
    forces = np.linspace(0.0, 0.2, 21)
    deflections = forces * (ARMS**2).sum() / STIFFNESS
    recorded = noisy(forces)
    assert agrees(tip_stiffness(deflections, recorded), STIFFNESS / (ARMS**2).sum())
    found = stiffness_by_deflections(deflections, recorded, LENGTH, JOINTS)
    assert agrees(found, STIFFNESS)
    other = stiffness_by_deflections(deflections, recorded, LENGTH, JOINTS, Formula.REFERENCE)
    assert other.value / found.value == pytest.approx(2.075, abs=1e-3)
    assert str(found).endswith('N m/rad')


def test_moments_come_back_from_noisy_blocked_forces_and_angles():
    """By the same pressure; the published formula has F L, two thirds of it."""
    pressures = np.linspace(0.0, 100.0, 21)
    forces = MOMENT * pressures * ARMS.sum() / (ARMS**2).sum()
    found = moment_by_blocked_forces(pressures, noisy(forces), LENGTH, JOINTS)
    assert agrees(found, MOMENT)
    other = moment_by_blocked_forces(pressures, noisy(forces), LENGTH, JOINTS, Formula.REFERENCE)
    assert found.value / other.value == pytest.approx(1.0 / 1.504, abs=1e-3)
    angles = JOINTS * MOMENT * pressures / STIFFNESS
    assert agrees(moment_by_angles(pressures, noisy(angles), STIFFNESS, JOINTS), MOMENT)


def test_a_published_blocked_force_gives_the_published_torque():
    """0.75 N at 100 kPa, 0.1 m: 0.00075 N m/kPa by the reference formula."""
    found = moment_by_blocked_forces([100.0], [0.75], 0.1, 5, Formula.REFERENCE)
    assert found.value == pytest.approx(0.075 / 100.0)
    assert found.deviation == math.inf  # one recording has no spread


def test_a_modulus_comes_back_from_deflections_of_the_static_solver():
    """Little loads on a fine chain of known modulus, without gravity; within 1 part in 1000."""
    statics = Statics(RUBBER.chain(100), gravity=(0.0, 0.0, 0.0))
    forces = np.linspace(0.0, 0.02, 5)
    tips = [statics.solve(tip_force=[force, 0.0, 0.0]).tip[0] for force in forces]
    moment = np.pi * RUBBER.diameter**4 / 64.0
    found = modulus_by_deflections(tips, forces, RUBBER.length, moment)
    assert found.value == pytest.approx(RUBBER.youngs_modulus, rel=1e-3)
    assert np.abs(found.fit.residuals).max() < 1e-3 * forces.max()


def test_what_has_no_size_is_refused():
    with pytest.raises(OutOfRangeError, match='second moment'):
        modulus_by_deflections([1.0], [1.0], 0.1, 0.0)
    with pytest.raises(OutOfRangeError, match='number of joints'):
        moment_by_angles([1.0], [1.0], 0.1, 0)
    with pytest.raises(OutOfRangeError, match=r'joints is 2\.5; expected a whole number'):
        moment_by_angles([1.0], [1.0], 0.1, 2.5)


def test_plots_show_what_was_recorded_and_what_is_left_over():
    """The very numbers, above and below."""
    forces = np.linspace(0.0, 0.2, 6)
    found = tip_stiffness(0.01 * forces, noisy(forces))
    upper, lower = calibration_plot(found).axes
    np.testing.assert_array_equal(upper.lines[0].get_ydata(), found.fit.second)
    np.testing.assert_array_equal(lower.lines[0].get_ydata(), found.fit.residuals)
    assert upper.lines[1].get_ydata()[-1] == pytest.approx(found.value * 0.002)
    square = root(lambda x: x * x, 2.0, (0.1, 10.0))
    upper, lower = root_plot(square, 'x', 'x²').axes
    assert len(upper.lines[0].get_xdata()) == len(square.tried) > 3
    assert min(lower.lines[0].get_ydata()) < 1e-9
    line = fit(lambda values: values['a'] * forces, noisy(forces), {'a': 2.0})
    upper, lower = fit_plot(line, 'force [N]').axes
    np.testing.assert_array_equal(lower.lines[0].get_ydata(), line.residuals)


def test_matplotlib_is_not_needed_till_something_is_drawn():
    code = 'import sys, softshell_continuum.plots; sys.exit("matplotlib" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0
