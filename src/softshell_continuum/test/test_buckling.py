"""Columns that buckle: the rest that is found is a minimum, not the saddle they stand on."""

import numpy as np
import pytest

from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics

#: Far more easily bent than pressed together.
ROD = Rod(0.25, 0.002, 1e8, 4e7, 1000.0)
EULER = np.pi**2 * ROD.bending / (4.0 * ROD.length**2)
#: Timoshenko and Gere, "Theory of Elastic Stability", 2nd edition, table 2-5: load over the
#: critical one, height and deflection of the free end over the length.
ELASTICA = [
    (1.015, 0.970, 0.220),
    (1.063, 0.881, 0.422),
    (1.293, 0.560, 0.719),
    (1.884, 0.123, 0.803),
]


def loaded(part, count=60):
    statics = Statics(ROD.chain(count), gravity=[0.0, 0.0, 0.0])
    return statics.solve(tip_force=[0.0, 0.0, -part * EULER])


@pytest.mark.parametrize('part', [0.5, 0.9, 0.98])
def test_below_the_critical_load_a_column_stands(part):
    pose = loaded(part)
    assert pose.converged
    np.testing.assert_allclose(pose.tip[:2], 0.0, atol=1e-9)


@pytest.mark.parametrize(('part', 'height', 'aside'), ELASTICA)
def test_beyond_it_the_column_is_the_elastica(part, height, aside):
    pose = loaded(part)
    assert pose.converged
    assert pose.tip[2] / ROD.length == pytest.approx(height, abs=0.02)
    assert np.hypot(*pose.tip[:2]) / ROD.length == pytest.approx(aside, abs=0.025)


def test_what_stands_on_its_head_falls_over():
    """A thin rod with a weight on top: it hangs in the end, from whichever side."""
    statics = Statics(Rod(0.25, 0.004, 1e6, 4e5, 1000.0).chain(40), masses=[(0.25, 0.01)])
    pose = statics.solve()
    assert pose.converged
    assert pose.tip[2] < -0.2
