"""Rotor inertia of joints, as every engine keeps it, against closed forms."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError

STEP, GRAVITY = 0.001, 9.81
#: Of the pendulum in conftest.py.
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
INERTIA = MOMENT + MASS * LENGTH**2


def weight(angle):
    """Moment of the pendulum's weight [N m]."""
    return MASS * GRAVITY * LENGTH * np.sin(angle)


def test_rotor_inertia_of_other_joints_is_refused(start):
    """The message has both numbers of joints; the robot is not loaded."""
    bench = start()
    with pytest.raises(SoftshellError, match='rotor inertia of 2 joints; expected 1, one'):
        bench.pendulum(rotor=(0.1, 0.2))
    assert not bench.engine.bodies


def test_rotor_inertia_is_added(start):
    """A torque turns the joint by τ h / (I + J); the weight is that of the link alone."""
    bench = start()
    body = bench.pendulum(0.7, rotor=(0.1,))
    bench.engine.apply_effort(body, np.array([5.0]))
    bench.engine.step()
    speed = bench.joints(body)[1][0]
    assert speed == pytest.approx((5.0 - weight(0.7)) * STEP / (INERTIA + 0.1), rel=1e-6)
    bench.engine.apply_effort(body, np.array([weight(0.7)]))
    bench.engine.step()
    assert bench.joints(body)[1][0] == pytest.approx(speed, rel=1e-3)
