"""The tips that tendons can bring about."""

from dataclasses import replace

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


class Stubborn(Statics):
    """Comes to rest only where the second tendon pulls; keeps where searches begin."""

    def solve(self, pulls, start=None):
        self.begins = [*getattr(self, 'begins', []), start]
        found = super().solve(pulls, start=start)
        return replace(found, converged=bool(pulls[1] > 0.0))


def test_a_line_begins_anew_also_after_a_pose_that_is_not_at_rest():
    """No search begins at the end of the line before; tips that were not found are NaN."""
    tendons = [Tendon.along(f't{k}', EYES, 0.015, np.pi * k) for k in range(2)]
    statics = Stubborn(RUBBER.chain(5), tendons)
    found = workspace(statics, [[0.0, 1.0], [0.0, 0.5, 1.0]])
    assert found.reached.tolist() == [False, True, True] * 2
    assert np.isnan(found.tips[~found.reached]).all()
    assert [begin is None for begin in statics.begins] == [True, True, False] * 2
    for number in (1, 4):
        rest = Statics(RUBBER.chain(5), tendons).solve(found.tensions[number])
        assert statics.begins[number + 1] == pytest.approx(rest.positions)


def test_a_row_without_tensions_is_refused():
    """By the name of its tendon."""
    tendons = [Tendon.along(f't{k}', EYES, 0.015, np.pi * k) for k in range(2)]
    with pytest.raises(SoftshellError, match="tendon 't1' has no tensions; expected one or more"):
        workspace(Statics(RUBBER.chain(5), tendons), [[0.0, 1.0], []])
