"""The tips that tendons can bring about."""

import numpy as np
import pytest
from rods import RUBBER

from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_continuum.workspace import workspace
from softshell_kinematics.errors import SoftshellError

EYES = np.linspace(0.0, 0.25, 6)


def test_a_workspace_is_as_symmetrical_as_what_pulls():
    """Three equal tendons around, no gravity: a mirror exchanges the tensions of two of them."""
    tendons = [Tendon.along(f't{k}', EYES, 0.015, 2.0 * np.pi / 3.0 * k) for k in range(3)]
    statics = Statics(RUBBER.chain(10), tendons, gravity=(0.0, 0.0, 0.0))
    pulls = [0.0, 1.5, 3.0]
    found = workspace(statics, [pulls] * 3)
    assert found.tips.shape == (27, 3)
    assert found.reached.all()
    for tensions, tip in zip(found.tensions, found.tips, strict=True):
        place = np.flatnonzero((found.tensions == tensions[[0, 2, 1]]).all(axis=1))[0]
        assert found.tips[place] == pytest.approx(tip * [1.0, -1.0, 1.0], abs=1e-6)
        assert tip == pytest.approx(statics.solve(tensions).tip, abs=1e-6)
    assert np.ptp(found.tips[:, 0]) > 0.1
    with pytest.raises(SoftshellError, match='tensions of 2 tendons; expected 3'):
        workspace(statics, [pulls] * 2)
    with pytest.raises(SoftshellError, match='there is no tendon to pull'):
        workspace(Statics(RUBBER.chain(10)), [])
