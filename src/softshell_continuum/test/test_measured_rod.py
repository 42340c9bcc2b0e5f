"""A rod that somebody has measured; nothing is fitted to where its tip was found."""

import numpy as np
import pytest

from softshell_continuum.fits import root
from softshell_continuum.measured_rod import (
    DISC_MASS,
    DISCS,
    SAG,
    SIDEWAYS,
    TRIALS,
    YOUNG,
    measured_rod,
)
from softshell_continuum.statics import GRAVITY


def test_the_tip_is_where_it_was_measured():
    """Mean and worst of the five trials; the report's own simulation has 0.63 and 1.20 cm."""
    statics = measured_rod()
    errors = []
    for trial in TRIALS:
        found = statics.solve(trial.tensions)
        assert found.converged
        errors.append(np.linalg.norm(found.tip - trial.tip))
    assert len(errors) == 5
    assert np.mean(errors) < 0.0065
    assert max(errors) < 0.0125


def test_links_cost_as_much_as_is_known():
    """In the worst trial ten of them 14 mm, 25 2.7 mm, 50 0.7 mm: against 400."""

    def tips(links):
        statics = measured_rod(links=links)
        return np.array([statics.solve(trial.tensions).tip for trial in TRIALS])

    fine = tips(400)
    costs = {n: np.linalg.norm(tips(n) - fine, axis=1).max() for n in (10, 25, 50)}
    assert costs == pytest.approx({10: 0.014, 25: 0.0027, 50: 0.0007}, rel=0.2)


def test_the_modulus_is_found_by_how_far_it_hangs_down():
    """Its sag gives E, within 4 % of the report's, which comes from coarser elements."""
    found = root(lambda young: -measured_rod(young).solve().tip[2], SAG, (1e6, 1e8), 'E')
    assert found.value == pytest.approx(YOUNG, rel=0.04)
    assert abs(found.residual) < 1e-9


def test_the_shear_modulus_is_found_by_how_it_twists():
    """From a tip that a known one has made by the second experiment's tension: that one."""

    def height(shear):
        return measured_rod(shear=shear).solve([0.0, SIDEWAYS]).tip[2]

    assert abs(height(1e6) - height(1e8)) > 0.005  # it tells
    found = root(height, height(7.2e6), (1e6, 1e8), 'G')
    assert found.value == pytest.approx(7.2e6, rel=1e-6)


def test_what_holds_the_rod_carries_all_that_hangs_on_it():
    """Statics of the whole: the moment at the clamp, by the joints next to it."""
    statics = measured_rod(links=50)
    found = statics.solve()
    weights = statics.chain.masses
    turned, origins, _ = statics.chain.frames(found.positions, statics.base)
    centres = origins[1:] + np.einsum('nij,nj->ni', turned[1:], statics.chain.centres)
    discs, _ = found.backbone(DISCS)
    clamp = origins[1, 0]
    moment = -GRAVITY[2] * (
        weights @ (centres[:, 0] - clamp) + DISC_MASS * (discs[:, 0] - clamp).sum()
    )
    bend = found.positions[2] * statics.chain.stiffness[2]  # about y
    assert bend == pytest.approx(moment, rel=1e-6)
