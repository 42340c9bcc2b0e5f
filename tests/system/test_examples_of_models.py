"""Examples of legs, friction and soft fingers: what they print is what closed forms say."""

import math

import numpy as np
import pytest
from examples_rig import is_picture, numbers

from softshell_description.load import load_robot
from softshell_kinematics import chain_from_urdf


def test_stability(run, tmp_path):
    """Feet are symmetric about the trunk: the margin is the nearer side; on three feet the trunk
    is as far from the diagonal as it was moved away from it."""
    output = run('35_stability.py')
    robot = load_robot('quadruped')
    chain = chain_from_urdf(robot.urdf_text, 'base_link', 'front_left_foot')
    x, y = chain.forward([robot.poses['stand'][name] for name in chain.variables])[:2, 3]
    four, three = numbers(output, r'four feet (\S+) m, moved back without front_left (\S+) m')
    assert four == pytest.approx(min(x, y), abs=1e-4)
    assert three == pytest.approx(0.03 * (x + y) / math.hypot(x, y), abs=1e-4)
    (ahead,) = numbers(output, r'ahead (\S+) m, until \w+, \w+_shank is at its end')
    assert 0.1 < ahead < x
    assert is_picture(tmp_path / 'out' / 'stability.png')


def test_shared_motor(run):
    """One fold for all legs, found with the rest from a guess; the legs' own angles differ."""
    output = run('36_shared_motor.py')
    assert "19 variables, of which all legs have ['fold']" in output
    assert numbers(output, r'all reached: True, feet off by at most (\S+) m')[0] < 1e-8
    folds = [numbers(output, rf'foot_{k}: fold (\S+), lower')[0] for k in (0, 3)]
    assert folds[0] == folds[1]


def test_skate(run):
    """Along the skates it slides as by a tenth of the friction, otherwise not at all."""
    output = run('37_skate.py')
    slope, seconds = math.radians(20.0), 0.5
    fall = 9.81 * (math.sin(slope) - 0.06 * math.cos(slope))
    along, without = numbers(output, r'skates along the slope: (\S+) m; without: (\S+) m')
    assert along == pytest.approx(0.5 * fall * seconds**2, rel=0.005)
    across = numbers(output, r'skates across the slope: (\S+) m; without: (\S+) m')
    assert max(without, *across) < 1e-3


def test_calibration(run, tmp_path):
    """The proportion that fits the record, by the tip of a chain under a force across it: each
    joint turns by its lever times the force over its stiffness."""
    output = run('38_calibration.py')
    (stiffness,) = numbers(output, r'joint stiffness (\S+) ±')
    force, bent = np.array([0.024, 0.050, 0.073]), np.array([0.004, 0.008, 0.012])
    levers = 0.1 - 0.01 * (np.arange(10) + 0.5)  # of ten joints [m]
    assert stiffness == pytest.approx((force @ bent) / (bent @ bent) * (levers @ levers), rel=1e-3)
    for one, given in zip(force, bent, strict=True):
        (found,) = numbers(output, rf'{one:.3f} N: recorded \S+ mm, of the model (\S+) mm')
        assert found == pytest.approx(1e3 * one * (levers @ levers) / stiffness, rel=0.02)
        assert found == pytest.approx(1e3 * given, rel=0.05)
    assert is_picture(tmp_path / 'out' / 'stiffness.png')
