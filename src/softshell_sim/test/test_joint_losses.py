"""Dry friction and rotor inertia of joints, as every engine keeps them, against closed forms."""

import numpy as np
import pytest

STEP, GRAVITY = 0.001, 9.81
#: Of the pendulum in conftest.py.
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
INERTIA = MOMENT + MASS * LENGTH**2


def pendulum(bench, angle, friction=0.0, rotor=()):
    """A pendulum at rest with dry friction [N m] and rotor inertia [kg m^2] in its hinge."""
    body = bench.pendulum(angle, rotor=rotor)
    bench.engine.set_joint_friction(body, np.array([friction]))
    return body


def weight(angle):
    """Moment of the pendulum's weight [N m]."""
    return MASS * GRAVITY * LENGTH * np.sin(angle)


@pytest.mark.parametrize('part', [0.2, 0.9, 0.999])
def test_a_joint_below_its_friction_stays(start, part):
    """For 10 s it moves by less than 0.03 mrad while its load is less than the friction."""
    bench = start()
    body = pendulum(bench, 0.7, weight(0.7) / part)
    bench.run(10.0)
    assert bench.joints(body)[0][0] == pytest.approx(0.7, abs=3e-5)


@pytest.mark.parametrize('part', [1.001, 1.5])
def test_a_joint_above_its_friction_breaks_away(start, part):
    """In the first step it gains (m g l sin θ − μ) h / I."""
    bench = start()
    friction = weight(0.7) / part
    body = pendulum(bench, 0.7, friction)
    bench.engine.step()
    speed = -(weight(0.7) - friction) * STEP / INERTIA
    assert bench.joints(body)[1][0] == pytest.approx(speed, rel=0.02, abs=1e-7)


def test_dry_friction_brakes_evenly_to_a_stop(start):
    """A spinning joint loses μ h/I a step, whatever its speed, and then stands still."""
    bench = start(gravity=0.0)
    body = pendulum(bench, 0.0, 0.5)
    bench.engine.place_joints(body, np.zeros(1), np.array([1.0]))
    bench.run(0.2)
    angle, speed = bench.joints(body)
    assert speed[0] == pytest.approx(1.0 - 0.5 * 0.2 / INERTIA, rel=1e-4)
    assert angle[0] == pytest.approx(0.2 - 0.25 * 0.2**2 / INERTIA, abs=1e-3)
    bench.run(1.0)
    angle, speed = bench.joints(body)
    assert speed[0] == pytest.approx(0.0, abs=1e-6)
    assert angle[0] == pytest.approx(0.5 * INERTIA / 0.5, abs=2e-3)


def test_friction_can_be_taken_away(start):
    """A joint that sticks falls with m g l sin θ / I as soon as its friction is 0."""
    bench = start()
    body = pendulum(bench, 0.7, 10.0)
    bench.run(0.1)
    bench.engine.set_joint_friction(body, np.zeros(1))
    bench.engine.step()
    expected = -weight(0.7) * STEP / INERTIA
    assert bench.joints(body)[1][0] == pytest.approx(expected, rel=1e-3)


def test_rotor_inertia_is_added(start):
    """A torque turns the joint by τ h / (I + J); the weight is that of the link alone."""
    bench = start()
    body = pendulum(bench, 0.7, rotor=(0.1,))
    bench.engine.apply_effort(body, np.array([5.0]))
    bench.engine.step()
    speed = bench.joints(body)[1][0]
    assert speed == pytest.approx((5.0 - weight(0.7)) * STEP / (INERTIA + 0.1), rel=1e-6)
    bench.engine.apply_effort(body, np.array([weight(0.7)]))
    bench.engine.step()
    assert bench.joints(body)[1][0] == pytest.approx(speed, rel=1e-3)
