"""Tensions for a tip, found from where it is to be."""

import numpy as np
import pytest
from rods import LEVEL, RUBBER

from softshell_continuum.inverse import tensions_for
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import coordinates_from_pose, rotation_from_angles

DISCS = np.array([0.0, 0.005, 0.053, 0.101, 0.149, 0.197, 0.245])


@pytest.fixture(scope='module')
def arm():
    tendons = [Tendon.along(f'tendon_{k}', DISCS, 0.015, 2.0 * np.pi * k / 3.0) for k in range(3)]
    return Statics(RUBBER.chain(25), tendons, base=LEVEL)


@pytest.mark.parametrize('seed', range(8))
def test_the_tip_comes_where_tensions_had_brought_it(arm, seed):
    """x, y and z of three tendons; two of them where one coordinate is free."""
    random = np.random.default_rng(seed)
    tip = arm.solve(random.uniform(0.0, 4.0, 3) * [1.0, 1.0, seed % 2]).tip
    for free in (None, seed % 3):
        target = tip.copy()
        if free is not None:
            target[free] = np.nan
        found = tensions_for(arm, target, 20.0)
        assert found.reached
        assert (found.tensions >= 0.0).all()
        error = np.abs(found.equilibrium.tip - tip)
        assert np.nanmax(np.where(np.isnan(target), np.nan, error)) < 1e-6


def test_it_turns_as_it_is_to_turn(arm):
    """Pitch and yaw, whatever the place."""
    wanted = coordinates_from_pose(arm.solve([1.0, 3.0, 0.5]).tip_pose)
    target = [np.nan, np.nan, np.nan, wanted[3], wanted[4], np.nan]
    found = tensions_for(arm, target, 20.0)
    assert found.reached
    turned = coordinates_from_pose(found.equilibrium.tip_pose)
    assert turned[3:5] == pytest.approx(wanted[3:5], abs=1e-5)


@pytest.mark.parametrize('free', [(), (3,), (4,), (5,)], ids=['none', 'yaw', 'pitch', 'roll'])
@pytest.mark.parametrize('tensions', [[2.0, 0.5, 0.0], [6.0, 0.5, 0.0], [0.0, 5.0, 5.0]])
def test_both_ways_to_tell_a_rotation_are_met(tensions, free):
    """With yaw and roll turned by π and pitch beyond a quarter turn, and as it is."""
    tendons = [
        Tendon.along(f'tendon_{k}', np.linspace(0.0, 0.25, 9), 0.015, 2.0 * np.pi * k / 3.0)
        for k in range(3)
    ]
    upright = Statics(RUBBER.chain(25), tendons, gravity=(0.0, 0.0, 0.0))
    wanted = coordinates_from_pose(upright.solve(tensions).tip_pose)
    wanted[: 3 if free else 0] = np.nan
    other = wanted.copy()
    other[3:] = wanted[3] + np.pi, np.pi - wanted[4], wanted[5] - np.pi
    for target in (wanted, other):
        target[list(free)] = np.nan
        found = tensions_for(upright, target, 20.0)
        assert found.reached
        turned = found.equilibrium.tip_pose[:3, :3]
        if not free:
            assert turned == pytest.approx(rotation_from_angles(target[3:]), abs=1e-5)
        elif free == (4,):
            before, after = (
                rotation_from_angles(angles)
                for angles in ([target[3], 0.0, 0.0], [0.0, 0.0, target[5]])
            )
            assert (before.T @ turned @ after.T)[1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-5)
        else:
            assert turned[2, 0] == pytest.approx(-np.sin(target[4]), abs=1e-5)


def test_out_of_reach_it_comes_as_near_as_it_can(arm):
    """Not nearer with any other tensions around; it says so, and nothing is raised."""
    target = np.array([0.1, 0.1, 0.3])
    found = tensions_for(arm, target, 3.0)
    assert not found.reached
    nearest = np.linalg.norm(found.equilibrium.tip - target)
    random = np.random.default_rng(0)
    for _ in range(60):
        trial = np.clip(found.tensions + random.normal(0.0, 0.2, 3), 0.0, 3.0)
        assert np.linalg.norm(arm.solve(trial).tip - target) > nearest - 1e-6


@pytest.mark.parametrize('target', [[0.1, 0.2], [np.nan] * 6, [np.inf, 0.0, 0.0]])
def test_targets_that_are_none_are_refused(arm, target):
    """Another shape, nothing that is held, and infinity."""
    with pytest.raises(SoftshellError, match='expected x, y, z, yaw, pitch, roll'):
        tensions_for(arm, target)


def test_a_search_begins_at_finite_tensions(arm):
    """Others are refused by name and place."""
    with pytest.raises(SoftshellError, match=r'begin\[1\] is nan; expected a finite number'):
        tensions_for(arm, [0.1, 0.0, 0.2], begin=[1.0, np.nan, 1.0])
    with pytest.raises(SoftshellError, match=r'begin has shape \(1, 3\); expected \(3,\), a tens'):
        tensions_for(arm, [0.1, 0.0, 0.2], begin=[[1.0, 2.0, 3.0]])
